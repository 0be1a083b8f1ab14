"""Plans kernel modules: listed for the boot, their options on disk, loaded now.

A built-in module counts as loaded. It deliberately never unloads to change options: a loaded module that
has other options is a reason for a reboot, told and not hidden.
"""

from __future__ import annotations

from typing import List, Optional, Tuple, Union

from ..facts.module import ABSENT, AVAILABLE, BUILTIN, INSIDE, LOADED, ModprobeLine, ModuleFacts, ModuleState
from ..model.module import OUT_OF_TREE, ModuleDesired, WantedModule, option_values, same_value
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Reboot, Refusal, Step, join, sort
from .dropin import plan_file, render

# Which package holds the modules that the small kernel package leaves out.
MODULE_PACKAGES = {
    "ubuntu": "linux-modules-extra-{kernel}",
    "debian": "linux-image-amd64 or -arm64 instead of the -cloud kernel (this is {kernel})",
    "rhel": "kernel-modules-extra-{kernel}",
    "rocky": "kernel-modules-extra-{kernel}",
    "almalinux": "kernel-modules-extra-{kernel}",
    "centos": "kernel-modules-extra-{kernel}",
}
OVERRIDES = "/etc/modprobe.d"
_Outcome = Union[Step, Noop, Refusal, Reboot]


def plan(desired: ModuleDesired, facts: ModuleFacts) -> Plan:
    """Return what makes the declared modules be there now and after the next boot."""
    if desired.platform == "container":
        wanted: Tuple[WantedModule, ...] = ()
        found: List[_Outcome] = [_in_container(module, facts) for module in desired.modules]
    else:
        wanted = desired.modules
        found = [outcome for module in wanted for outcome in _module(module, desired, facts)]
    refused = {outcome.target for outcome in found if isinstance(outcome, Refusal)}
    kept = [module for module in wanted if module.name not in refused]
    load = render("kernel", [line for module in kept if _listed(module, facts) for line in _lines(module)])
    options = [f"options {module.name} {module.options}" for module in kept if module.options]
    return join(
        [
            plan_file(
                desired.options_file,
                render("kernel", options),
                facts.options_file,
                "modules must come up with the declared options",
            ),
            plan_file(desired.load_file, load, facts.load_file, "modules must be there before the settings they bring"),
            sort(found),
            sort([_given_up(name, facts) for name in sorted(facts.owned) if name not in _names(desired)]),
        ]
    )


def _names(desired: ModuleDesired) -> Tuple[str, ...]:
    return tuple(module.name for module in desired.modules)


def _in_container(module: WantedModule, facts: ModuleFacts) -> Noop:
    there = _state(module.name, facts).state in (LOADED, BUILTIN, INSIDE)
    seen = "it is there" if there else "it is not there now"
    return Noop(module.name, f"modules belong to the machine this container runs on; {seen}")


def _module(module: WantedModule, desired: ModuleDesired, facts: ModuleFacts) -> List[_Outcome]:
    state = _state(module.name, facts)
    refusal = _impossible(module, state, facts) or _overruled(module, desired, facts)
    if refusal:
        return [refusal]
    if state.state == AVAILABLE:
        asked = ", ".join(module.asked_by) or "kernel_modules"
        why = f"asked for by {asked}" + (f": {module.why}" if module.why else "")
        args = {"name": module.name}
        undo = f"modprobe -r {module.name} (if nothing uses it), else the next reboot"
        return [Step("module", module.name, f"load {module.name}", why, SAFE, undo, "absent", "loaded", args)]
    there = "is loaded" if state.state == LOADED else "is built into this kernel"
    return [Noop(module.name, there), *_options(module, state)]


def _impossible(module: WantedModule, state: ModuleState, facts: ModuleFacts) -> Optional[Refusal]:
    if state.state == ABSENT:
        return _absent(module.name, facts)
    if state.state in (BUILTIN, INSIDE):
        wrong = _differing(module, state)
        if wrong:
            words = " ".join(f"{module.name}.{word}" for word in module.options.split())
            reason = f"it is built into this kernel, modprobe.d does not reach it: {', '.join(wrong)}"
            return Refusal(module.name, reason, f"declare {words} in kernel_cmdline")
        return None
    return _blocked(module.name, state, facts)


