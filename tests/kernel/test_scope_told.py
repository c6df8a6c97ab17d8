"""What a piece says of its scope, against what the fiche asks (D3, law 8)."""

from hypothesis import given
from hypothesis import strategies as some
from render.pages import decision

from fiche.kernel.fact import Fact
from fiche.kernel.scope_told import not_covered, sorted_out, told_scope

PATHS = some.sampled_from(("gpu", "machine", "engine.name", "formats.cache", "driver", "python"))
FACTS = some.dictionaries(PATHS, some.sampled_from(("a", "A", "b")))


def facts(told):
    return {path: Fact(value=value, address=None) for path, value in told.items()}


@given(FACTS, FACTS)
def test_every_fact_is_named_or_counted(printed, asked):
    told = sorted_out(facts(printed), facts(asked))
    assert set(told.agreed) | set(told.shown) <= set(printed)
    apart = len({*told.agreed, *told.shown})
    assert told.more + apart >= len(printed) - len(set(told.agreed) & set(told.shown))
    for path in asked.keys() & printed.keys():
        same = asked[path].casefold() == printed[path].casefold()
        assert (path in told.agreed) == same
        assert same or path in told.shown


def test_nothing_is_said_of_a_piece_that_says_nothing():
    made = decision("rich")
    for piece in made.fiche.pieces:
        said = told_scope(piece, made.fiche.workload)
        assert bool(said) == bool(
            piece.typed or piece.reading.facts or any(r.facts for r in piece.reading.runs)
        )


def test_what_is_not_covered_is_named_once():
    made = decision("rich")
    for piece in made.fiche.pieces:
        told = [(one.case, one.fact) for one in not_covered(piece, made.fiche.workload)]
        assert len(told) == len(set(told))
        assert all(bool(case) != bool(fact) for case, fact in told)
