"""Whatever cannot be read is one message that names the place and the next act."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.inventory import load

from .vaults import ciphertext, encrypted, password


def refusal(path: Any) -> RacewayError:
    """Load what must not load, and return the error."""
    with pytest.raises(RacewayError) as caught:
        load(path)
    return caught.value


def test_a_missing_path_is_told_with_its_name(tmp_path: Path) -> None:
    error = refusal(tmp_path / "nowhere.yml")
    assert "nowhere.yml" in error.place
    assert error.found == "no such file or folder"


def test_no_source_at_all_is_told() -> None:
    assert "no source" in refusal([]).found


def test_a_yaml_mistake_is_told_with_file_and_line(make: Any) -> None:
    error = refusal(make({"hosts.yml": "nodes:\n  hosts:\n    a: {x: 1\n    b:\n"}) / "hosts.yml")
    assert error.place.endswith(("hosts.yml:4", "hosts.yml:5"))
    assert "YAML" in error.found


def test_a_yaml_mistake_in_group_vars_is_told_with_file_and_line(make: Any) -> None:
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.yml": "ok: 1\nbad: [1\n"})
    assert "group_vars/nodes.yml:" in refusal(folder / "hosts.yml").place


def test_variables_that_are_no_mapping_are_told(make: Any) -> None:
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.yml": "- a\n- b\n"})
    assert "not variables" in refusal(folder / "hosts.yml").found


def test_an_ini_mistake_is_told_as_ini(make: Any) -> None:
    error = refusal(make({"hosts": "[nodes\na\n"}) / "hosts")
    assert "hosts" in error.place


def test_a_file_of_a_folder_that_cannot_be_parsed_is_an_error_not_a_lost_host(make: Any) -> None:
    folder = make({"inv/hosts.yml": "nodes: {hosts: {a: }}", "inv/more.yml": "other: [\n"})
    assert "more.yml" in refusal(folder / "inv").place


def test_an_empty_folder_is_no_inventory(tmp_path: Path) -> None:
    (tmp_path / "inv").mkdir()
    assert "Unable to parse" in refusal(tmp_path / "inv").found


def test_several_sources_become_one_inventory(make: Any) -> None:
    folder = make({"a.yml": "nodes: {hosts: {a: }}", "b.yml": "nodes: {hosts: {b: }}"})
    assert load([folder / "a.yml", folder / "b.yml"]).hosts == ("a", "b")


def test_a_list_of_hosts_is_a_source() -> None:
    assert load("a,b,").hosts == ("a", "b")


def test_a_host_without_variables_is_fine(make: Any) -> None:
    inventory = load(make({"hosts.yml": "nodes: {hosts: {a: }}"}) / "hosts.yml")
    assert inventory.told == ()
    assert set(inventory.variables("a")) == {"inventory_file", "inventory_dir"}


def test_a_misspelt_section_is_told_because_ansible_would_drop_it(make: Any) -> None:
    (finding,) = load(make({"hosts.yml": "nodes: {hosts: {a: }, vras: {x: 1}}"}) / "hosts.yml").told
    assert "vras" in finding.found
    assert (finding.severity, Path(finding.file).name) == ("error", "hosts.yml")


def test_a_key_written_twice_is_told_with_its_line(make: Any) -> None:
    (finding,) = load(make({"hosts.yml": "nodes:\n  hosts:\n    a: {x: 1}\n    a: {x: 2}\n"}) / "hosts.yml").told
    assert (finding.found, finding.line) == ("Found duplicate mapping key 'a'", 4)


def test_ansibles_display_is_left_as_it_was(make: Any) -> None:
    from ansible.utils.display import Display

    load(make({"hosts.yml": "nodes: {hosts: {a: }}"}) / "hosts.yml")
    assert "warning" not in vars(Display())


@pytest.mark.allow("exec", reason="an inventory script is a program that Ansible starts")
def test_a_script_is_run_and_its_variables_loaded(make: Any) -> None:
    script = make({"hosts.sh": """
        #!/bin/sh
        echo '{"nodes": {"hosts": ["s1"], "vars": {"x": 1}}, "_meta": {"hostvars": {"s1": {"y": "{{ x }}"}}}}'
        """}) / "hosts.sh"  # fmt: skip
    script.chmod(0o755)
    inventory = load(script)
    assert inventory.variables("s1")["y"] == "{{ x }}"
    ((_, origin),) = inventory.origins("s1", "y")
    assert str(origin).endswith("hosts.sh (its output)")


@pytest.mark.allow("exec", reason="an inventory script is a program that Ansible starts")
def test_a_script_that_fails_is_told_with_what_it_said(make: Any) -> None:
    script = make({"hosts.sh": "#!/bin/sh\necho 'no lab x is up: run raceway lab up' >&2\nexit 3\n"}) / "hosts.sh"
    script.chmod(0o755)
    error = refusal(script)
    assert "exit code 3" in error.found
    assert error.act == "no lab x is up: run raceway lab up"


def test_a_vault_file_without_a_password_is_one_clear_message(make: Any) -> None:
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.yml": "x: 1\n"})
    (folder / "group_vars" / "nodes.yml").write_text(ciphertext("x: hush\n"), encoding="utf-8")
    error = refusal(folder / "hosts.yml")
    assert "no known password opens it" in error.found
    assert "ANSIBLE_VAULT_PASSWORD_FILE" in error.act
    assert "nodes.yml" in error.place


def test_a_vault_file_opens_with_the_configured_password(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password(monkeypatch, tmp_path)
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.yml": "x: 1\n"})
    (folder / "group_vars" / "nodes.yml").write_text(ciphertext("x: hush\n"), encoding="utf-8")
    inventory = load(folder / "hosts.yml")
    assert inventory.variables("a")["x"] == "hush"
    assert inventory.encrypted("a", "x")


def test_a_single_vault_value_needs_no_password_to_load(make: Any) -> None:
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.yml": "x: 1\n"})
    (folder / "group_vars" / "nodes.yml").write_text(encrypted("x", "hush"), encoding="utf-8")
    assert "x" in load(folder / "hosts.yml").variables("a")


def test_a_missing_password_file_is_told(make: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ansible import constants

    monkeypatch.setattr(constants, "DEFAULT_VAULT_PASSWORD_FILE", str(tmp_path / "absent"))
    error = refusal(make({"hosts.yml": "nodes: {hosts: {a: }}"}) / "hosts.yml")
    assert "vault password file" in error.place
