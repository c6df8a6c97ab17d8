"""`fiche estimate`: the published numbers of the source documents (F1, F6, B1-B8)."""

import pytest

SEVEN = ("estimate", "--parameters", 7_000_000_000, "--bits", 16)
CACHE = ("--layers", 32, "--kv-heads", 8, "--head-dim", 128, "--cache-bits", 16)
GEMMA = """\
{"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "torch_dtype": "bfloat16",
 "hidden_size": 5376, "intermediate_size": 21504, "num_hidden_layers": 62,
 "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128, "vocab_size": 262208,
 "sliding_window": 1024}
"""
FICHE = """\
fiche: 1
title: A test
date: 2026-11-29
author: A. Martin
workload:
  model: {name: m, revision: r, parameters: 7000000000, layers: 32, kv_heads: 8, head_dim: 128}
  operation: generation
  formats: {storage: bf16, cache: bf16}
  cases:
    - {id: usual, role: usual, prompt_tokens: 1000, new_tokens: 24, resident_sequences: 1}
    - {id: limit, role: limit, prompt_tokens: 8000, new_tokens: 192, resident_sequences: 1}
reserve:
  - {id: workspace, value: 4 GiB, because: seen once}
candidates:
  - {id: one, gpu: nvidia-rtx-4090-24g, cards: 1}
"""


def figures(ended):
    assert ended.code == 0, ended.err
    return {figure["id"]: figure for figure in ended.json()["figures"]}


def test_weights_and_a_reserve_of_four_gib(fiche):
    """F1, B2: 14 000 000 000 bytes, and 18 294 967 296 with an assumed reserve."""
    found = figures(fiche(*SEVEN, "--reserve-gib", 4, "--json"))
    assert found["weights"]["bytes"] == 14_000_000_000
    assert found["envelope"]["bytes"] == 18_294_967_296
    assert found["reserve.chosen"]["basis"] == "assumed"
    assert found["envelope"]["rests_on"] == ["assumed", "stated"]
    assert found["weights"]["formula"] == (
        "ceil(model.parameters x formats.storage_bits / bits_per_byte)"
    )


@pytest.mark.parametrize(
    ("option", "amount", "envelope", "text"),
    [
        ("--reserve-gib", 4, 18_294_967_296, "17.04 GiB"),
        ("--reserve-gb", 4, 18_000_000_000, "16.76 GiB"),
        ("--reserve-gib", 6, 20_442_450_944, "19.04 GiB"),
        ("--reserve-gib", "0.5", 14_536_870_912, "13.54 GiB"),
    ],
)
def test_gb_and_gib_are_kept_apart(fiche, option, amount, envelope, text):
    """B1, B2: "4 GB" where 4 GiB is meant is another number, 16.76 against 17.04."""
    assert figures(fiche(*SEVEN, option, amount, "--json"))["envelope"]["bytes"] == envelope
    assert text in fiche(*SEVEN, option, amount).out


def test_the_terminal_shows_units_origins_and_what_is_left_out(fiche):
    """B2, B8, E2."""
    out = fiche(*SEVEN, "--reserve-gib", 4).out
    for words in (
        "14 000 000 000 B",
        "14.00 GB",
        "13.04 GiB",
        "17.04 GiB",
        "assumed",
        "nothing here was measured",
        "a sum of independent maxima, never an observed peak",
        "quantisation metadata",
        "modules kept in another format",
        "working memory",
        "transient loading",
        "uses outside the process",
    ):
        assert words in out


def test_layers_stand_under_their_item_and_both_ends_under_each_other(fiche, tmp_path, monkeypatch):
    """A sliding model: 10 full layers and 52 of a window of 1024, by hand; ends have a word each."""
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "config.json").write_text(GEMMA, encoding="utf-8")
    told = ("--engine", "transformers", "--engine-version", "5.24.0", "--sequences", 1)
    out = fiche("estimate", "--model", tmp_path, *told, "--tokens", 8192).out
    assert max(len(line) for line in out.splitlines()) <= 80
    lines = out.splitlines()
    place = next(p for p, line in enumerate(lines) if line.startswith("kv_cache"))
    layer = 2 * 16 * 128 * 2
    full, sliding = 10 * layer * 8192, 52 * layer * 1024
    assert f"{full + sliding:,}".replace(",", " ") in lines[place]
    under = "\n".join(lines[place + 1 : place + 3])
    assert "\n  full" in f"\n{under}"
    assert "\n  sliding" in f"\n{under}"
    assert f"{full:,}".replace(",", " ") in under
    assert f"{sliding:,}".replace(",", " ") in under
    loading = next(p for p, line in enumerate(lines) if line.startswith("weights_loading"))
    assert lines[loading].split()[1] == "from"
    assert lines[loading + 1].split()[0] == "to"
    assert out.index("Why there are two ends:") < out.index("Left out of the envelope:")
    assert out.rstrip().splitlines()[-1].startswith(("  - ", "    "))


