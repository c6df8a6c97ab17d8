"""The workload as stated: facts are words, figures are numbers, what is absent stays absent (A1-A7)."""

from loading import fiche_of, refusals

from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.quantity import parse_bytes

WORKLOAD = """workload:
  model: {name: llama, revision: abc, parameters: 8030261248, layers: 32, notes: "a note"}
  code: {name: train.py, digest: "sha256:00"}
  operation: adaptation
  method: {kind: qlora, rank: 16, targets: [q_proj, v_proj]}
  engine: {name: vllm, version: 0.28.0, settings: {max_num_batched_tokens: 8192, swa-full: true}}
  formats: {storage: nf4, loaded: nf4, compute: bf16, storage_bits: 4}
  process: one fresh process per series
  warmups: 3
  framework: {name: torch, version: 2.11.0+cu128}
  placement: {devices: 2, resident: all}
  inputs: {name: corpus, digest: "sha256:11"}
  cases:
    - {id: usual, role: usual, prompt_tokens: 1200, resident_sequences: 4}
    - {id: limit, role: limit, prompt_tokens: 7900, images: 2, image_width: 448,
       phases: [prefill, decode], input: {name: longest, digest: "sha256:22"}}
  duration: {value: 40 h, because: "one campaign"}
reserve:
  - {id: cuda-context, value: 0.5 GiB, because: seen}
  - {id: other, value: 1 GB, by: B. Silva, because: guessed}
margin:
  - {id: longer-window, value: 1 GiB, because: "prompts grew 10 %"}
"""


def load():
    return fiche_of(WORKLOAD).workload


def test_words_are_facts_under_dotted_paths():
    facts = {path: fact.value for path, fact in load().facts.items()}
    assert facts == {
        "model.name": "llama",
        "model.revision": "abc",
        "model.notes": "a note",
        "code.name": "train.py",
        "code.digest": "sha256:00",
        "operation": "adaptation",
        "method.kind": "qlora",
        "engine.name": "vllm",
        "engine.version": "0.28.0",
        "engine.settings.max_num_batched_tokens": "8192",
        "engine.settings.swa-full": "true",
        "formats.storage": "nf4",
        "formats.loaded": "nf4",
        "formats.compute": "bf16",
        "process_protocol": "one fresh process per series",
        "warmups": "3",
        "framework.name": "torch",
        "framework.version": "2.11.0+cu128",
        "placement.resident": "all",
        "inputs.name": "corpus",
        "inputs.digest": "sha256:11",
        "cases.limit.input.name": "longest",
        "cases.limit.input.digest": "sha256:22",
    }


def test_counts_are_exact_figures_stated_at_their_place():
    figures = load().figures
    values = {path: figure.low for path, figure in figures.items()}
    assert values == {
        "model.parameters": 8030261248,
        "model.layers": 32,
        "method.rank": 16,
        "engine.settings.max_num_batched_tokens": 8192,
        "formats.storage_bits": 4,
        "placement.devices": 2,
        "duration": 40,
    }
    layers = figures["model.layers"]
    assert (layers.exact, layers.id, layers.label, str(layers.unit)) == (
        True,
        "model.layers",
        "Layers",
        "layers",
    )
    assert isinstance(layers.origin, Stated)
    assert str(layers.origin.span) == "fiche.yaml:6:71"
    assert layers.origin.span.text == "32"


def test_a_case_states_its_dimensions_and_no_more():
    usual, limit = load().cases
    assert {name: figure.low for name, figure in usual.dimensions.items()} == {
        "prompt_tokens": 1200,
        "resident_sequences": 4,
    }
    assert usual.phases == ()
    assert limit.phases == ("prefill", "decode")
    assert limit.dimensions["prompt_tokens"].id == "limit.prompt_tokens"
    assert limit.dimensions["image_width"].low == 448


def test_tokens_of_different_names_add_up():
    """Prompt and new tokens are both tokens; an estimator adds them."""
    fiche = fiche_of("workload: {cases: [{id: a, role: usual, prompt_tokens: 5, new_tokens: 3}]}\n")
    dimensions = fiche.workload.cases[0].dimensions
    assert (dimensions["prompt_tokens"] + dimensions["new_tokens"]).low == 8


def test_a_reserve_is_assumed_by_a_person_on_a_ground():
    """MISSION B2, B7: the reserve is an assumption, and says so."""
    own, other = load().reserve
    assert (own.low, own.id) == (2**29, "reserve.cuda-context")
    assert isinstance(own.origin, Assumed)
    assert (own.origin.by, own.origin.because) == ("A. Martin", "seen")
    assert other.origin.by == "B. Silva"
    assert other.low == parse_bytes("1 GB").value


def test_a_margin_is_stated_with_its_reason():
    """MISSION D5."""
    (margin,) = load().margin
    assert margin.origin.because == "prompts grew 10 %"


def test_targets_keep_their_order():
    assert load().method_targets == ("q_proj", "v_proj")


def test_an_empty_workload_states_nothing_and_defaults_nothing():
    """Law 3: no default is filled in; what is absent becomes a condition later."""
    empty = fiche_of().workload
    assert (empty.facts, empty.figures, empty.cases, empty.reserve, empty.margin) == (
        {},
        {},
        (),
        (),
        (),
    )


def test_ids_are_told_apart():
    text = "reserve:\n  - {id: x, value: 1 B, because: y}\n  - {id: x, value: 1 B, because: y}\n"
    assert refusals(text) == [("F306", 7, 10)]
