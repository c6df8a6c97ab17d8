"""A fiche that cites a simulation, from its file to the report and back to its place."""

import json

import jsonschema_rs
import pytest
from importers.simulations import document

from fiche.assets import schema_text

FICHE = """\
fiche: 1
title: Chat assistant
date: 2026-11-30
author: A. Martin
workload:
  model:
    {name: meta-llama/Llama-3.1-8B-Instruct, revision: 0e9e39f2, parameters: 8030261248,
     layers: 32, kv_heads: 8, head_dim: 128}
  operation: generation
  engine: {name: vllm, version: 0.28.0}
  formats: {storage: bf16, compute: bf16, cache: bf16}
  attention: flash
  backend: cuda
  placement: {devices: 1, resident: all}
  cases:
    - {id: limit, role: limit, prompt_tokens: 7900, new_tokens: 292, resident_sequences: 4,
       phases: [prefill, decode]}
reserve:
  - {id: cuda-context, value: 0.5 GiB, by: A. Martin, because: seen once}
pieces:
  - {id: sim, file: sim.json, kind: simulation}
candidates:
  - {id: one, gpu: nvidia-rtx-4090-24g, cards: 1}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "fiche.yaml").write_text(FICHE, encoding="utf-8")
    (tmp_path / "sim.json").write_text(json.dumps(document()), encoding="utf-8")
    return tmp_path


def test_the_kind_is_said_or_found(fiche, folder):
    path = folder / "fiche.yaml"
    said = fiche("check", path, "--json").json()
    path.write_text(FICHE.replace(", kind: simulation", ""), encoding="utf-8")
    found = fiche("check", path, "--json").json()
    assert [p["kind"] for p in said["pieces"]] == [p["kind"] for p in found["pieces"]]
    assert said["pieces"][0]["kind"] == "fiche_simulation"


def test_a_file_of_another_format_is_refused_at_its_line(fiche, folder):
    (folder / "sim.json").write_text('{"format": "fiche-simulation/9"}', encoding="utf-8")
    ended = fiche("check", folder / "fiche.yaml")
    assert ended.code == 2
    assert "fiche.yaml:21:" in ended.err
    assert "F431 sim.json, /format" in ended.err


def test_a_simulation_attests_nothing(fiche, folder):
    attests = "kind: simulation, attests: [{fact: price, amount: 1 USD, quote: '1'}]"
    text = FICHE.replace("kind: simulation", attests)
    (folder / "fiche.yaml").write_text(text, encoding="utf-8")
    ended = fiche("check", folder / "fiche.yaml")
    assert ended.code == 2
    assert "F589 the simulation 'sim' attests nothing" in ended.err


def test_a_report_has_its_section_and_its_picture(fiche, folder):
    ended = fiche("report", folder / "fiche.yaml", "-o", folder / "out", "--formats", "html,json")
    assert ended.code == 0, ended.err
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "<section id=simulation " in page
    assert "<figure class=picture id=window-sim-0>" in page
    told = json.loads((folder / "out" / "decision.json").read_text(encoding="utf-8"))
    assert [one["phase"] for one in told["simulations"][0]["phases"]] == ["prefill", "decode"]
    assert not [one for one in told["pieces"][0]["warnings"] if "secret" in one]


def test_a_figure_walks_back_to_its_place_in_the_document(fiche, folder):
    path = folder / "fiche.yaml"
    told = fiche("explain", path, "limit.decode.difference").out
    assert "= limit.decode.simulated.allocated - limit.decode.formulas.allocated" in told
    assert "at sim#/phases/2/allocated_bytes/peak" in told
    assert "it neither admits nor excludes" in " ".join(told.split())
    made = fiche("explain", path, "limit.decode.simulated.reserved", "--json").json()
    (figure,) = made["figures"]
    assert (figure["basis"], figure["bytes"]) == ("computed", 23 * 2**30)
    assert figure["read"]["file"] == "sim.json"


def test_what_the_piece_says_is_computed_and_no_plan(fiche, folder):
    path = folder / "fiche.yaml"
    told = fiche("explain", path, "sim/planned.2").out
    assert "[computed]" in told
    assert "a plan" not in told
    assert "sim/planned.2" in fiche("explain", path, "sim").out
    assert fiche("explain", path, "sim/planned.2", "--json").json()["figures"][0]["basis"] == (
        "computed"
    )


def test_an_import_says_the_peaks_and_what_is_in_none(fiche, folder):
    told = fiche("import", folder / "sim.json").out
    assert "Computed, not observed" in told
    assert "22.46 GiB" in told
    assert "cuda_context" in told
    assert "Planned" not in told


def test_an_import_as_json_fits_its_schema(fiche, folder):
    schema = jsonschema_rs.validator_for(json.loads(schema_text("pieces.schema.json")))
    told = fiche("import", folder / "sim.json", "--json").json()
    assert [error.message for error in schema.iter_errors(told)] == []


def test_the_need_walks_back_to_the_peak_and_the_reserve(fiche, folder):
    told = fiche("explain", folder / "fiche.yaml", "limit.simulated.need").out
    assert "= limit.simulated.reserved + reserve.cuda-context + " in " ".join(told.split())
    assert "at sim#/uncovered/1/high_bytes" in told


def test_an_import_draws_its_window(fiche, folder):
    ended = fiche("import", folder / "sim.json", "--picture", folder / "sim.svg")
    assert ended.code == 0, ended.err
    drawn = (folder / "sim.svg").read_text(encoding="utf-8")
    assert "Memory of device 0 by simulation" in drawn
    assert ">prefill<" in drawn


def test_it_is_attached_without_a_scope_to_complete(fiche, folder):
    """It says its own words, and ran on no device."""
    path = folder / "fiche.yaml"
    path.write_text(
        FICHE.replace("  - {id: sim, file: sim.json, kind: simulation}\n", "").replace(
            "pieces:\n", ""
        ),
        encoding="utf-8",
    )
    ended = fiche("import", folder / "sim.json", "--to", path)
    assert ended.code == 0, ended.err
    text = path.read_text(encoding="utf-8")
    added = text[text.index("pieces:") :]
    assert "version: fiche-simulation/1" in added
    assert "scope" not in added
    assert "#" not in added.partition("candidates:")[0]
    assert fiche("check", path, "--json").json()["simulations"][0]["phases"]


def test_check_does_not_call_it_unused(fiche, folder):
    assert "sim is not used" not in fiche("check", folder / "fiche.yaml").out
    text = FICHE.replace("0e9e39f2", "deadbeef")
    (folder / "fiche.yaml").write_text(text, encoding="utf-8")
    told = " ".join(fiche("check", folder / "fiche.yaml").out.split())
    assert "sim is not used: it simulates another thing: model.revision" in told
