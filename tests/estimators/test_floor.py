"""What must be in memory together, as far as it is firm (DESIGN 4)."""

from hypothesis import given
from hypothesis import strategies as st
from workloads import reserve, stated

from fiche.estimators import firm_floor
from fiche.estimators._floor import firm_part
from fiche.estimators._reading import missing
from fiche.kernel.comparison import LoadItem
from fiche.kernel.figure import ceil, either, larger, smaller, total
from fiche.kernel.trace import firm
from fiche.kernel.unit import BYTE

UNKNOWN = missing("embedding", BYTE, "weights", "say it")
GUESS = reserve("guess", 70)


def known(value):
    return stated(f"known{value}", value, BYTE)


def item(node, *, resident=True):
    return LoadItem(name="item", node=node, resident=resident)


def test_a_sum_is_at_least_its_firm_summands():
    """Linear layers whose format is told exclude, though the embedding's is not."""
    weights = ceil(total([known(40), UNKNOWN, known(2), GUESS]))
    found = firm_floor([item(weights), item(known(5)), item(known(9), resident=False)])
    assert (found.low, found.high, firm(found)) == (47, 47, True)


def test_a_hull_is_at_least_its_smaller_side():
    assert firm_part(either(known(40), total([known(30), UNKNOWN]), "untold")).low == 30
    assert firm_part(either(known(40), UNKNOWN, "untold")) is None
    assert firm_part(larger(known(40), UNKNOWN)).low == 40
    assert firm_part(smaller(known(40), GUESS)) is None
    assert firm_part(UNKNOWN * 2) is None


def test_nothing_firm_is_no_floor():
    assert firm_floor([item(UNKNOWN), item(GUESS)]) is None
    assert firm_floor([]) is None


NODES = st.recursive(
    st.one_of(st.integers(0, 99).map(known), st.just(UNKNOWN), st.just(GUESS)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(total),
        st.tuples(inner, inner).map(lambda pair: larger(*pair)),
        st.tuples(inner, inner).map(lambda pair: smaller(*pair)),
        st.tuples(inner, inner).map(lambda pair: either(*pair, "untold")),
        inner.map(ceil),
    ),
    max_leaves=12,
)


@given(NODES)
def test_a_firm_part_is_firm_and_never_more_than_the_whole(node):
    part = firm_part(node)
    if part is None:
        return
    assert firm(part)
    assert part.low <= (node.low if node.high is None else node.high)
