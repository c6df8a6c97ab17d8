"""Tables of rocm-smi: bytes of --showmeminfo, shares of the concise view, processes (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.rocm_smi_text import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)

TABLE = """\


============================ ROCm System Management Interface ============================
================================= Version of System Component ============================
Driver version: 6.12.12
==========================================================================================
================================== Memory Usage (Bytes) ==================================
GPU[0]\t\t: VRAM Total Memory (B): 206141652992
GPU[0]\t\t: VRAM Total Used Memory (B): 148176044032
GPU[0]\t\t: GTT Total Memory (B): 811748818944
GPU[1]\t\t: VRAM Total Memory (B): 206141652992
GPU[1]\t\t: VRAM Total Used Memory (B): 297795584
GPU[1]\t\t: GPU Memory Allocated (VRAM%): 0
GPU[1]\t\t: Card Series: \t\tAMD Instinct MI300X OAM
==========================================================================================
===================================== KFD Processes ======================================
KFD process information:
PID     PROCESS NAME    GPU(s)  VRAM USED       SDMA USED       CU OCCUPANCY
4242    python3         1       148000000000    0               UNKNOWN
==========================================================================================
================================== End of ROCm SMI Log ===================================
"""
CONCISE = """\
========================================= ROCm System Management Interface ================
=================================================== Concise Info ==========================
Device  [Model : Revision]    Temp        Power     Partitions      SCLK    MCLK    Perf  PwrCap  VRAM%  GPU%
        Name (20 chars)       (Junction)  (Socket)  (Mem, Compute)
===========================================================================================
0       [0x74a1 : 0x00]       35.0°C      133.0W    NPS1, SPX       131Mhz  900Mhz  auto  750.0W   17%   0%
        AMD Instinct MI300X
1       [0x74a1 : 0x00]       37.0°C      131.0W    NPS1, SPX       132Mhz  900Mhz  auto  750.0W    0%   0%
        AMD Instinct MI300X
===========================================================================================
"""


def test_memory_of_each_card():
    reading = read(TABLE)
    assert told(reading) == [
        ("vram.used", "current", 0, "148176044032"),
        ("vram.total", "total", 0, "206141652992"),
        ("vram.used", "current", 1, "297795584"),
        ("vram.total", "total", 1, "206141652992"),
        ("process.vram", "current", None, "148000000000"),
    ]
    assert facts(reading)["driver"] == "6.12.12"
    assert totals(reading)[1] == (1, "206141652992", "AMD Instinct MI300X OAM", None)
    assert reading.observations[0].pointer.line == 9
    assert reading.observations[-1].marks == {"pid": 4242, "process": "python3"}


def test_the_concise_view_has_no_bytes():
    reading = read(CONCISE)
    assert reading.shape == "concise"
    assert reading.observations == ()
    assert [aside.text for aside in reading.not_observed] == [
        "GPU[0] VRAM%: 17%",
        "GPU[1] VRAM%: 0%",
    ]


OLD = """\
========================ROCm System Management Interface========================
================================================================================
GPU  Temp   AvgPwr  SCLK    MCLK    Fan    Perf  PwrCap  VRAM%  GPU%
1    25.0c  10.0W   852Mhz  167Mhz  14.9%  auto  170.0W  N/A    0%
================================================================================
==============================End of ROCm SMI Log ==============================
"""


def test_an_old_concise_view():
    assert [aside.text for aside in read(OLD).not_observed] == ["GPU[1] VRAM%: N/A"]
    assert MEMBER.accepts(OLD.encode(), "") == 92


def test_repeated_tables_are_a_series():
    reading = read(TABLE + TABLE.replace("148176044032", "198176044032"))
    assert told(reading)[0] == ("vram.used", "sampled_max", 0, "198176044032")
    assert "sampled" in keys(reading)


def test_lines_alone():
    text = "".join(f"GPU[0]\t\t: VRAM Total Used Memory (B): {n}\n" for n in (7, 9, 8))
    assert told(read(text)) == [("vram.used", "sampled_max", 0, "9")]


@pytest.mark.parametrize("prefix", ["svc-1  | ", "2026-01-15T03:22:41.1187734Z ", "[rank0]: "])
def test_a_prefix_on_every_line(prefix):
    text = "".join(prefix + line + "\n" for line in TABLE.splitlines())
    assert told(read(text))[:4] == told(read(TABLE))[:4]


def test_damage_on_the_way():
    assert told(read(TABLE.replace("\n", "\r\n"))) == told(read(TABLE))
    assert told(read(TABLE.replace("\t\t", "    "))) == told(read(TABLE))


def test_the_csv_form():
    text = (
        "device,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B),Card Series,Card Model\n"
        "card0,0,21458059264,27856896,Radeon RX 7900 XT,0x744c\n"
    )
    reading = read(text)
    assert told(reading) == [
        ("vram.used", "current", 0, "27856896"),
        ("vram.total", "total", 0, "21458059264"),
    ]
    assert totals(reading) == [(0, "21458059264", "Radeon RX 7900 XT", None)]
    assert MEMBER.accepts(text.encode(), "gpu.csv") == 90


def test_nothing_of_memory_in_it():
    with pytest.raises(Refused, match="F424"):
        read("==== ROCm System Management Interface ====\nGPU[0]\t: GPU ID: 0x731f\n")


def test_accepts():
    assert MEMBER.accepts(TABLE.encode(), "") == 92
    assert MEMBER.accepts(b"x\n" * 40 + TABLE.encode(), "") == 50
    assert MEMBER.accepts(b"GPU[0]\t\t: VRAM Total Memory (B): 1\n", "") == 85
    assert MEMBER.accepts(b"nothing", "") == 0


@given(st.integers(0, len(TABLE) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, TABLE[:at] + put + TABLE[at + cut :])
