"""`fiche measure --model`: real model code through the command line, its order of calls on simulated devices.

Nothing is measured here; the counters are those of a stand-in.
"""

import json
import sys

import pytest
from measure.children import SIMULATED
from measure.tiny_models import model_folder

from fiche.measure import trials

pytestmark = pytest.mark.torch
STEP = ("--sequence-tokens", 16, "--microbatch", 2, "--warmup", 0, "--repeats", 1)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(trials, "CHILD", (sys.executable, "-u", str(SIMULATED)))
    monkeypatch.chdir(tmp_path)
    model_folder(tmp_path, "llama").rename(tmp_path / "llama")
    return tmp_path


def record(path):
    return json.loads(path.read_text(encoding="utf-8"))


def phases(path):
    return list(dict.fromkeys(phase["name"] for phase in record(path)["phases"]))


def test_a_generation_has_prefill_and_decode(fiche, here):
    """C7: prefill and decode; A3: what was executed."""
    words = ("--model", "llama", "--dtype", "bf16", "--prompt-tokens", 16, "--new-tokens", 4)
    ended = fiche("measure", *words, "--sequences", 2, "--repeats", 1, "-o", "m.json")
    assert ended.code == 0, ended.out + ended.err
    assert phases(here / "m.json") == ["model_init", "inputs", "prefill", "decode"]
    (first, *_) = record(here / "m.whole.json")["phases"]
    assert first["covers"] == ["model_init", "inputs", "prefill", "decode"]
    assert first["executed"]["prompt_tokens"] == 16
    assert record(here / "m.json")["workload"]["operation"] == "generation"


@pytest.mark.parametrize(
    ("words", "operation"),
    [
        ("--operation training --dtype fp32 --accumulation 2", "training"),
        (
            "--operation adaptation --dtype bf16 --lora-rank 4 --lora-targets q_proj,v_proj",
            "adaptation",
        ),
    ],
)
def test_a_step_has_its_phases(fiche, here, words, operation):
    """C7: forward, loss, backward, optimizer step, first full step."""
    ended = fiche("measure", "--model", "llama", *words.split(), *STEP, "-o", "m.json")
    assert ended.code == 0, ended.out + ended.err
    told = {"first_step", "forward", "loss", "backward", "optimizer_step"}
    assert told <= set(phases(here / "m.json"))
    assert record(here / "m.json")["workload"]["operation"] == operation


def test_a_frontier_is_searched_over_a_models_dimension(fiche, here):
    """C11; no failure is simulated, so the upper end stays open."""
    words = ("--model", "llama", "--dtype", "bf16", "--prompt-tokens", 8)
    ended = fiche("measure", *words, "--frontier", "new-tokens=4:12", "-o", "m.json")
    assert ended.code == 0, ended.out + ended.err
    told = record(here / "m.frontier.json")
    assert (told["largest_success"], told["smallest_failure_above"]) == (12, None)
    assert record(here / "m.new-tokens-12.json")["phases"][0]["declared"]["new_tokens"] == 12


def test_a_model_that_is_not_there_is_refused_and_nothing_is_written(fiche, here):
    """C10: nothing is downloaded; a name is no configuration."""
    ended = fiche("measure", "--model", "org/name", "--dtype", "bf16", "-o", "new/m.json")
    assert (ended.code, ended.out, ended.err.startswith("F520 ")) == (2, "", True)
    assert [path.name for path in here.iterdir()] == ["llama"]
