"""What a sizer asks again is what the estimators would make anew, and what the memory criterion compared."""

import pytest
from report.sized import NAMES, asked, decision, estimators, tops

from fiche.estimators import load_items
from fiche.evaluate.whatif import what_if
from fiche.kernel import trace
from fiche.kernel.address import Span
from fiche.kernel.fact import Fact
from fiche.kernel.figure import bounds
from fiche.kernel.record import replace

HERE = Span(file="test", line=1, column=1)


def anew(workload, key, name):
    paths = [f"formats.{key}"]
    if key == "storage" and "formats.loaded" in workload.facts:
        paths.append("formats.loaded")
    facts = {path: Fact(value=name, address=HERE) for path in paths}
    return replace(workload, facts={**workload.facts, **facts})


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_what_a_fiche_that_states_it_would(name):
    """No number of a format is approximate: the load made anew has the same bounds, item by item."""
    made = decision(name)
    owners = {c.id: c.workload for c in made.fiche.candidates} | {"": made.fiche.workload}
    for offer in asked(name).offered:
        other = anew(owners[offer.owner], offer.key, offer.name)
        cases = {case.id: case for case in other.cases}
        for load in made.loads:
            if load.owner != offer.owner:
                continue
            told = load_items(other, cases.get(load.case), estimators())
            here = [trace.reevaluate(item.node, offer.changed) for item in load.items]
            assert [bounds(node) for node in here] == [bounds(item.node) for item in told], offer


def test_formats_that_change_a_formula_are_not_offered():
    """vLLM keeps scales beside an int8 cache: its cells are no longer bits times values."""
    keys = {(offer.key, offer.name) for offer in asked("throughput").offered}
    assert ("cache", "fp8_e4m3") in keys
    assert ("cache", "int8") not in keys


def test_the_format_of_the_fiche_is_no_choice():
    """It is what every other one is compared with."""
    assert all(o.name != "bf16" for o in asked("serving").offered)


def test_bits_that_are_stated_are_a_number_and_no_format():
    """The guide's fiche says 16 bits and names no format: they are changed as any number is."""
    assert {offer.key for offer in asked("guide").offered} == {"cache"}


@pytest.mark.parametrize("name", NAMES)
def test_rooms_are_those_of_the_memory_criterion(name):
    """Floor, sum with margins and capacities: what was judged, and what a second reading supposed."""
    rooms = {(r.candidate, r.case, r.device): r for r in asked(name).rooms}
    musts = [f for f in decision(name).findings if f.kind == "memory" and f.level == "must"]
    assert len(rooms) == len(musts)
    for found in musts:
        room, seen = rooms[found.candidate, found.case, found.device], found.comparison
        if seen.need_low is not None:
            assert bounds(room.least) == bounds(seen.need_low)
        for side in ("have_low", "have_high"):
            held = getattr(seen, side)
            firm = held if held is not None and trace.firm(held) else None
            assert getattr(room, side) is firm


def test_a_second_reading_rests_on_the_same_sum():
    """Where arithmetic is let in, what it needs at most is the room's own sum with the margins."""
    told = [
        f for f in decision("serving").findings if f.kind == "memory" and f.supposed is not None
    ]
    rooms = {(r.candidate, r.case, r.device): r for r in asked("serving").rooms}
    assert told
    for found in told:
        room = rooms[found.candidate, found.case, found.device]
        assert bounds(room.most) == bounds(found.supposed.need_high)


def test_what_is_unknown_keeps_its_sum_open_until_it_is_told():
    """The envelope leaves it out; the sum of all items closes with it."""
    whole = asked("guide").sums["", ""]
    assert whole.high is None
    envelope = asked("guide").envelopes["", ""]
    assert envelope.high is not None
    assert [node.id for node in tops("guide", "", "")][-2] == envelope.id


def test_too_large_a_load_has_no_formats_and_all_its_numbers():
    """Making it anew takes longer than a page may."""
    assert asked("latent-cache").offered == ()
    assert asked("latent-cache").envelopes


def test_it_changes_nothing_of_the_decision():
    """A what-if is asked of a decision; the decision never hears of it."""
    before = decision("serving")
    figures = {name: bounds(node) for name, node in before.figures.items()}
    what_if(before, estimators())
    assert {name: bounds(node) for name, node in before.figures.items()} == figures
