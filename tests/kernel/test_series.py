"""Several observations of one run are grouped, repeats are counted once, differing ones are shown."""

from fiche.kernel.address import Pointer
from fiche.kernel.piece import Observation
from fiche.kernel.record import replace
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.series import series, told


def seen(value, line=1, counter="reserved_bytes", **more):
    return Observation(
        counter=counter,
        scope="process_allocator",
        stat="peak",
        kind_of_origin="measured",
        pointer=Pointer(sha256="ab" * 32, line=line),
        value=exact_bytes(value),
        **more,
    )


def named(readings):
    return [(f"p/reading.{place}", each) for place, each in enumerate(readings, 1)]


def grouped(*readings):
    return series(named(readings))


def steps(values, **more):
    return [seen(v, n, marks={"step": n}, **more) for n, v in enumerate(values, 1)]


def values(rows):
    return [row.seen.value.value for row in rows]


def test_steps_of_one_counter_are_one_series_with_its_largest():
    (one,) = grouped(*steps((3, 9, 5)))
    assert [each.value.value for _, each in one.readings] == [3, 9, 5]
    assert one.extreme[0] == "p/reading.2"
    assert (one.count, one.lines, one.constant) == (3, (1, 1, 1), False)
    assert values(told(named(steps((3, 9, 5))), 40)) == [3, 9, 5]


def test_a_line_that_two_handlers_print_counts_once():
    readings = [seen(3, 1, label="after init"), seen(3, 2, label="after init"), seen(4, 3)]
    (one,) = grouped(*readings)
    assert (len(one.readings), one.lines, one.constant) == (2, (2, 1), False)
    assert [row.repeats for row in told(named(readings), 40)] == [1, 0]


def test_equal_figures_of_two_steps_are_two_readings():
    (one,) = grouped(*steps((3, 3)))
    assert (len(one.readings), one.lines, one.constant) == (2, (1, 1), True)


def test_of_a_long_series_the_extreme_stands_for_all():
    (row,) = told(named(steps(range(9))), 40)
    assert (row.seen.value.value, row.alone, row.series.count) == (8, False, 9)


def test_readings_that_the_file_holds_and_nobody_lists_are_counted():
    last = seen(1, 9, marks={"step": 9, "left_out": 5_000})
    (row,) = told(named([*steps((3, 9, 5)), last]), 40)
    assert (row.seen.value.value, row.series.count, row.alone) == (9, 5_004, False)


def test_of_free_memory_the_smallest_reading_is_told_of_a_long_series():
    readings = [replace(each, stat="free") for each in steps(range(9, 1, -1))]
    (row,) = told(named(readings), 40)
    assert row.seen.value.value == 2


def test_a_missing_figure_is_never_the_extreme():
    readings = [replace(each, stat="free") for each in steps(range(9, 1, -1))]
    (row,) = told(named([replace(readings[0], value=None), *readings]), 40)
    assert row.seen.value.value == 2


def test_many_series_are_shown_by_their_extremes_then_over_all_ranks():
    readings = [each for rank in range(8) for each in steps((3, 9 + rank, 5), rank=rank)]
    assert len(told(named(readings), 40)) == 24
    assert values(told(named(readings), 10)) == [9, 10, 11, 12, 13, 14, 15, 16]
    (row,) = told(named(readings), 5)
    assert (row.seen.value.value, row.series.members, row.series.count) == (16, 8, 24)


def test_no_counter_is_left_out_however_few_rows_there_may_be():
    readings = [seen(1, counter=f"counter {n}") for n in range(9)]
    assert len(told(named(readings), 2)) == 9


def test_ranks_devices_slices_and_processes_are_apart():
    found = grouped(
        seen(3, rank=0),
        seen(3, rank=1),
        seen(3, device_index=1),
        seen(3, marks={"mig": {"gi": 3}}),
        seen(3, marks={"pid": 7}),
        seen(3, counter="allocated_bytes"),
        seen(3, window="trace"),
    )
    assert len(found) == 7
