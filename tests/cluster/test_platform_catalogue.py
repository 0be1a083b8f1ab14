"""The scheduler's vocabulary in raceway.cluster.catalogue against the source of the pinned Volcano."""

from __future__ import annotations

import re

import pytest

from raceway.cluster.catalogue import ACTIONS, FLAGS, PLUGINS
from raceway.cluster.webhooks import PATHS
from raceway.components.versions import VOLCANO
from raceway.tools import module_dir

pytestmark = pytest.mark.cluster


def test_plugins_actions_and_flags_are_those_of_the_source() -> None:
    source = module_dir("volcano.sh/volcano")
    names = set()
    for path in (source / "pkg/scheduler/plugins").glob("*/*.go"):
        names |= set(re.findall(r'PluginName\s*=\s*"([a-z-]+)"', path.read_text()))
    options = (source / "pkg/scheduler/conf/scheduler_conf.go").read_text().split("type PluginOption struct")[1]
    folders = {path.name for path in (source / "pkg/scheduler/actions").iterdir() if path.is_dir()}
    assert set(PLUGINS) == names
    assert set(FLAGS) == set(re.findall(r'\*bool `yaml:"(\w+)"`', options))
    assert set(ACTIONS) == folders - {"utils"}


def test_the_source_is_of_the_version_the_components_name() -> None:
    assert VOLCANO in module_dir("volcano.sh/volcano").name


def test_the_webhook_paths_are_those_the_installer_enables() -> None:
    installer = (module_dir("volcano.sh/volcano") / "installer/volcano-development.yaml").read_text()
    (enabled,) = re.findall(r"--enabled-admission=(\S+)", installer)
    assert sorted(enabled.split(",")) == sorted(PATHS)