def test_an_open_end_says_at_least(fiche, tmp_path):
    """An engine without a rule: the least that any program keeps, and no upper end."""
    (tmp_path / "config.json").write_text(GEMMA, encoding="utf-8")
    told = ("--engine", "my-engine", "--cache", "bf16", "--tokens", 8192, "--sequences", 1)
    out = fiche("estimate", "--model", tmp_path, *told).out
    line = next(line for line in out.splitlines() if line.startswith("kv_cache"))
    assert "at least" in line
    assert "no rule is known here for what my-engine keeps" in " ".join(out.split())


def test_the_formats_table_keeps_the_reserve(fiche):
    """B3: 32, 16, 8 and 4 bits; the last line is no peak."""
    table = fiche(*SEVEN, "--reserve-gib", 4, "--json").json()["formats_table"]
    assert [(row["bits"], row["with_reserve"]["bytes"]) for row in table] == [
        (32, 32_294_967_296),
        (16, 18_294_967_296),
        (8, 11_294_967_296),
        (4, 7_794_967_296),
    ]
    assert "no line is a peak" in fiche(*SEVEN).out


def test_the_cache_of_b5_joins_the_envelope(fiche):
    """B5: 1 073 741 824 bytes for one sequence, four times that for four."""
    found = figures(fiche(*SEVEN, *CACHE, "--tokens", 8192, "--sequences", 1, "--json"))
    assert found["kv_cache"]["bytes"] == 1_073_741_824
    assert found["envelope"]["bytes"] == 15_073_741_824
    found = figures(fiche(*SEVEN, *CACHE, "--tokens", 8192, "--sequences", 4, "--json"))
    assert found["kv_cache"]["bytes"] == 4 * 1_073_741_824


def test_what_a_cache_lacks_is_asked(fiche):
    """D9: context and concurrency."""
    told = fiche(*SEVEN, *CACHE, "--json").json()
    assert {"context", "concurrency"} <= {each["topic"] for each in told["conditions"]}
    assert "resident_sequences" in fiche(*SEVEN, *CACHE).out


@pytest.mark.parametrize("operation", ["training", "adaptation"])
def test_an_operation_adds_questions_and_no_factor(fiche, operation):
    """B6: no hidden multiplier."""
    ended = fiche(*SEVEN, "--operation", operation, "--json")
    assert figures(ended)["envelope"]["bytes"] == 14_000_000_000
    assert "trained_parameters" in {each["topic"] for each in ended.json()["conditions"]}


def test_a_named_format_is_read(fiche):
    found = figures(fiche("estimate", "--parameters", 8, "--format", "nf4", "--json"))
    assert found["weights"]["bytes"] == 4


def test_cards_are_candidates_to_examine(fiche):
    """F6: a label x 2^30 below the envelope is not listed; what is listed is said to fit nowhere."""
    cards = fiche(*SEVEN, "--reserve-gib", 6, "--cards", "--json").json()["cards_to_examine"]
    names = {card["id"] for card in cards}
    assert {"nvidia-rtx-4090-24g", "nvidia-rtx-6000-ada-48g"} <= names
    assert not names & {"nvidia-t4-16g", "nvidia-rtx-3060-12g", "amd-mi250x-oam-128g"}
    assert {card["verdict"] for card in cards} == {"to_confirm"}
    out = fiche(*SEVEN, "--reserve-gib", 6, "--cards").out
    assert "to confirm" in out
    assert "none is said to fit" in out


# --- From a fiche -------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fiche.yaml"
    path.write_text(FICHE, encoding="utf-8")
    return path


