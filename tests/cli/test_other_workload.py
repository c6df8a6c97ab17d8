"""A measurement of a small dense network admits and excludes nothing about another model (F3, D4, D6)."""

import json
import shutil
from pathlib import Path

import pytest
from importers.records import FAILED

DENSE = Path(__file__).parents[2] / "samples" / "dense"
LOOP = "evidence/run-dense.whole.json"


@pytest.fixture
def sample(tmp_path):
    return Path(shutil.copytree(DENSE, tmp_path / "dense"))


def memory(fiche, folder, out):
    """The findings on memory of its report."""
    ended = fiche("report", folder / "fiche.yaml", "-o", out, "--formats", "json")
    assert ended.code == 0, ended.err
    decision = json.loads((out / "decision.json").read_text("utf-8"))
    assert {each["status"] for each in decision["candidates"]} == {"to_confirm"}
    return [each for each in decision["findings"] if each["requirement"] == "memory"]


def changed(folder, change):
    path = folder / LOOP
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    return document


def test_the_record_of_the_sample_is_a_whole_loop_that_went_through(sample):
    """Otherwise it would admit nothing for a poorer reason."""
    document = json.loads((sample / LOOP).read_text("utf-8"))
    loops = [p for p in document["phases"] if p["ordering"] == "whole_loop"]
    assert loops
    assert all(phase["outcome"] == "success" for phase in loops)
    assert document["workload"]["model"]["name"] == "fiche-dense-network"


def test_it_admits_nothing_about_the_model_of_the_fiche(fiche, sample, tmp_path):
    found = memory(fiche, sample, tmp_path / "out")
    assert len(found) == 4
    assert {each["verdict"] for each in found} == {"to_confirm"}


def test_what_keeps_it_from_admitting_is_named(fiche, sample, tmp_path):
    memory(fiche, sample, tmp_path / "out")
    text = (tmp_path / "out" / "decision.json").read_text("utf-8")
    assert "the piece fiche-dense-network" in text


def test_its_own_words_are_what_keeps_it_and_not_its_dimensions(fiche, sample, tmp_path):
    """D6: even where the dense network executed more of everything than is asked."""

    def more(document):
        for phase in document["phases"]:
            phase["executed"] = {
                "prompt_tokens": 99_999,
                "new_tokens": 99_999,
                "resident_sequences": 99,
            }
            phase["covers"] = ["model_load", "prefill", "decode"]
            for device in phase.get("devices", ()):
                device["process_device_bytes"] = {"counter": "c", "peak": 1 << 40}

    changed(sample, more)
    found = memory(fiche, sample, tmp_path / "out")
    assert {each["verdict"] for each in found} == {"to_confirm"}


def test_nobodys_word_turns_it_into_another_model(fiche, sample, tmp_path):
    """A5: what the file prints wins over what somebody types."""
    path = sample / "fiche.yaml"
    text = path.read_text("utf-8")
    typed = (
        "{id: dense-loop, file: evidence/run-dense.whole.json, scope: {case: limit, model: {name: "
        + ("meta-llama/Llama-3.1-8B-Instruct}}}")
    )
    assert "{id: dense-loop, file: evidence/run-dense.whole.json}" in text
    path.write_text(
        text.replace("{id: dense-loop, file: evidence/run-dense.whole.json}", typed),
        encoding="utf-8",
    )
    found = memory(fiche, sample, tmp_path / "out")
    assert {each["verdict"] for each in found} == {"to_confirm"}


def test_its_failure_excludes_nothing(fiche, sample, tmp_path):
    """C11: another model ran out of memory."""

    def ran_out(document):
        for phase in document["phases"]:
            phase.update(outcome="failure", error=FAILED["error"])

    changed(sample, ran_out)
    found = memory(fiche, sample, tmp_path / "out")
    assert {each["verdict"] for each in found} == {"to_confirm"}


def test_a_fiche_started_from_it_asks_about_the_dense_network(fiche, sample, tmp_path):
    ended = fiche(
        *("new", "--from", sample / LOOP, "--gpu", "nvidia-h100-pcie-80g", tmp_path / "mine"),
    )
    assert ended.code == 0, ended.err
    text = (tmp_path / "mine" / "fiche.yaml").read_text("utf-8")
    assert "model: {name: fiche-dense-network" in text
    assert "in no word of a fiche: operation forward" in text
    assert "operation:" not in text
    assert fiche("check", tmp_path / "mine" / "fiche.yaml", "--json").code == 0
