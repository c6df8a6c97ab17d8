"""DCGM: Prometheus text of its exporter and tables of `dcgmi dmon` (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.dcgm_metrics import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
MIB = 1 << 20


def metric(name, value, gpu="0", **labels):
    told_labels = {
        "gpu": gpu,
        "UUID": f"GPU-{gpu}",
        "device": f"nvidia{gpu}",
        "modelName": "NVIDIA A100-SXM4-80GB",
        "Hostname": "node7",
        **labels,
    }
    shown = ",".join(f'{key}="{text}"' for key, text in told_labels.items())
    return f"{name}{{{shown}}} {value}\n"


TEXT = (
    "# HELP DCGM_FI_DEV_FB_FREE Framebuffer memory free (in MiB).\n"
    "# TYPE DCGM_FI_DEV_FB_FREE gauge\n"
    + metric("DCGM_FI_DEV_FB_FREE", 42161)
    + metric("DCGM_FI_DEV_FB_USED", 38127, DCGM_FI_DRIVER_VERSION="535.129.03")
    + metric("DCGM_FI_DEV_FB_RESERVED", 893)
    + metric("DCGM_FI_DEV_FB_TOTAL", 81920)
    + metric("DCGM_FI_DEV_MEM_COPY_UTIL", 12)
    + metric("DCGM_FI_DEV_GPU_TEMP", 40)
    + metric("DCGM_FI_DEV_FB_USED", "4", gpu="1")
)


def test_gauges_of_the_frame_buffer():
    reading = read(TEXT)
    assert told(reading) == [
        ("DCGM_FI_DEV_FB_USED", "current", 0, "38127"),
        ("DCGM_FI_DEV_FB_TOTAL", "total", 0, "81920"),
        ("DCGM_FI_DEV_FB_FREE", "free", 0, "42161"),
        ("DCGM_FI_DEV_FB_RESERVED", "reserved", 0, "893"),
        ("DCGM_FI_DEV_FB_USED", "current", 1, "4"),
    ]
    assert reading.observations[0].value.value == 38127 * MIB
    assert totals(reading) == [(0, "81920", "NVIDIA A100-SXM4-80GB", None)]
    assert facts(reading)["driver"] == "535.129.03"
    assert [aside.text for aside in reading.not_observed] == ["DCGM_FI_DEV_MEM_COPY_UTIL"]
    assert "unit_not_printed" in keys(reading)


def test_a_total_is_never_made_of_used_and_free():
    """They fall short of it by the reserve."""
    without = "".join(line for line in TEXT.splitlines(keepends=True) if "FB_TOTAL" not in line)
    assert read(without).capacities == ()


def test_exponents_and_missing_values():
    text = metric("DCGM_FI_DEV_FB_USED", "3.8127e+04") + metric("DCGM_FI_DEV_FB_FREE", "NaN")
    used, free = read(text).observations
    assert used.value.value == 38127 * MIB
    assert free.value.unavailable


def test_a_blank_of_dcgm_is_no_size():
    """DCGM's own word for a missing whole number is 0x7ffffffffffffff0."""
    (seen,) = read(metric("DCGM_FI_DEV_FB_USED", "9223372036854775794")).observations
    assert seen.value.unavailable


def test_slices():
    text = metric("DCGM_FI_DEV_FB_TOTAL", 6144, GPU_I_PROFILE="1g.6gb", GPU_I_ID="3")
    reading = read(text)
    assert reading.observations[0].marks["mig"] == {"gi": 3}
    assert reading.capacities == ()


def test_several_scrapes_are_a_series():
    reading = read(TEXT + TEXT.replace("38127", "70000") + TEXT)
    assert told(reading)[0] == ("DCGM_FI_DEV_FB_USED", "sampled_max", 0, "70000")
    assert reading.further["samples"] == 3


def test_several_hosts():
    reading = read(TEXT + TEXT.replace("node7", "node8"))
    assert "several_hosts" in keys(reading)
    assert reading.further["hosts"] == ["node7", "node8"]


DMON = """\
#Entity   FBTTL   FBFRE   FBUSD   MCUTL
ID
GPU 0     81920   42161   38127   12
GPU 1     81920   N/A     4       0
GPU 0     81920   32161   48127   12
GPU-I 0   9728    9700    10      N/A
"""


def test_a_table_of_dmon():
    reading = read(DMON)
    assert reading.shape == "dmon"
    assert told(reading)[:2] == [
        ("DCGM_FI_DEV_FB_USED", "sampled_max", 0, "48127"),
        ("DCGM_FI_DEV_FB_TOTAL", "total", 0, "81920"),
    ]
    assert [(index, text) for index, text, *_ in totals(reading)] == [(0, "81920"), (1, "81920")]
    assert reading.observations[-1].marks == {"mig": {"entity": 0}}


def test_old_names():
    (seen,) = read('dcgm_fb_used{gpu="0",uuid="GPU-1"} 17\n').observations
    assert seen.value.value == 17 * MIB


@pytest.mark.parametrize("prefix", ["svc-1  | ", "2026-01-15T03:22:41.1187734Z "])
def test_a_prefix_on_every_line(prefix):
    text = "".join(prefix + line + "\n" for line in TEXT.splitlines())
    assert told(read(text)) == told(read(TEXT))


def test_nothing_of_memory_in_it():
    with pytest.raises(Refused, match="F424"):
        read(metric("DCGM_FI_DEV_GPU_TEMP", 40))


def test_accepts():
    assert MEMBER.accepts(TEXT.encode(), "") == 92
    assert MEMBER.accepts(DMON.encode(), "") == 92
    assert MEMBER.accepts(b"up{} 1\n", "") == 0


@given(st.integers(0, len(TEXT + DMON) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    text = TEXT + DMON
    holds_together(read, text[:at] + put + text[at + cut :])
