"""A policy may state how far two machines of one card differ; a print elsewhere then counts (DESIGN 4)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    MIB,
    NEUTRAL,
    STRICT,
    TO_CONFIRM,
    bytes_of,
    candidate,
    capacity,
    finding,
    piece,
    says,
    topics,
    total,
    verdict,
)

from fiche.kernel.record import replace

GPU = "nvidia-rtx-4090-24g"
NEED = 25_000_000_000


def spread(text="200 MiB", policy=NEUTRAL):
    amount = bytes_of(text).named("policy.machine_spread", "seen over nine machines")
    return replace(policy, machine_spread=amount)


def elsewhere(value="24081 MiB", id="elsewhere", gpu=GPU):
    return piece(id, machine="another-node", gpu=gpu, totals=[total(value)])


def test_without_a_spread_another_machine_s_print_says_nothing():
    assert verdict(capacity(NEED), [elsewhere()]) is TO_CONFIRM


def test_with_one_it_counts_less_the_spread_and_the_verdict_names_the_policy():
    found = finding(capacity(NEED), [elsewhere()], policy=spread())
    assert found.verdict is ADMISSIBLE
    assert says(found, "policy 'neutral' .machines of one card differ by 209715200 B at most.")
    assert found.have.low == 24081 * MIB - 200 * MIB
    assert found.pieces == ("elsewhere",)


@pytest.mark.parametrize("need", [24081 * MIB - 200 * MIB, 24081 * MIB - 200 * MIB + 1])
def test_the_spread_is_taken_off_to_the_byte(need):
    wanted = ADMISSIBLE if need == 24081 * MIB - 200 * MIB else TO_CONFIRM
    assert verdict(capacity(need), [elsewhere()], policy=spread()) is wanted


def test_the_machine_s_own_print_comes_first():
    own = piece("own", machine="node-7", totals=[total("23000 MiB")])
    found = finding(capacity(NEED), [own, elsewhere()], policy=spread())
    assert found.verdict is not ADMISSIBLE


def test_a_machine_that_shows_less_than_the_spread_allows_contradicts_the_policy():
    """Else dropping its own print would turn an exclusion into an admission."""
    own = piece("own", machine="node-7", totals=[total("22693 MiB")])
    found = finding(capacity(23_900_000_000), [own, elsewhere()], policy=spread())
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    near = piece("own", machine="node-7", totals=[total("24000 MiB")])
    assert verdict(capacity(23_900_000_000), [near, elsewhere()], policy=spread()) is ADMISSIBLE


def test_another_card_says_nothing():
    assert (
        verdict(capacity(NEED), [elsewhere(gpu="nvidia-rtx-3090-24g")], policy=spread())
        is TO_CONFIRM
    )


def test_prints_further_apart_than_the_spread_contradict_the_policy():
    far = elsewhere("23000 MiB", id="far")
    found = finding(capacity(NEED), [elsewhere(), far], policy=spread())
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert "conflict" in topics(found)


def test_dropping_a_print_never_admits_more():
    near = elsewhere("23950 MiB", id="near")
    both, one = [elsewhere(), near], [near]
    need = capacity(24081 * MIB - 200 * MIB)
    assert verdict(need, both, policy=spread()) is ADMISSIBLE
    assert verdict(need, one, policy=spread()) is TO_CONFIRM


def test_a_typed_card_does_not_count_under_the_strict_policy():
    assert verdict(capacity(NEED), [elsewhere()], policy=spread(policy=STRICT)) is TO_CONFIRM


def test_a_shared_card_stays_open():
    shared = candidate(other_users=None)
    assert verdict(capacity(NEED), [elsewhere()], shared, policy=spread()) is TO_CONFIRM


def test_only_prints_of_a_framework_count_elsewhere():
    smi = piece(
        "smi",
        machine="another-node",
        gpu=GPU,
        totals=[total("24564 MiB", counter="nvidia_smi_total")],
    )
    assert verdict(capacity(NEED), [smi], policy=spread()) is TO_CONFIRM


def test_a_card_that_nobody_answers_for_does_not_count():
    nobody = piece("elsewhere", machine="another-node", gpu=GPU, by="", totals=[total("24081 MiB")])
    assert verdict(capacity(NEED), [nobody], policy=spread()) is TO_CONFIRM


def test_prints_apart_by_the_very_spread_agree_with_the_policy():
    near = elsewhere(24_000_000_000, id="near")
    far = elsewhere(24_000_000_000 + 200 * MIB, id="far")
    assert verdict(capacity(10**9), [near, far], policy=spread()) is ADMISSIBLE
