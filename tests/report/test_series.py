from hypothesis import HealthCheck, given, settings
from render.decisions import GIB
from report.drawn import assert_sound, letterings, measured, runs

from fiche.report._capacity_words import plain
from fiche.report.desk import Desk
from fiche.report.parts import Sign, Stroke
from fiche.report.series import pictures

FEW = settings(max_examples=15, suppress_health_check=list(HealthCheck))


def drawn(told):
    return pictures(Desk.of(measured(told)))


def signs(one, shape):
    return [m for m in one.marks if isinstance(m, Sign) and m.shape == shape]


@FEW
@given(runs)
def test_a_picture_is_sound_whatever_was_run(told):
    for one in drawn(told):
        assert_sound(one)


def test_points_are_runs_and_between_them_is_a_guide_that_says_that_it_is_none():
    (one,) = drawn([(1000, 4, 10 * GIB), (2000, 4, 15 * GIB), (4000, 4, 20 * GIB)])
    points = signs(one, "disc")
    assert len(points) == 3
    assert abs((points[2].x - points[1].x) - 2 * (points[1].x - points[0].x)) <= 2
    assert points[0].y > points[1].y > points[2].y
    through = [
        m for m in one.marks if isinstance(m, Stroke) and len(m.points) == 3 and m.kind != "axis"
    ]
    assert [m.kind for m in through] == ["guide"]
    assert "not measured" in [m.text for m in letterings(one)]
    assert "nothing was measured" in plain(one.caption[-1])


def test_a_failed_run_has_a_size_and_no_height():
    """C11: a failure is an observation, never a need."""
    (one,) = drawn([(1000, 4, 10 * GIB), (2000, 4, 15 * GIB), (4000, 4, None)])
    (cross,) = signs(one, "cross")
    assert cross.y < min(point.y for point in signs(one, "disc"))
    top = min(m.points[0][1] for m in one.marks if isinstance(m, Stroke) and m.kind == "grid")
    assert cross.y < top
    assert "A failed run shows no need" in plain(one.caption[-1])


def test_one_size_is_no_series():
    assert drawn([(1000, 4, 10 * GIB)]) == ()
    assert drawn([(1000, 4, 10 * GIB), (1000, 4, 11 * GIB)]) == ()
    assert drawn([(1000, 4, 10 * GIB), (2000, 4, None)]) == ()


def test_other_dimensions_that_differ_are_named():
    (alone,) = drawn([(1000, 4, 10 * GIB), (2000, 4, 15 * GIB)])
    assert "in other dimensions as well" not in plain(alone.caption[-1])
    (both,) = drawn([(1000, 4, 10 * GIB), (2000, 8, 15 * GIB)])
    assert "in other dimensions as well" in plain(both.caption[-1])
