"""Readings of pieces as figures: never zero for what was not printed (C2, C13)."""

from render import decisions
from render.decisions import pointer
from render.pages import decision

from fiche.kernel.figure import Figure
from fiche.kernel.piece import Observation, Printed
from fiche.kernel.readings import capacities, failures, observations, observed
from fiche.kernel.record import replace

PIECES = {piece.id: piece for piece in decision("rich").fiche.pieces}


def seen(**more):
    told = {
        "counter": "max_memory_reserved",
        "scope": "process_allocator",
        "stat": "peak",
        "kind_of_origin": "measured",
        "pointer": pointer("evidence/oom-3090.log", 2),
    }
    return Observation(**{**told, **more})


def test_a_rounded_reading_is_as_wide_as_its_rounding():
    value = Printed(
        text="1.13 GiB",
        unit_bytes=2**30,
        value=1213328261,
        low=1207959552,
        high=1218696969,
        rounding="nearest-2-digits",
    )
    figure = observed(seen(value=value), "p/r.1")
    assert isinstance(figure, Figure)
    assert (figure.low, figure.high, figure.id) == (1207959552, 1218696969, "p/r.1")
    assert figure.origin.printed == "1.13 GiB"


def test_what_was_not_printed_is_no_figure():
    absent = Printed(
        text="N/A",
        unit_bytes=None,
        value=None,
        low=None,
        high=None,
        rounding="exact",
        unavailable=True,
    )
    assert observed(seen(value=absent), "x") is None
    assert observed(seen(), "x") is None


def test_a_count_keeps_its_unit():
    figure = observed(seen(number=4096, unit="blocks"), "x")
    assert (figure.low, str(figure.unit)) == (4096, "blocks")


def test_every_reading_has_a_name_of_its_own():
    for piece in PIECES.values():
        names = [name for name, _, _ in observations(piece)]
        assert len(names) == len(set(names))
        assert all(name.startswith(f"{piece.id}/") for name in names)
    assert [name for name, _ in capacities(PIECES["run-6000ada"])] == ["run-6000ada/capacity.1"]


def test_a_failure_that_a_run_ended_with_is_told_once_with_its_run():
    (told,) = failures(PIECES["oom-3090"])
    assert (told[0], told[1].id) == ("oom-3090/failure.1", "limit")
    alone = replace(PIECES["oom-3090"], reading=replace(PIECES["oom-3090"].reading, runs=()))
    (told,) = failures(alone)
    assert told[1] is None
    without = replace(PIECES["oom-3090"].reading, failures=())
    (told,) = failures(replace(PIECES["oom-3090"], reading=without))
    assert told[1].id == "limit"


def test_a_place_is_written_as_people_write_it():
    from fiche.kernel.address import Pointer, Span
    from fiche.kernel.places import Places

    places = Places.of(decision("rich").fiche)
    assert places.of_address(Span(file="chat.yaml", line=14, column=12)) == "chat.yaml:14:12"
    assert places.of_address(pointer("evidence/oom-3090.log", 2)) == "oom-3090#line 2"
    path = Pointer(sha256=decisions.digest("evidence/run-4090.json"), path="/phases/0")
    assert places.of_address(path) == "run-4090#/phases/0"
    assert places.of_address(Pointer(sha256="0" * 64, line=3)) == f"sha256:{'0' * 64}#line 3"
    assert places.of_address(None) is None
