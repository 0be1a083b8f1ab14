"""Output of ``nvidia-smi nvlink -s``."""

from __future__ import annotations

from raceway.facts.nvidia_nvlink import NvLink, NvLinks, parse

from ..builders import CASES


def _read(name: str) -> NvLinks:
    return parse((CASES / "nvidia_nvlink" / f"{name}.txt").read_text(encoding="utf-8"))


def test_links_have_a_speed_and_inactive_ones_have_none() -> None:
    first, second = _read("normal").gpus
    assert first.links[0] == NvLink(0, True, 26.562) and first.links[4] == NvLink(4, False, None)
    assert (first.name, first.active, second.index, second.active) == ("NVIDIA H100 PCIe", 6, 1, 6)
    assert second.uuid.endswith("1") and _read("normal").problem == ""


def test_a_comma_in_a_number_is_a_point() -> None:
    assert _read("localised") == _read("normal")


def test_an_older_driver_without_identifiers_is_read() -> None:
    (gpu,) = _read("older").gpus
    assert (gpu.name, gpu.uuid, gpu.active) == ("Tesla V100-SXM2-32GB", "", 2)


def test_a_speed_of_zero_is_not_active() -> None:
    (gpu,) = parse("GPU 0: A\n\t Link 0: 0 GB/s\n").gpus
    assert gpu.links == (NvLink(0, False, None),)


def test_a_speed_that_is_cut_off_is_unknown() -> None:
    found = _read("truncated")
    assert found.gpus[1].links == () and found.problem == "cut off: in 'Link 0: 26.5'; cut off: links of GPU 1"
    odd = parse("GPU 0: A\n\t Link 0: 26.5\n")
    assert odd.gpus[0].links == (NvLink(0, None, None),) and odd.problem == "cut off: GPU 0 link 0"


def test_an_error_names_the_gpu_it_stands_under() -> None:
    assert _read("error").problem == "Unable to retrieve NVLink information as all links are inActive (GPU 0)"
    assert _read("empty").problem == "printed nothing"
    assert parse("hello").problem == "this is no output of nvidia-smi nvlink -s: hello"
