"""The table of pins is complete, agrees with the recipes it belongs to, and a bad one is one clear message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raceway import paths
from raceway.errors import RacewayError
from raceway.tools import golang, modules, pins

TABLE = pins.load()
TOOLS = sorted(TABLE.tools.values(), key=lambda tool: tool.name)
GO_FAMILIES = [family for family in TABLE.families.values() if family.builder == "go"]
PROMISED = {
    "pulumi",
    "pulumi-language-python",
    "pulumi-resource-kubernetes",
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
    "kwok",
    "vc-scheduler",
    "vc-controller-manager",
    "vc-webhook-manager",
    "vcctl",
}


def test_every_promised_tool_is_pinned() -> None:
    assert set(TABLE.tools) >= PROMISED


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_pin_has_an_exact_version_a_source_and_a_reason(tool: pins.Tool) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", tool.version)
    assert len(tool.source) > 10 and len(tool.why) > 10


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.module], ids=lambda tool: tool.name)
def test_the_pinned_version_is_the_one_the_go_mod_builds(tool: pins.Tool) -> None:
    required = modules.parse((tool.family.folder / "go.mod").read_text())
    assert required[tool.module] == tool.module_version


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.module], ids=lambda tool: tool.name)
def test_the_package_belongs_to_the_module_or_is_our_own_main(tool: pins.Tool) -> None:
    assert tool.package == "." or tool.package.startswith(tool.module)
    if tool.package == ".":
        assert (tool.family.folder / "main.go").is_file()


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.module and tool.package != "."], ids=lambda t: t.name)
def test_the_recipe_imports_the_package_so_that_go_mod_tidy_keeps_it(tool: pins.Tool) -> None:
    assert f'"{tool.package}"' in (tool.family.folder / "tools.go").read_text()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_version_stamped_by_the_linker_is_the_pinned_one(tool: pins.Tool) -> None:
    stamped = re.findall(r"ersion=v?(\d+\.\d+\.\d+)", " ".join(tool.ldflags))
    assert stamped in ([], [tool.version])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_can_be_asked_for_its_version(tool: pins.Tool) -> None:
    assert bool(tool.ask) == bool(tool.answer)
    assert tool.answer == "" or re.compile(tool.answer).groups == 1
    assert tool.beside == "" or tool.beside in TABLE.tools


@pytest.mark.parametrize("family", GO_FAMILIES, ids=lambda family: family.name)
def test_every_go_family_has_a_locked_recipe_and_a_disk_estimate(family: pins.Family) -> None:
    assert (family.folder / "go.sum").stat().st_size > 1000
    assert family.disk_gib > 0
    assert any(tool.family == family for tool in TOOLS)
    assert not family.prepare or (family.folder / family.prepare).is_file()


@pytest.mark.parametrize("family", GO_FAMILIES, ids=lambda family: family.name)
def test_the_oldest_compiler_allowed_compiles_every_family(family: pins.Family) -> None:
    line = re.search(r"^go (\S+)$", (family.folder / "go.mod").read_text(), re.MULTILINE)
    assert line and not golang.is_old(TABLE.go_minimum, line.group(1))


def test_the_python_sdk_is_pinned_to_the_same_version_as_the_provider() -> None:
    wanted = TABLE.tool("pulumi-resource-kubernetes").version
    assert f'"pulumi-kubernetes=={wanted}"' in (paths.source_root() / "pyproject.toml").read_text()


def test_our_language_host_tells_the_version_it_is_pinned_at() -> None:
    tool = TABLE.tool("pulumi-language-python")
    assert f'VERSION = "{tool.version}"' in (tool.family.folder / "host.py").read_text()
    assert tool.version == TABLE.tool("pulumi").version


def test_a_plain_build_makes_nothing_that_only_kubernetes_nodes_need() -> None:
    default, kubernetes = ({tool.name for tool in TABLE.of_set(name)} for name in pins.SETS)
    assert default == PROMISED
    assert kubernetes - default == {"kubelet", "kubeadm", "kube-proxy", "coredns", "pause", "device-plugin", "etcdutl"}
    assert {"etcd", "kube-apiserver", "kubectl", "vc-scheduler"} <= default & kubernetes


def test_a_set_nobody_builds_is_refused(tmp_path: Path) -> None:
    text = '[go]\nminimum = "1.26"\n[family.x]\ntitle = "x"\ndisk_gib = 1\n[tool.y]\nfamily = "x"\nsets = ["cluster"]\n'
    (tmp_path / "versions.toml").write_text(f'{text}version = "1"\nask = []\nanswer = ""\nsource = "s"\nwhy = "w"\n')
    with pytest.raises(RacewayError, match=r"tool\.y: sets: cluster; allowed: default, kubernetes"):
        pins.load(tmp_path)


def test_a_misspelt_name_gets_the_nearest_known_one() -> None:
    with pytest.raises(RacewayError, match="did you mean kubectl"):
        TABLE.tool("kubctl")


def test_a_missing_table_says_which_file_and_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match=r"versions\.toml: no such file.*RACEWAY_TOOLS"):
        pins.load(tmp_path)


def test_a_table_without_a_needed_key_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "versions.toml").write_text('[go]\nminimum = "1.26"\n[family.x]\ntitle = "x"\n[tool.y]\nfamily = "x"\n')
    with pytest.raises(RacewayError, match="disk_gib"):
        pins.load(tmp_path)


def test_a_table_that_is_no_toml_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "versions.toml").write_text("[go\n")
    with pytest.raises(RacewayError, match="line 1"):
        pins.load(tmp_path)
