"""The memory line of Stable Diffusion web UI (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, MIB, bounds, read, refusal, seen

from fiche.importers.sd_webui_log import MEMBER

LINE = "Torch active/reserved: 3457/3576 MiB, Sys VRAM: 4096/4096 MiB (100.0%)"
PASTED = f"Time taken: 1m 20.61s{LINE}\n"
MARKED = f"<p class='vram'>{LINE.replace('Sys', '<wbr>Sys')}</p>\n"
FIGURES = [
    ("active_bytes", "peak", "3457"),
    ("reserved_bytes", "peak", "3576"),
    ("device_used", "sampled_max", "4096"),
    ("device.total_memory", "total", "4096"),
]


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
@pytest.mark.parametrize("text", [LINE + "\n", PASTED, MARKED])
def test_the_line_however_it_was_copied(text, damage):
    assert seen(read(MEMBER, damage(text))) == FIGURES


def test_figures_are_rounded_up_to_mebibytes():
    low, high = bounds(read(MEMBER, PASTED).observations[0])
    assert low <= 3456 * MIB + 1
    assert high >= 3457 * MIB


def test_only_the_tools_own_figure_is_of_the_device():
    scopes = {o.counter: o.scope for o in read(MEMBER, PASTED).observations}
    assert scopes["reserved_bytes"] == "process_allocator"
    assert scopes["device_used"] == "device"


def test_a_log_without_the_line():
    assert refusal(MEMBER, "Time taken: 3.2s\n") == "F424"
