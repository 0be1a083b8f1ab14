"""The list of installed packages names plugins and direct dependencies, and travels to other interpreters."""

from __future__ import annotations

import inspect

from pulumi.runtime.proto import language_pb2

from raceway.tools.langhost import environment


def test_the_kubernetes_plugin_is_found_in_the_running_environment() -> None:
    rows = {str(row["name"]).replace("-", "_"): row for row in environment.installed(language_pb2.ProgramInfo())}
    plugin = rows["pulumi_kubernetes"]["plugin"]
    assert plugin["resource"] is True and plugin["name"] == "kubernetes"
    assert rows["PyYAML"]["plugin"] is None


def test_what_another_package_requires_is_not_a_direct_dependency() -> None:
    rows = {str(row["name"]): row for row in environment.inventory()}
    assert rows["grpcio"]["direct"] is False  # the SDK requires it


def test_the_sent_source_stands_alone() -> None:
    source = inspect.getsource(environment.inventory)
    space: dict[str, object] = {}
    exec(compile("from __future__ import annotations\n" + source, "sent", "exec"), space)
    assert space["inventory"]() == environment.inventory()  # type: ignore[operator]