def test_a_fiche_is_estimated_case_by_case(fiche, file):
    found = figures(fiche("estimate", file, "--json"))
    assert found["limit.kv_cache"]["bytes"] == 2**30
    assert found["usual.kv_cache"]["bytes"] == 2**27
    assert found["limit.envelope"]["bytes"] == 14_000_000_000 + 5 * 2**30
    assert found["model.parameters"]["at"] == "fiche.yaml:6:45"


def test_one_case_of_a_fiche(fiche, file):
    found = figures(fiche("estimate", file, "--case", "limit", "--json"))
    assert "limit.envelope" in found
    assert "usual.envelope" not in found


def test_tokens_typed_twice_are_the_same_tokens(fiche):
    """A context told by an option and by a setting: both count tokens."""
    cached = ("--layers", 1, "--kv-heads", 1, "--head-dim", 1, "--cache-bits", 8, "--sequences", 1)
    told = ("--tokens", 8192, "--set", "prompt_tokens=5", "--set", "new_tokens=3")
    found = figures(fiche("estimate", *cached, *told, "--json"))
    assert found["kv_cache"]["bytes"] == 2 * 8192


# --- Refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), "F702", "nothing to estimate"),
        (("--case", "limit"), "F702", "names a case of a fiche"),
        (
            ("--parameters", 7, "--reserve-gib", 4, "--reserve-gb", 4),
            "F702",
            "are two reserves",
        ),
        (("--parameters", 7, "--bits", 16, "--format", "bf16"), "F702", "both state"),
        (("--operation", "training", "--tokens", 8), "F702", "--tokens describe"),
        (("--parameters", 7, "--operation", "inference"), "F701", "unknown operation"),
        (("--parameters", "7B"), "F202", "--parameters: '7B'"),
        (("--parameters", 7, "--reserve-gib", "13,04"), "F202", "13,04"),
        (("--parameters", 7, "--reserve-gib", "2.048"), "F202", "2.048"),
        (("--parameters", "-7"), "F205", "negative"),
        (("--parameters", 7, "--tokens", 0), "F305", "--tokens: 0 is below 1"),
        *(
            (("--parameters", 7, "--set", setting), code, words)
            for setting, code, words in (
                ("placement.tensor_parallel=0", "F305", "0 is below 1"),
                ("resident_sequences=0", "F305", "0 is below 1"),
                ("training.checkpointing=some", "F701", "unknown training.checkpointing 'some'"),
                ("operation=inference", "F701", "unknown operation 'inference'"),
                ("model.config=x.json", "F702", "--model"),
                ("engine.settings.=4", "F701", "unknown setting"),
                ("engine.settings.*=4", "F701", "unknown setting"),
                ("cases..prompt_tokens=4", "F701", "unknown setting"),
                ("cases.a.b.prompt_tokens=4", "F701", "unknown setting"),
                ("cases.prompt_tokens=4", "F701", "unknown setting"),
            )
        ),
        (
            (
                "--parameters",
                7,
                "--set",
                "placement.tensor_parallel=4",
                "--set",
                "placement.devices=2",
            ),
            "F327",
            "tensor_parallel 4 is 4, and devices is 2",
        ),
        (("nowhere.yaml",), "F318", "does not exist"),
    ],
)
def test_what_has_no_single_meaning_is_refused(fiche, arguments, code, words):
    """B1, law 2: refused with what to write instead, and exit code 2."""
    ended = fiche("estimate", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert code in ended.err
    assert words in ended.err


def test_all_that_is_wrong_is_said_at_once(fiche):
    """Law 4."""
    err = fiche("estimate", "--parameters", "7B", "--reserve-gib", "1,5", "--operation", "x").err
    assert "--parameters" in err
    assert "--reserve-gib" in err
    assert "unknown operation" in err


def test_a_fiche_and_options_are_not_mixed(fiche, file):
    ended = fiche("estimate", file, "--bits", 8)
    assert ended.code == 2
    assert "F702 --bits and a fiche" in ended.err


def test_an_unknown_case_is_refused_with_the_known_ones(fiche, file):
    ended = fiche("estimate", file, "--case", "limits")
    assert ended.code == 2
    assert "did you mean limit?" in ended.err
