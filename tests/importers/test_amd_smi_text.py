"""`amd-smi` as text: metric and static blocks, monitor rows, the default table (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.amd_smi_text import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
MIB, GIB = 1 << 20, 1 << 30

METRIC = """\
GPU: 0
    USAGE:
        GFX_ACTIVITY: 99 %
        UMC_ACTIVITY: 31 %
    MEM_USAGE:
        TOTAL_VRAM: 196592 MB
        USED_VRAM: 141311 MB
        FREE_VRAM: 55281 MB
        TOTAL_GTT: 774144 MB
        USED_GTT: 21 MB

GPU: 1
    MEM_USAGE:
        TOTAL_VRAM: N/A
        USED_VRAM: N/A
"""
STATIC = """\
GPU: 0
    ASIC:
        MARKET_NAME: AMD Instinct MI300X
    BUS:
        BDF: 0000:05:00.0
    DRIVER:
        NAME: amdgpu
        VERSION: 6.12.12
    VRAM:
        TYPE: HBM3
        SIZE: 196592 MB
"""
MONITOR = """\
GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  MEM_UTIL  VRAM_USED  VRAM_TOTAL   PCIE_BW
  0  248 W     55 °C     48 °C      84 %       1 %     283 MB   196300 MB  N/A Mb/s
  1  247 W     55 °C       N/A       N/A       1 %   39671 MB   196300 MB  12 Mb/s
"""
NEWER = """\
WARNING: User is missing the following required groups: render, video.
GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%   DEC%      VRAM_USAGE
  0  305 W   49 °C   43 °C  2106 MHz   97 %    1 %    N/A    0 %    3.0/191.7 GB
"""
TABLE = """\
+------------------------------------------------------------------------------+
| AMD-SMI 26.2.0+021c61fc      amdgpu version: 6.16.6    ROCm version: 7.1.0   |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:09:00.0    AMD Instinct MI325X | 0 %      49 °C   0          144/1000 W |
|   0       0       3        SPX/NPS1 | 0 %        N/A           283/262128 MB |
+-------------------------------------+----------------------------------------+
+------------------------------------------------------------------------------+
| Processes:                                                                   |
|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
|==============================================================================|
{processes}
+------------------------------------------------------------------------------+
"""
NONE = "|  No running processes found                                                  |"
SOME = "|    0    2266127  python3               2.0 MB    1.9 GB     2.0 GB    N/A     |"


def test_metric_blocks():
    reading = read(METRIC)
    assert told(reading) == [
        ("vram.used", "current", 0, "141311 MB"),
        ("vram.total", "total", 0, "196592 MB"),
        ("vram.free", "free", 0, "55281 MB"),
        ("vram.used", "current", 1, "N/A"),
        ("vram.total", "total", 1, "N/A"),
    ]
    assert reading.observations[0].value.high == 141312 * MIB
    assert {"device_memory_unavailable", "unit_label_is_binary"} <= keys(reading)
    assert len(reading.not_observed) == 1


def test_static_blocks():
    reading = read(STATIC)
    assert totals(reading) == [(0, "196592 MB", "AMD Instinct MI300X", None)]
    assert facts(reading)["driver"] == "6.12.12"
    assert reading.shape == "static"


def test_monitor_rows():
    reading = read(MONITOR)
    assert told(reading) == [
        ("vram.used", "current", 0, "283 MB"),
        ("vram.total", "total", 0, "196300 MB"),
        ("vram.used", "current", 1, "39671 MB"),
        ("vram.total", "total", 1, "196300 MB"),
    ]
    again = read(MONITOR + MONITOR.replace("283 MB", "999 MB"))
    assert told(again)[0] == ("vram.used", "sampled_max", 0, "999 MB")


def test_a_newer_monitor_prints_gib_with_one_decimal():
    used, total = read(NEWER).observations
    assert (used.value.text, total.value.text) == ("3.0 GB", "191.7 GB")
    assert used.value.rounding == "nearest-1-digits"
    assert used.value.value == 3 * GIB


def test_the_default_table():
    reading = read(TABLE.format(processes=NONE))
    assert told(reading) == [
        ("vram.used", "current", 0, "283 MB"),
        ("vram.total", "total", 0, "262128 MB"),
    ]
    assert totals(reading) == [(0, "262128 MB", "AMD Instinct MI325X", (0, 284 * MIB))]
    assert facts(reading)["driver"] == "6.16.6"


def test_processes_of_the_default_table():
    reading = read(TABLE.format(processes=SOME))
    assert told(reading)[-1] == ("process.vram", "current", 0, "1.9 GB")
    assert reading.observations[-1].marks == {"pid": 2266127, "process": "python3"}
    assert totals(reading)[0][3] is None


@pytest.mark.parametrize("text", [METRIC, MONITOR, TABLE.format(processes=SOME)])
def test_damage_on_the_way(text):
    assert told(read(text.replace("\n", "\r\n"))) == told(read(text))
    assert told(read(text.replace("MB", "\x1b[1mMB\x1b[0m"))) == told(read(text))


def test_nothing_of_memory_in_it():
    with pytest.raises(Refused, match="F424"):
        read("GPU: 0\n    POWER:\n        SOCKET_POWER: 20 W\n")


def test_accepts():
    for text in (METRIC, STATIC, MONITOR, NEWER, TABLE.format(processes=NONE)):
        assert MEMBER.accepts(text.encode(), "") == 90
    assert MEMBER.accepts(b"GPU: 0 is used\n", "") == 0


WHOLE = METRIC + MONITOR + TABLE.format(processes=SOME)


@given(st.integers(0, len(WHOLE) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, WHOLE[:at] + put + WHOLE[at + cut :])
