"""The active TuneD profile with its parents."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Host
from raceway.probe.bootwriter import tuned
from raceway.probe.tuned import active_profiles

from ..builders import make_tree


def test_parents_come_first_and_the_child_wins(tmp_path: Path) -> None:
    files = {
        "/etc/tuned/active_profile": "child\n",
        "/etc/tuned/child/tuned.conf": "[main]\ninclude=base\n[cpu]\ngovernor=powersave\n",
        "/usr/lib/tuned/base/tuned.conf": "[cpu]\ngovernor=performance\nforce_latency=1\n",
    }
    host = Host(str(make_tree(tmp_path, files)))
    assert [path for path, _ in active_profiles(host)] == [
        "/usr/lib/tuned/base/tuned.conf",
        "/etc/tuned/child/tuned.conf",
    ]
    assert {r.path: r.value for r in tuned(host) if r.path.startswith("cpu")} == {
        "cpu.governor": "powersave",
        "cpu.force_latency": "1",
    }


def test_an_include_loop_ends_and_no_tuned_is_nothing(tmp_path: Path) -> None:
    files = {"/etc/tuned/active_profile": "a\n", "/etc/tuned/a/tuned.conf": "[main]\ninclude=a\n"}
    assert len(active_profiles(Host(str(make_tree(tmp_path, files))))) == 9
    assert active_profiles(Host(str(tmp_path / "none"))) == ()
