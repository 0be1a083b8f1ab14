"""Output of rdma system show, as JSON and as text."""

from __future__ import annotations

import pytest

from raceway.facts.rdma_system import RdmaSystemFacts, parse
from raceway.facts.reading import SILENT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"netns":"shared","copy-on-fork":true}]', RdmaSystemFacts("shared", True)),
        ('{"netns":"exclusive"}', RdmaSystemFacts("exclusive")),
        (
            '[{"netns":"shared","privileged-qkey":false,"monitor":true,"copy-on-fork":true,"new":[1]}]',
            RdmaSystemFacts("shared", True, False, True),
        ),
        (
            "netns shared privileged-qkey off monitor on copy-on-fork on \n",
            RdmaSystemFacts("shared", True, False, True),
        ),
        ("netns exclusive copy-on-fork off\n", RdmaSystemFacts("exclusive", False)),
        ("netns shared\n", RdmaSystemFacts("shared")),
    ],
)
def test_each_version_is_read_and_a_setting_it_does_not_print_stays_unknown(
    text: str, expected: RdmaSystemFacts
) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", SILENT),
        ("[]", "netns is not printed"),
        ("Failed to open NETLINK_RDMA socket\n", "Failed to open NETLINK_RDMA socket"),
        ('[{"netns":"sha', "cut off"),
        ("netns sha", "netns is sha, expected shared or exclusive"),
        ("netns unknown copy-on-fork on\n", "netns is unknown"),
        ("rdma : commande introuvable\n", "commande introuvable"),
    ],
)
def test_what_gives_no_mode_is_a_problem_and_never_a_default(text: str, problem: str) -> None:
    facts = parse(text)
    assert facts.netns == "" and problem in facts.problem
