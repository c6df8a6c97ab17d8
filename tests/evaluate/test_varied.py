"""One load at other values of a dimension: what a new workload would give (D6)."""

from hypothesis import given
from hypothesis import strategies as st
from workloads import LLAMA, case, reserve, stated, workload

from fiche.estimators import envelope, firm_floor, load_items
from fiche.evaluate.varied import varied
from fiche.kernel.doors import Estimator
from fiche.kernel.record import replace
from fiche.registry import members

ESTIMATORS = members("fiche.estimators", Estimator)
LIMIT = case("limit", prompt_tokens=7900, new_tokens=292, resident_sequences=4)


@given(st.integers(292, 10**6))
def test_it_is_the_load_of_that_value(context):
    load = workload(LIMIT, reserve=[reserve("context", 2**30)], **LLAMA)
    point = varied(load, LIMIT, ESTIMATORS, "limit.prompt_tokens", beside=292).at(context)
    told = {**LIMIT.dimensions, "prompt_tokens": stated("limit.prompt_tokens", context - 292)}
    other = replace(LIMIT, dimensions=told)
    items = load_items(replace(load, cases=(other,)), other, ESTIMATORS)
    assert point.items == tuple((i.node.id, (i.node.low, i.node.high)) for i in items)
    assert point.floor[0] == firm_floor(items).low
    assert point.envelope[0] == envelope(load, other, items).low


def test_without_a_leaf_it_is_the_load_as_told():
    load = workload(LIMIT, **LLAMA)
    ready = varied(load, LIMIT, ESTIMATORS, "")
    assert not ready.moves
    assert ready.at(0).floor[0] == firm_floor(load_items(load, LIMIT, ESTIMATORS)).low > 0
