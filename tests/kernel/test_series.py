"""Several observations of one run are grouped, repeats are counted once, differing ones are shown."""

from fiche.kernel.address import Pointer
from fiche.kernel.piece import Observation
from fiche.kernel.record import replace
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.series import series


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


def grouped(*readings):
    return series((f"p/reading.{place}", each) for place, each in enumerate(readings, 1))


def test_steps_of_one_counter_are_one_series_with_its_largest():
    (one,) = grouped(*(seen(v, n, marks={"step": n}) for n, v in enumerate((3, 9, 5), 1)))
    assert [each.value.value for _, each in one.readings] == [3, 9, 5]
    assert one.extreme[0] == "p/reading.2"
    assert len(one.shown) == 3
    assert (one.repeats, one.constant) == (0, False)


def test_a_line_that_two_handlers_print_counts_once():
    (one,) = grouped(seen(3, 1, label="after init"), seen(3, 2, label="after init"))
    assert (len(one.readings), one.repeats, one.constant) == (1, 1, True)


def test_equal_figures_of_two_steps_are_two_readings():
    (one,) = grouped(seen(3, 1, marks={"step": 1}), seen(3, 2, marks={"step": 2}))
    assert (len(one.readings), one.repeats, one.constant) == (2, 0, True)


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


def test_of_free_memory_the_smallest_reading_is_told_of_a_long_series():
    readings = [
        replace(seen(v, n, marks={"step": n}), stat="free") for n, v in enumerate(range(9, 2, -1))
    ]
    (one,) = grouped(*readings)
    assert [each.value.value for _, each in one.shown] == [3]
