"""Candidates: a card, how many, from whom; or exactly one change of another one (D9, D10)."""

import pytest
from loading import fiche_of, refusals

WORKLOAD = """workload:
  model: {name: llama, layers: 32}
  formats: {cache: bf16}
  engine: {settings: {batched: 8192}}
  process: fresh
  cases: [{id: limit, role: limit, prompt_tokens: 7900, resident_sequences: 4}]
catalogs: [offers.yaml]
"""
OFFERS = """offers: 1
list:
  - {id: offer-01, seller: A, kind: rent, gpu: nvidia-rtx-4090-24g, price: {amount: 47.14 USD}}
  - {id: offer-02, seller: A, kind: rent, gpu: nvidia-rtx-6000-ada-48g, price: {amount: 55.71 USD},
     machine: node-9}
"""
FILES = {"offers.yaml": OFFERS}
BASE = (
    "candidates:\n  - {id: base, gpu: nvidia-rtx-4090-24g, cards: 1, offer: offer-01, "
    "machine: node-7, other_users: none}\n"
)


def candidates(*lines):
    text = BASE + "".join(f"  - {line}\n" for line in lines)
    fiche = fiche_of(WORKLOAD, files=FILES, candidates=text)
    return fiche, {one.id: one for one in fiche.candidates}


def refused(*lines):
    text = BASE + "".join(f"  - {line}\n" for line in lines)
    return [code for code, _, _ in refusals(WORKLOAD, files=FILES, candidates=text)]


def test_a_candidate_names_its_card_offer_and_machine():
    fiche, found = candidates()
    base = found["base"]
    assert (base.gpu, base.card.name, base.machine) == (
        "nvidia-rtx-4090-24g",
        "GeForce RTX 4090",
        "node-7",
    )
    assert (base.cards.low, base.cards.id) == (1, "base/cards")
    assert base.offer.id == "offer-01"
    assert (base.other_users.value, base.other_users.by) == ("none", "A. Martin")
    assert base.workload is fiche.workload


def test_what_is_not_told_is_absent():
    _, found = candidates("{id: b, gpu: nvidia-l4-24g, cards: 2}")
    other = found["b"]
    assert (other.offer, other.machine, other.other_users, other.change) == (None, "", None, None)


def test_the_machine_of_an_offer_is_that_of_its_candidate():
    _, found = candidates("{id: b, gpu: nvidia-rtx-6000-ada-48g, cards: 1, offer: offer-02}")
    assert found["b"].machine == "node-9"
    line = "{id: b, gpu: nvidia-rtx-6000-ada-48g, cards: 1, offer: offer-02, machine: node-8}"
    assert refused(line) == ["F321"]


def test_a_changed_fact_leaves_everything_else():
    """D10: one thing; requirements and the rest of the workload stay."""
    fiche, found = candidates("{id: b, baseline: base, change: {formats.cache: fp8_e4m3}}")
    changed = found["b"]
    assert changed.change == ("formats.cache", "bf16", "fp8_e4m3")
    assert changed.workload.facts["formats.cache"].value == "fp8_e4m3"
    assert fiche.workload.facts["formats.cache"].value == "bf16"
    assert changed.workload.figures == fiche.workload.figures
    assert changed.workload.cases == fiche.workload.cases
    assert (changed.card, changed.offer, changed.machine, changed.cards) == (
        found["base"].card,
        found["base"].offer,
        "node-7",
        found["base"].cards,
    )
    assert str(changed.workload.facts["formats.cache"].address) == "fiche.yaml:14:53"


def test_a_change_reaches_a_count_a_setting_and_a_renamed_path():
    _, found = candidates(
        "{id: b, baseline: base, change: {cases.limit.resident_sequences: 2}}",
        "{id: c, baseline: base, change: {engine.settings.batched: 4096}}",
        "{id: d, baseline: base, change: {process: reused}}",
        "{id: e, baseline: base, change: {placement.devices: 2}}",
    )
    assert found["b"].workload.cases[0].dimensions["resident_sequences"].low == 2
    assert found["b"].workload.cases[0].dimensions["prompt_tokens"].low == 7900
    assert found["b"].change == ("cases.limit.resident_sequences", "4", "2")
    assert found["c"].workload.figures["engine.settings.batched"].low == 4096
    assert found["c"].workload.facts["engine.settings.batched"].value == "4096"
    assert found["d"].workload.facts["process_protocol"].value == "reused"
    assert found["e"].change == ("placement.devices", "", "2")


def test_a_changed_figure_keeps_its_id():
    """The judge qualifies ids by candidate; here both are what the fiche calls them."""
    _, found = candidates("{id: b, baseline: base, change: {cases.limit.resident_sequences: 2}}")
    assert (
        found["b"].workload.cases[0].dimensions["resident_sequences"].id
        == "limit.resident_sequences"
    )


