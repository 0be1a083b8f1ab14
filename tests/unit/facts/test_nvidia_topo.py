"""Output of ``nvidia-smi topo -m`` (case B03)."""

from __future__ import annotations

from raceway.facts.nvidia_topo import Row, Topology, parse

from ..builders import CASES


def _read(name: str) -> Topology:
    return parse((CASES / "nvidia_topo" / f"{name}.txt").read_text(encoding="utf-8"))


def test_b03_not_available_is_none_in_a_machine_with_one_gpu() -> None:
    assert _read("b03_one_gpu").rows == (Row("GPU0", {}, "0-7", numa=None, numa_text=None, gpu_numa=None),)


def test_b03_each_of_two_gpus_has_its_own_node() -> None:
    first, second = _read("b03_two_gpus").rows
    assert (first.cpus, first.numa) == ("0-7", None) and (second.cpus, second.numa) == ("8-15", 1)
    assert first.paths == {"GPU1": "PHB"} and second.paths == {"GPU0": "PHB"}


def test_b03_rows_of_nics_have_paths_and_no_affinity() -> None:
    nic = _read("normal").row("NIC1")
    assert nic is not None and nic.paths == {"GPU0": "SYS", "GPU1": "PIX", "NIC0": "SYS"}
    assert (nic.cpus, nic.numa) == (None, None)


def test_b03_legend_lines_are_no_rows_and_name_the_nics() -> None:
    found = _read("normal")
    assert [row.name for row in found.rows] == ["GPU0", "GPU1", "NIC0", "NIC1"]
    assert found.nics == {"NIC0": "mlx5_0", "NIC1": "mlx5_10"} and found.problem == ""
    gpu = found.row("GPU0")
    assert gpu is not None and (gpu.paths["NIC0"], gpu.cpus, gpu.numa, gpu.gpu_numa) == ("PIX", "0-55,112-167", 0, None)


def test_a_node_that_is_several_is_kept_as_text() -> None:
    (row,) = parse("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-31\t0-1\n").rows
    assert (row.numa, row.numa_text) == (None, "0-1")


def test_an_older_driver_with_blanks_and_device_names_is_read() -> None:
    found = _read("older")
    gpu = found.row("GPU1")
    assert gpu is not None and gpu.paths == {"GPU0": "NV12", "mlx5_0": "SYS"} and gpu.cpus == "32-63"
    assert gpu.numa is None and found.row("mlx5_0") is not None and found.problem == ""


def test_rows_that_are_cut_off_are_named_and_half_a_path_is_none() -> None:
    found = _read("truncated")
    assert [row.name for row in found.rows] == ["GPU0"]
    assert found.problem == "cut off: in 'GPU1 NV1'; cut off: row GPU1; cut off: row NIC0"
    short = parse("\tGPU0\tGPU1\nGPU0\t X \nGPU1\tNV2\t X \n")
    assert short.problem == "cut off: row GPU0"


def test_errors_and_silence_are_told() -> None:
    assert _read("error").problem == "Failed to initialize NVML: Driver/library version mismatch"
    assert _read("empty").problem == "printed nothing"
    assert parse("hello").problem == "this is no output of nvidia-smi topo -m: hello"
