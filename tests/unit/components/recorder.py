"""Pulumi mocks that keep what was registered, in order. They deliberately invent no outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
from pulumi.runtime import mocks

from raceway.components.objects import provider


class Recorder(mocks.Mocks):
    """Remembers each registration: type token, name, inputs, provider, and whether it is a remote component."""

    def __init__(self) -> None:
        self.made: list[mocks.MockResourceArgs] = []

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        self.made.append(args)
        return f"{args.name}-id", dict(args.inputs)

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        raise AssertionError(f"a component called {args.token}")

    def tokens(self) -> list[str]:
        """Return ``token name`` of each custom resource."""
        return [f"{one.typ} {one.name}" for one in self.made if not one.typ.startswith(("raceway:", "pulumi:"))]

    def inputs(self, name: str) -> dict[str, Any]:
        """Return the inputs of one resource."""
        return next(one.inputs for one in self.made if one.name == name)


def record(program: Callable[[pulumi.ResourceOptions], Any], preview: bool = False) -> Recorder:
    """Run a program against the recorder; its options carry the explicit provider."""
    recorder = Recorder()
    mocks.set_mocks(recorder, project="test", stack="test", preview=preview)

    @pulumi.runtime.test
    def body() -> None:
        program(pulumi.ResourceOptions(provider=provider("cluster", "test")))

    body()
    return recorder
