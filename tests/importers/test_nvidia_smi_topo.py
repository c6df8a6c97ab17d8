"""`nvidia-smi topo -m`: links and NUMA nodes, as printed and as pasted (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, reader

from fiche.importers.nvidia_smi_topo import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)

TABBED = (
    "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV18\tPIX\t0-23,96-119\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tSYS\t24-47\t1\t\tN/A\n"
    "NIC0\tPIX\tSYS\t X \t\t\t\t\n\nLegend:\n\n  X    = Self\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n  NIC0: mlx5_0\n"
)
PASTED = """\
        GPU0    GPU1    GPU2    GPU3    mlx4_0  CPU Affinity
GPU0     X      PIX     PHB     SYS     PHB     0-9,20-29
GPU1    PIX      X      PHB     SYS     PHB     0-9,20-29
GPU2    PHB     PHB      X      SYS     PHB     0-9,20-29
GPU3    SYS     SYS     SYS      X      SYS     10-19,30-39
mlx4_0  PHB     PHB     PHB     SYS      X
"""


def test_as_printed_with_an_underlined_heading():
    reading = read(TABBED)
    assert reading.further["links"] == [[0, 1, "NV18"]]
    assert reading.further["numa"] == {"0": "0", "1": "1"}
    assert reading.further["network"] == [[0, "NIC0", "PIX"], [1, "NIC0", "SYS"]]
    assert reading.further["network_cards"] == {"NIC0": "mlx5_0"}
    assert reading.observations == ()
    assert reading.capacities == ()


def test_facts_for_an_interconnect_and_no_bandwidth():
    reading = read(TABBED)
    assert facts(reading) == {"links.0-1": "NV18", "interconnect": "NVLink"}
    assert reading.counters == {"gpus": 2, "pairs_joined_by_nvlink": 1}
    assert "bandwidth is not" in reading.warnings[0]


def test_pasted_with_blanks_and_an_old_heading():
    reading = read(PASTED)
    assert reading.further["links"] == [
        [0, 1, "PIX"],
        [0, 2, "PHB"],
        [0, 3, "SYS"],
        [1, 2, "PHB"],
        [1, 3, "SYS"],
        [2, 3, "SYS"],
    ]
    assert reading.further["numa"] == {}
    assert facts(reading)["interconnect"] == "PCIe"


def test_ways_that_differ_are_no_interconnect_of_the_machine():
    mixed = PASTED.replace("PIX", "NV12")
    assert "interconnect" not in facts(read(mixed))
    assert facts(read(mixed))["links.0-1"] == "NV12"


def test_pasted_with_blanks_and_numa_nodes():
    text = TABBED.replace("\x1b[4m", "").replace("\x1b[0m", "").expandtabs(8)
    assert read(text).further["numa"] == {"0": "0", "1": "1"}
    assert read(text).further["links"] == [[0, 1, "NV18"]]


def test_an_empty_affinity_stays_empty():
    reading = read(
        "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
        "GPU0\t X \tSYS\t\t\t\tN/A\nGPU1\tSYS\t X \t\t\t\tN/A\n"
    )
    assert reading.further["numa"] == {}
    assert reading.further["links"] == [[0, 1, "SYS"]]


def test_one_gpu_has_no_links():
    reading = read("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t0-7\t0\t\tN/A\n")
    assert reading.further["links"] == []
    assert reading.further["numa"] == {"0": "0"}


def test_a_matrix_that_breaks_off_or_contradicts_itself():
    with pytest.raises(Refused, match=r"F429.*no row of GPU2"):
        read("".join(PASTED.splitlines(keepends=True)[:3]))
    with pytest.raises(Refused, match=r"F429.*the other way round"):
        read(PASTED.replace("GPU3    SYS", "GPU3    NODE"))


def test_damage_on_the_way():
    whole = read(TABBED).further["links"]
    assert read(TABBED.replace("\n", "\r\n")).further["links"] == whole
    assert read("step 1\nuses GPU0 now\n" + TABBED).further["links"] == whole


def test_no_matrix():
    with pytest.raises(Refused, match="F424"):
        read("GPU0 is busy\n")
    assert MEMBER.accepts(b"GPU0 is busy\nCPU Affinity\n", "") == 0
    assert MEMBER.accepts(TABBED.encode(), "") == 90


@given(st.integers(0, len(PASTED) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, PASTED[:at] + put + PASTED[at + cut :])
