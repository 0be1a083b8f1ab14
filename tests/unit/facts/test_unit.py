"""What systemd shows of many units at once, and the words a unit that failed left in the journal."""

from __future__ import annotations

from raceway.facts.unit import UnitFacts, UnitState, last_words, parse_show

SHOW = """\
Type=notify
RemainAfterExit=no
Id=ssh.service
Names=ssh.service sshd.service
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
NeedDaemonReload=no
ConditionResult=yes
ConditionTimestampMonotonic=3141592
InvocationID=9a0f

Id=nope.service
Names=nope.service
LoadState=not-found
ActiveState=inactive
SubState=dead
NeedDaemonReload=no
ConditionResult=no
ConditionTimestampMonotonic=0
InvocationID=

Id=fstrim.timer
Names=fstrim.timer
LoadState=loaded
ActiveState=inactive
SubState=dead
UnitFileState=enabled
NeedDaemonReload=yes
ConditionResult=no
ConditionTimestampMonotonic=2718281
InvocationID=
"""


def test_each_asked_unit_gets_its_block_and_an_alias_that_of_its_unit() -> None:
    states = parse_show(SHOW, ["sshd.service", "fstrim.timer", "ssh.service"])
    assert list(states) == ["sshd.service", "fstrim.timer", "ssh.service"]
    assert states["sshd.service"] == states["ssh.service"]
    assert (states["ssh.service"].active, states["ssh.service"].invocation) == ("active", "9a0f")


def test_a_unit_never_tried_is_not_one_that_its_condition_skipped() -> None:
    states = parse_show(SHOW, ["nope.service", "fstrim.timer"])
    assert (states["nope.service"].skipped, states["fstrim.timer"].skipped) == (False, True)
    assert (states["nope.service"].load, states["fstrim.timer"].need_reload) == ("not-found", True)


def test_no_output_gives_no_states_and_a_unit_not_mentioned_is_not_there() -> None:
    assert parse_show("", ["a.service"]) == {}
    assert UnitFacts().state("a.service") == UnitState(load="not-found", active="inactive")


def test_a_unit_that_systemd_keeps_restarting_does_not_run() -> None:
    assert UnitState(active="activating", sub="start").running
    assert UnitState(active="reloading").running
    assert not UnitState(active="activating", sub="auto-restart").running
    assert not UnitState(active="failed").running


def test_the_last_words_are_the_units_own_and_of_its_last_start() -> None:
    journal = (
        "Dec 01 10:00:00 n1 systemd[1]: Starting x.service...\n"
        "Dec 01 10:00:00 n1 x[7]: an error of yesterday\n"
        "Dec 01 11:00:00 n1 systemd[1]: Starting x.service...\n"
        "Dec 01 11:00:01 n1 x[9]: cannot open /etc/x.conf: no such file\n"
        "Dec 01 11:00:01 n1 systemd[1]: x.service: Main process exited, code=exited, status=1/FAILURE\n"
        "Dec 01 11:00:01 n1 systemd[1]: Failed to start x.service.\n"
    )
    assert last_words(journal, "x.service") == "cannot open /etc/x.conf: no such file"


def test_where_a_unit_said_nothing_systemds_last_line_about_it_is_told() -> None:
    journal = (
        "Dec 01 11:00:00 n1 systemd[1]: Starting x.service...\n"
        "Dec 01 11:00:01 n1 systemd[1]: x.service: Failed at step EXEC spawning /bin/x: No such file or directory\n"
    )
    journal += (
        "Dec 01 11:00:01 n1 systemd[1]: x.service: Failed with result 'exit-code'.\n"
        "Dec 01 11:00:01 n1 systemd[1]: Failed to start x.service.\n"
    )
    assert "Failed at step EXEC" in last_words(journal, "x.service")
    assert last_words("", "x.service") == ""
    assert last_words("-- No entries --\n", "x.service") == ""
