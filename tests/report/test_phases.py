import itertools

from hypothesis import HealthCheck, given, settings
from render.decisions import GIB
from report.drawn import assert_sound, letterings, phased, phases

from fiche.report._capacity_words import plain
from fiche.report.desk import Desk
from fiche.report.parts import Plate, Sign, Stroke
from fiche.report.phases import BOTTOM, MOST_PHASES, pictures

FEW = settings(max_examples=15, suppress_health_check=list(HealthCheck))


def drawn(told):
    return pictures(Desk.of(phased(told)))


TWO = [("model_load", 0, 10 * GIB, 11 * GIB), ("backward", 10 * GIB, 15 * GIB, 20 * GIB)]


@FEW
@given(phases)
def test_a_picture_is_sound_whatever_was_read(told):
    for one in drawn(told):
        assert_sound(one)


def test_both_peaks_stand_apart_and_never_one_on_the_other():
    """C3, C4: two counters, two bars side by side; no height is the sum of two."""
    (one,) = drawn(TWO)
    bars = [m for m in one.marks if isinstance(m, Plate)]
    assert [m.kind for m in bars] == ["allocated", "reserved"] * 2
    assert all(m.y + m.height == BOTTOM for m in bars)
    spans = sorted((m.x, m.x + m.width) for m in bars)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    heights = [m.height for m in bars]
    assert abs(heights[3] - 2 * heights[0]) <= 2


def test_the_level_at_the_start_is_a_line_within_the_bar():
    (one,) = drawn(TWO)
    lines = [m for m in one.marks if isinstance(m, Stroke) and m.kind == "base"]
    assert len(lines) == 1  # the first phase began with nothing
    tops = {m.y for m in one.marks if isinstance(m, Sign)}
    assert all(BOTTOM > line.points[0][1] >= min(tops) for line in lines)


def test_a_peak_that_nobody_read_has_no_bar_and_says_so():
    (one,) = drawn([*TWO, ("export", None, None, 3 * GIB)])
    assert len([m for m in one.marks if isinstance(m, Plate)]) == 5
    assert "export: allocated peak not measured, reserved peak 3.00\xa0GiB" in one.said
    assert drawn(TWO[:1]) == ()


def test_passes_that_read_alike_share_a_place_and_what_has_none_is_counted():
    (one,) = drawn([TWO[0], *[TWO[1]] * 3])
    assert "backward ×3" in [m.text for m in letterings(one)]
    many = [(f"phase {n}", 0, (n + 1) * GIB, (n + 1) * GIB) for n in range(13)]
    (told,) = drawn(many)
    assert len([m for m in told.marks if isinstance(m, Plate)]) == 2 * MOST_PHASES
    assert "3 further phases are not drawn." in plain(told.caption[-1])
