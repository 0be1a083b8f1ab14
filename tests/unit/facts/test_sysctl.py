"""Files that set kernel settings, as sysctl.d(5) and TuneD write them."""

from __future__ import annotations

from raceway.facts.sysctl import boot_order, parse_conf, parse_tuned, tuned_includes


def test_a_comment_is_one_only_at_the_start_of_a_line() -> None:
    rows = parse_conf("# x = 1\n; y = 2\n\nvm.swappiness = 1 # not a comment\nno assignment\n", "f")
    assert [(row.path, row.value, row.line) for row in rows] == [("vm/swappiness", "1 # not a comment", 4)]


def test_case_b36_both_spellings_of_a_dotted_interface_are_one_key() -> None:
    text = (
        "net.ipv4.conf.eth0.100.200.rp_filter = 0\nnet/ipv4/conf/eth0.100.200/rp_filter=0\n"
        "-net.ipv4.conf.eth0/100/200.rp_filter = 0\n"
    )
    assert {row.path for row in parse_conf(text, "f")} == {"net/ipv4/conf/eth0.100.200/rp_filter"}


def test_case_x08_tabs_and_runs_of_blanks_are_folded() -> None:
    assert parse_conf("net.ipv4.tcp_rmem =\t4096\t131072   6291456\n", "f")[0].value == "4096 131072 6291456"


def test_files_are_ordered_by_name_and_etc_hides_the_same_name_elsewhere() -> None:
    files = [
        "/usr/lib/sysctl.d/50-a.conf",
        "/etc/sysctl.d/50-a.conf",
        "/run/sysctl.d/10-b.conf",
        "/etc/sysctl.d/99-c.conf",
    ]
    assert boot_order(files) == ("/run/sysctl.d/10-b.conf", "/etc/sysctl.d/50-a.conf", "/etc/sysctl.d/99-c.conf")


def test_a_tuned_profile_gives_its_sysctl_section_only() -> None:
    text = "[main]\nsummary=x\ninclude=throughput-performance, mine\n[sysctl]\nvm.swappiness=>10\n#a=1\n[vm]\nb=2\n"
    assert [(row.path, row.value) for row in parse_tuned(text, "f")] == [("vm/swappiness", "10")]
    assert tuned_includes(text) == ("throughput-performance", "mine")
    assert tuned_includes("[main]\n") == ()
