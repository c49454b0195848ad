"""The facts of machines that are not here, described by files."""

from __future__ import annotations

from pathlib import Path

import pytest

from treebench.measure.disturbances import disturbances
from treebench.measure.hardware import Cache, Hardware, cpu_list_length, hardware

CPU = "sys/devices/system/cpu"
SERVER = {
    "proc/cpuinfo": (
        "processor\t: 0\nmodel name\t: Some CPU @ 3.00GHz\ncpu MHz\t\t: 1200.5\n"
        "flags\t\t: fpu hypervisor_like\n"
    ),
    f"{CPU}/cpu0/cpufreq/scaling_cur_freq": "2800000",
    f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "3600000",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
    f"{CPU}/intel_pstate/no_turbo": "0",
    f"{CPU}/smt/active": "1",
    f"{CPU}/cpu0/cache/index0/level": "1",
    f"{CPU}/cpu0/cache/index0/type": "Data",
    f"{CPU}/cpu0/cache/index0/size": "48K",
    f"{CPU}/cpu0/cache/index0/shared_cpu_list": "0,32",
    f"{CPU}/cpu0/cache/index3/level": "3",
    f"{CPU}/cpu0/cache/index3/type": "Unified",
    f"{CPU}/cpu0/cache/index3/size": "30M",
    f"{CPU}/cpu0/cache/index3/shared_cpu_list": "0-15,32-47",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/node/node0/x": "",
    "sys/devices/system/node/node1/x": "",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
}


def machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def test_a_server_as_its_kernel_tells(tmp_path: Path) -> None:
    assert hardware(machine(tmp_path, SERVER)) == Hardware(
        cpu="Some CPU @ 3.00GHz",
        virtual=False,
        clock_mhz=2800,
        clock_max_mhz=3600,
        clock_source="tsc",
        governor="powersave",
        boost=True,
        smt=True,
        numa_nodes=2,
        caches=(Cache(1, "Data", 48 * 2**10, 2), Cache(3, "Unified", 30 * 2**20, 32)),
        transparent_hugepages="always",
        shm_bytes=None,
        shm_free_bytes=None,
    )


def test_what_a_kernel_does_not_tell_is_unknown_never_zero(tmp_path: Path) -> None:
    known = hardware(tmp_path)
    assert known.caches == ()
    assert known.last_level_bytes is None
    for unknown in (known.cpu, known.clock_mhz, known.smt, known.boost, known.numa_nodes):
        assert unknown is None


def test_without_a_frequency_driver_the_clock_is_that_of_cpuinfo(tmp_path: Path) -> None:
    guest = {"proc/cpuinfo": "cpu MHz\t\t: 2596.1\nflags\t\t: fpu hypervisor sse\n"}
    known = hardware(machine(tmp_path, guest))
    assert (known.clock_mhz, known.clock_max_mhz, known.virtual) == (2596.1, None, True)


@pytest.mark.parametrize(
    ("text", "length"), [("0", 1), ("0-3", 4), ("0,32", 2), ("0-15,32-47", 32), ("", 0)]
)
def test_kernel_lists_of_cpus(text: str, length: int) -> None:
    assert cpu_list_length(text) == length


def test_each_disturbance_of_a_server_comes_with_advice(tmp_path: Path) -> None:
    found = disturbances(hardware(machine(tmp_path, SERVER)), 3.2, quota=1.5)
    assert [each.what for each in found] == [
        "something else is running (load 3.2)",
        "the governor is powersave",
        "the clock may rise while the CPU is cool",
        "cores run two threads each",
        "the cgroup allows 1.5 CPUs",
        "memory lies on 2 NUMA nodes",
        "the kernel hands out huge pages unasked",
    ]
    assert all(each.advice for each in found)


def test_a_quiet_machine_disturbs_nothing(tmp_path: Path) -> None:
    quiet = SERVER | {
        f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
        f"{CPU}/intel_pstate/no_turbo": "1",
        f"{CPU}/smt/active": "0",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    }
    del quiet["sys/devices/system/node/node1/x"]
    assert disturbances(hardware(machine(tmp_path, quiet)), 0.1, quota=2.0) == []