def test_another_card_takes_neither_offer_nor_machine_along():
    _, found = candidates(
        "{id: b, baseline: base, change: {gpu: nvidia-rtx-6000-ada-48g}, offer: offer-02}",
        "{id: c, baseline: base, change: {gpu: nvidia-l4-24g}}",
        "{id: d, baseline: base, change: {cards: 2}}",
    )
    assert (found["b"].offer.id, found["b"].machine) == ("offer-02", "node-9")
    assert (found["c"].offer, found["c"].machine, found["c"].other_users) == (None, "", None)
    assert found["c"].workload is found["base"].workload
    assert (found["d"].cards.low, found["d"].offer.id, found["d"].machine) == (
        2,
        "offer-01",
        "node-7",
    )


def test_changes_chain_in_any_order():
    _, found = candidates(
        "{id: c, baseline: b, change: {process: reused}}",
        "{id: b, baseline: base, change: {formats.cache: fp8_e4m3}}",
    )
    facts = found["c"].workload.facts
    assert (facts["formats.cache"].value, facts["process_protocol"].value) == ("fp8_e4m3", "reused")
    assert found["c"].baseline == "b"


def test_a_long_chain_of_baselines_is_no_recursion():
    lines = [
        f"{{id: n{number}, baseline: {f'n{number - 1}' if number else 'base'}, "
        f"change: {{cases.limit.resident_sequences: {number % 3 + 5}}}}}"
        for number in range(998)
    ]
    _, found = candidates(*reversed(lines))
    assert len(found) == 999


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{id: b, baseline: base, change: {formats.cache: fp8, process: x}}", "F309"),
        ("{id: b, baseline: base, change: {formats.cache: fp8}, offer: offer-01}", "F309"),
        ("{id: b, baseline: base, change: {gpu: nvidia-l4-24g}, cards: 2}", "F309"),
        ("{id: b, baseline: base, change: {formats.kv: fp8}}", "F310"),
        ("{id: b, baseline: base, change: {engine: vllm}}", "F310"),
        ("{id: b, baseline: base, change: {cases.limit: 3}}", "F310"),
        ("{id: b, baseline: base, change: {cases.limit.prompt_tokens: 100}}", "F324"),
        ("{id: b, baseline: base, change: {cases.limit.concurrent_requests: 1}}", "F324"),
        ("{id: b, baseline: base, change: {model.name: smaller}}", "F324"),
        ("{id: b, baseline: base, change: {duration: 3 h}}", "F324"),
        ("{id: b, baseline: base, change: {placement.devices: two}}", "F204"),
        ("{id: b, baseline: base, change: {placement.devices: 0}}", "F305"),
        ("{id: b, baseline: base, change: {cards: 0}}", "F305"),
        ("{id: b, baseline: base, change: {cases.limit.resident_sequences: 0}}", "F305"),
        ("{id: b, baseline: base, change: {formats.cache_bits: 0}}", "F305"),
        ("{id: b, baseline: base, change: {placement.resident: perhaps}}", "F304"),
        ("{id: b, baseline: base, change: {backend: rocm}}", "F304"),
        ("{id: b, baseline: base, change: {formats.cache: bf16}}", "F323"),
        ("{id: b, baseline: b, change: {cards: 2}}", "F322"),
        ("{id: b, baseline: nobody, change: {cards: 2}}", "F307"),
        ("{id: b, gpu: nvidia-rtx-4090, cards: 1}", "F308"),
        ("{id: b, gpu: amd-mi250x-oam-128g, cards: 1}", "F320"),
        ("{id: b, gpu: nvidia-l4-24g, cards: 1, offer: offer-01}", "F321"),
        ("{id: b, gpu: nvidia-l4-24g, cards: 1, baseline: base, change: {cards: 2}}", "F309"),
        ("{id: none, gpu: nvidia-l4-24g, cards: 1}", "F305"),
    ],
)
def test_what_is_no_single_change_of_the_way_it_is_done_is_refused(line, code):
    assert code in refused(line)


def test_a_number_that_is_too_small_is_told_what_to_write():
    from fiche.kernel.diagnostic import Refused

    with pytest.raises(Refused) as caught:
        candidates("{id: b, baseline: base, change: {placement.devices: 0}}")
    assert [each.hint for each in caught.value.diagnostics] == ["write 1"]


def test_a_faulty_baseline_is_told_once():
    assert refused(
        "{id: b, gpu: my-card, cards: 1}", "{id: c, baseline: b, change: {cards: 2}}"
    ) == ["F308"]


def test_a_mistyped_card_is_told_its_nearest_names():
    from fiche.kernel.diagnostic import Refused

    with pytest.raises(Refused) as caught:
        candidates("{id: b, gpu: nvidia-rtx-4090, cards: 1}")
    assert "nvidia-rtx-4090-24g" in caught.value.diagnostics[0].hint
    assert "catalog: 1" in caught.value.diagnostics[0].hint