def _absent(name: str, facts: ModuleFacts) -> Refusal:
    if name in OUT_OF_TREE:
        return Refusal(name, f"kernel {facts.kernel} has no such module", f"install {OUT_OF_TREE[name]} first")
    if facts.kernel and not facts.has_folder:
        return Refusal(
            name,
            f"there is no /lib/modules/{facts.kernel}: the running kernel's package was replaced or brings no modules",
            "reboot into the installed kernel, or use a kernel that has the module",
        )
    package = MODULE_PACKAGES.get(facts.distribution, "the package with this kernel's extra modules")
    return Refusal(
        name,
        f"kernel {facts.kernel} has no such module, neither built in nor as a file",
        f"check the spelling, or install {package.format(kernel=facts.kernel)}",
    )


def _blocked(name: str, state: ModuleState, facts: ModuleFacts) -> Optional[Refusal]:
    """Return a refusal where something would keep the module away at boot, or now if it is not loaded yet."""
    line = next((row for row in facts.held_back if row.module == name), None)
    if line is None:
        return None
    loaded = "; it is loaded now, after a reboot it would be missing" if state.state == LOADED else ""
    reason = f"{_place(line)} keeps it from being loaded{loaded}"
    return Refusal(name, reason, f"remove that, or {name} from kernel_modules")


def _overruled(module: WantedModule, desired: ModuleDesired, facts: ModuleFacts) -> Optional[Refusal]:
    """Return a refusal where a file that modprobe reads after ours gives a declared parameter another value.

    systemd's own ``options dummy numdummies=0`` is such a line: raceway.conf comes before systemd.conf.
    """
    wanted, ours = option_values(module.options), desired.options_file.rsplit("/", 1)[1]
    for row in facts.options:
        if row.module != module.name or row.file.rsplit("/", 1)[1] <= ours:
            continue
        other = option_values(row.options)
        for key, value in wanted.items():
            if key in other and not same_value(value, other[key]):
                reason = f"{row.file}:{row.line} gives {key}={other[key]} and is read after {desired.options_file}"
                act = f"remove that line, or hide the file by one of the same name in {OVERRIDES}"
                return Refusal(module.name, f"{reason}, so {key}={value} would not last", act)
    return None


def _place(line: ModprobeLine) -> str:
    if line.file == "/proc/cmdline":
        return f"{line.command} on the kernel command line"
    return f"{line.file}:{line.line} ({line.command})"


def _options(module: WantedModule, state: ModuleState) -> List[_Outcome]:
    if not module.options or state.state != LOADED:
        return []
    wrong = _differing(module, state)
    if wrong:
        return [Reboot(module.name, f"it was loaded with other options: {', '.join(wrong)}")]
    hidden = [key for key in option_values(module.options) if key not in state.parameters]
    if hidden:
        return [Noop(module.name, f"the kernel does not show {', '.join(hidden)}: in force from the next load on")]
    return []


def _differing(module: WantedModule, state: ModuleState) -> List[str]:
    wanted = option_values(module.options)
    shown = state.parameters
    rows = [(key, value) for key, value in wanted.items() if key in shown and not same_value(value, shown[key])]
    return [f"{key} is {shown[key]}, declared {value}" for key, value in rows]


def _listed(module: WantedModule, facts: ModuleFacts) -> bool:
    # systemd-modules-load fails as a unit over a name that no list knows, so such a built-in one is left out.
    return _state(module.name, facts).state != INSIDE


def _given_up(name: str, facts: ModuleFacts) -> Step:
    """Unload, or leave to the next boot, which no longer loads it.

    A used one is forgotten at once: often it is what the same run gives back (a qdisc, a congestion control) that uses
    it, and the next reading would find it unused and plan again what this one could not do.
    """
    state = _state(name, facts)
    args = {"name": name}
    why = "it is no longer declared and raceway had loaded it"
    if state.state != LOADED:
        what = f"forget {name}: it is no longer loaded"
        return Step("module_forget", name, what, why, SAFE, f"declare {name} again", "", "", args)
    if state.refcount > 0 or state.holders:
        users = ", ".join(state.holders) or f"{state.refcount} users"
        what = f"forget {name}: in use by {users}, it stays until the next reboot"
        return Step("module_forget", name, what, why, SAFE, f"declare {name} again", "loaded", "", args)
    undo = f"modprobe {name}"
    return Step("module_unload", name, f"unload {name}", why, DISRUPTIVE, undo, "loaded", "absent", args)


def _state(name: str, facts: ModuleFacts) -> ModuleState:
    return facts.states.get(name, ModuleState())


def _lines(module: WantedModule) -> List[str]:
    asked = ", ".join(module.asked_by)
    return [*([f"# asked for by {asked}"] if asked else []), module.name]
