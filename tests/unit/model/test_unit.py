"""Unit declarations: names, settings of a unit file, what enabling acts on."""

from __future__ import annotations

import pytest

from raceway.model.unit import Unit, bad_name, install_section, parse, setting


@pytest.mark.parametrize(
    "name", ["a.service", "getty@tty1.service", "t@.timer", r"mnt-a\x2db.mount", "multi-user.target", "d.socket"]
)
def test_a_full_name_is_good(name: str) -> None:
    assert bad_name(name) is None


@pytest.mark.parametrize(
    "name", ["a", "a.conf", "-a.service", "a b.service", "../a.service", "a.slice", "", "a@b@c.service"]
)
def test_anything_else_is_named_in_the_reason(name: str) -> None:
    assert repr(name) in (bad_name(name) or "")


def test_the_last_setting_of_its_section_counts() -> None:
    text = "[Unit]\nType=no\n[Service]\n# Type=comment\nType=simple\nType = oneshot\n[Install]\nType=no\n"
    assert setting(text, "Service", "Type") == "oneshot"
    assert setting(text, "Service", "User") == ""


def test_the_install_section_is_compared_without_comments_and_order() -> None:
    one = "[Service]\nX=1\n[Install]\n; note\nWantedBy=a\nAlias=b\n"
    two = "[Install]\nAlias=b\n\nWantedBy=a\n[Service]\nX=2\n"
    assert install_section(one) == install_section(two) == ("Alias=b", "WantedBy=a")
    assert install_section("[Service]\nX=1\n") == ()


def test_what_a_spec_leaves_out_or_leaves_empty_is_left_open() -> None:
    empty = {"name": "b.service", "enabled": None, "state": None, "content": None}
    assert parse({"units": [{"name": "a.service"}, empty]}).units == (Unit("a.service"), Unit("b.service"))
    assert parse({"units": [{"name": "a.service", "enabled": False}]}).units[0].enabled is False


def test_a_template_is_told_from_its_instances() -> None:
    assert Unit("t@.service").template
    assert not Unit("t@a.service").template
    assert Unit("t@a.service").path == "/etc/systemd/system/t@a.service"
