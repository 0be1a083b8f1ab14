"""Values as people may see them."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.inventory.values import SECRET, VAULT, kind_of, plain, secret_name, show


@pytest.mark.parametrize(
    "name", ["x_password", "api_token", "ssh_key", "net.ipv4.tcp_fastopen_key", "a-secret", "db_pass"]
)
def test_names_of_secrets_are_recognised(name: str) -> None:
    assert secret_name(name)


@pytest.mark.parametrize("name", ["key", "kernel_keyboard", "node_passive", "tokenizer_path", "node_rack", "keys"])
def test_names_that_only_look_alike_are_not(name: str) -> None:
    assert not secret_name(name)


def test_secrets_inside_a_dict_are_masked_by_their_key() -> None:
    assert plain({"a": 1, "x_password": "hush"}) == {"a": 1, "x_password": SECRET}
    assert plain([{"key": "tcp_fastopen_key", "value": "hush"}]) == [{"key": "tcp_fastopen_key", "value": SECRET}]


def test_a_chosen_value_is_masked_as_vault() -> None:
    assert plain({"a": ["x", "y"]}, lambda value: value == "y") == {"a": ["x", VAULT]}


def test_a_long_value_is_cut_to_one_short_line() -> None:
    text = show({"a": "x" * 100 + "\n"})
    assert len(text) == 60
    assert text.endswith("…")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing (null)"),
        (True, "a bool"),
        (1, "an int"),
        (0.5, "a float"),
        ("x", "a string"),
        ([], "a list"),
        ({}, "a dict"),
    ],
)
def test_types_are_named_in_yamls_words(value: Any, words: str) -> None:
    assert kind_of(value) == words
