"""Near the limit: inside a guard band, or the spread of repeats, a measured value is to confirm (ILAC-G8)."""

import json

import pytest
from scenarios.story import (
    PEAK,
    VISIBLE,
    asked,
    bounds,
    conditions,
    device,
    figure,
    files,
    found,
    judged,
    phase,
    record,
    status,
)

from fiche.assets import package_data

GB = 10**9
ROOM = VISIBLE - PEAK


def policy(**bands):
    """The neutral policy with guard bands of one's own."""
    told = "\n".join(
        f"  {name}: {{value: {value}, because: five processes differed}}"
        for name, value in bands.items()
    )
    neutral = package_data("policies/neutral.yaml").read_text("utf-8")
    return neutral.replace("name: neutral", "name: guarded", 1) + f"\nguard_band:\n{told}\n"


def with_policy(tmp_path, contents=None, **bands):
    contents = {**(contents or files()), "policy.yaml": policy(**bands)}
    return judged(tmp_path, asked() | {"policy": "policy.yaml"}, contents)


def runs(*peaks, **changes):
    """Repeats of one load: a record each."""
    made = {
        f"run-{place}.json": record(phase(devices=[device(peak=peak)]), **changes)
        for place, peak in enumerate(peaks)
    }
    return {name: text for name, text in files().items() if name != "run.json"} | made


def repeated(tmp_path, *peaks, margin=None, **changes):
    fiche = asked()
    others = [piece for piece in fiche["pieces"] if piece.get("file") != "run.json"]
    fiche["pieces"] = [
        *({"id": f"run-{place}", "file": f"run-{place}.json"} for place in range(len(peaks))),
        *others,
    ]
    if margin:
        fiche["margin"] = [{"id": "longer", "value": f"{margin} B", "because": "prompts grow"}]
    return judged(tmp_path, fiche, runs(*peaks, **changes))


def test_as_much_room_as_the_band_is_admissible(tmp_path):
    document = with_policy(tmp_path, memory=f"{ROOM} B")
    assert found(document)["verdict"] == "admissible"
    assert "guard" not in found(document)


def test_one_byte_less_room_than_the_band_is_to_confirm_and_the_report_says_so(tmp_path):
    document = with_policy(tmp_path, memory=f"{ROOM + 1} B")
    near = found(document)
    assert (near["verdict"], near["reason_code"]) == ("to_confirm", "near_limit")
    assert bounds(near["guard"])[0] == ROOM + 1
    assert bounds(figure(document, "policy.guard_band.memory"))[0] == ROOM + 1
    assert document["policy"]["guard_band"] == {"memory": "policy.guard_band.memory"}
    assert "five processes differed" in near["condition"]
    assert status(document) == "to_confirm"


def test_a_floor_above_the_card_excludes_whatever_the_band(tmp_path):
    """Arithmetic was not measured: nothing of it could vary. A configuration pins the counts."""
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 8192,
        "intermediate_size": 28672,
        "num_hidden_layers": 80,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
    }
    fiche = asked() | {"policy": "policy.yaml"}
    for count in ("parameters", "layers", "kv_heads", "head_dim"):
        del fiche["workload"]["model"][count]
    fiche["workload"]["model"]["config"] = "config.json"
    contents = {**files(), "policy.yaml": policy(memory="900 GB"), "config.json": config}
    below = found(judged(tmp_path, fiche, contents))
    assert below["verdict"] == "to_confirm"  # the run peaked below that floor: a contradiction
    fiche["pieces"] = fiche["pieces"][1:]
    del contents["run.json"]
    contents["run.json"] = record(phase(), workload={"model": {"name": "another"}})
    fiche["pieces"].append({"id": "run", "file": "run.json"})
    alone = found(judged(tmp_path / "alone", fiche, contents))
    assert (alone["verdict"], alone["reason_code"]) == ("exclude", "above_capacity")


@pytest.mark.parametrize(
    ("value", "verdict"), [("0.005", "admissible"), ("0.5", "to_confirm"), ("50 %", "to_confirm")]
)
def test_a_score_within_its_band_is_to_confirm(tmp_path, value, verdict):
    document = with_policy(tmp_path, quality=value)
    assert found(document, "quality")["verdict"] == verdict


def test_repeats_that_lie_apart_by_more_than_the_room_beyond_them_settle_nothing(tmp_path):
    """C7: the room beyond the largest of the repeats must be as wide as they lie apart."""
    apart = GB
    fits = VISIBLE - 2 * apart
    document = repeated(tmp_path / "fits", fits, fits + apart)
    assert found(document)["verdict"] == "admissible"
    document = repeated(tmp_path / "near", fits + 1, fits + apart + 1)
    near = found(document)
    assert (near["verdict"], near["reason_code"]) == ("to_confirm", "near_limit")
    assert bounds(near["guard"])[0] == 2 * apart
    assert any("near_limit" in c["topic"] for c in near["conditions"])


def test_a_stated_margin_counts_beside_the_spread(tmp_path):
    document = repeated(tmp_path, PEAK, PEAK + GB, margin=ROOM - 2 * GB + 1)
    assert found(document)["reason_code"] == "near_limit"
    document = repeated(tmp_path / "less", PEAK, PEAK + GB, margin=ROOM - 2 * GB)
    assert found(document)["verdict"] == "admissible"


def test_repeats_that_agree_and_runs_elsewhere_make_no_band(tmp_path):
    assert found(repeated(tmp_path / "same", PEAK, PEAK))["verdict"] == "admissible"
    apart = repeated(tmp_path / "elsewhere", PEAK, PEAK + 3 * GB, machine="another-node")
    assert found(apart)["reason_code"] != "near_limit"


def test_the_words_of_the_condition_name_what_would_settle_it(tmp_path):
    document = with_policy(tmp_path, memory=f"{ROOM + 1} B")
    (told,) = [c for c in found(document)["conditions"] if c["topic"] == "near_limit"]
    assert "fresh processes" in told["text"]
    assert conditions(document)
    assert json.dumps(document)
