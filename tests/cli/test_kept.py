"""Files of earlier versions, kept as they were, say to today's fiche what they said then (tests/kept)."""

import json
from pathlib import Path

import pytest

from fiche.verify.sums import sums_of

KEPT = Path(__file__).parents[1] / "kept"

# What each said on its day: of each candidate its status, of the pieces what they are.
FICHES = {
    "2026-11-30-dense": (
        {"looked-at": "to_confirm", "measured": "to_confirm"},
        ["fiche_record", "fiche_record", "fiche_environment"],
    ),
    "2026-11-30-guide": ({"rtx-4090": "to_confirm", "rtx-6000-ada": "to_confirm"}, []),
    "2026-11-30-one-change": (
        {
            "four-at-once": "retained",
            "larger-card": "to_confirm",
            "smaller-cache": "to_confirm",
            "smaller-weights": "to_confirm",
            "as-it-is": "excluded",
        },
        ["torch_oom", "fiche_record", "result"],
    ),
    "2026-11-30-qlora": (
        {"microbatch-1": "to_confirm", "rent-a6000": "to_confirm", "lab-3090": "excluded"},
        ["fiche_record"] * 5,
    ),
    "2026-11-30-serving": (
        {"rent-4090": "retained", "rent-6000-ada": "to_confirm", "own-4080": "excluded"},
        [*["fiche_record"] * 4, "torch_oom", "quote", "quote", "result"],
    ),
    "2026-12-01-committee": (
        {"two-6000-ada": "to_confirm", "two-a6000": "to_confirm", "one-h100": "excluded"},
        ["fiche_record", "result", "quote", "quote", "quote", "document", "document"],
    ),
}
WEIGHTS = {"2026-11-30-guide": 14_000_000_000, "2026-11-30-serving": 16_060_522_496}
RECORDS = sorted(KEPT.glob("fiches/*/evidence/*.json"))
DECISIONS = {
    "1.0-guide": ("guide", "", 6),
    "1.0-serving": ("serving", "", 30),
    "1.1-guide": ("guide", "1.1", 6),
    "1.1-serving": ("serving", "1.1", 30),
}


def test_no_kept_file_was_edited_or_taken_away():
    found = sums_of(KEPT)
    assert found.holds
    assert found.unlisted == ("README.md",)
    assert len(found.same) >= 44


def test_each_kept_document_is_looked_at():
    assert {path.name for path in (KEPT / "fiches").iterdir()} == set(FICHES)
    assert {path.stem for path in (KEPT / "decisions").iterdir()} == set(DECISIONS)


@pytest.mark.parametrize("name", FICHES)
def test_an_old_fiche_is_judged_as_on_its_day(fiche, name):
    statuses, kinds = FICHES[name]
    decision = fiche("check", KEPT / "fiches" / name / "fiche.yaml", "--json").json()
    assert {c["id"]: c["status"] for c in decision["candidates"]} == statuses
    assert [piece["kind"] for piece in decision["pieces"]] == kinds
    if name in WEIGHTS:
        figures = {figure["id"]: figure for figure in decision["figures"]}
        assert figures["weights"]["bytes"] == WEIGHTS[name]


@pytest.mark.parametrize("path", RECORDS, ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_an_old_record_is_read(fiche, path):
    document = json.loads(path.read_text(encoding="utf-8"))
    if path.stem == "decision-2024":
        return  # an earlier decision of another program, cited as a document
    (piece,) = fiche("import", path, "--json").json()["pieces"]
    assert piece["kind"] == {
        "fiche-measurement/1": "fiche_record",
        "fiche-environment/1": "fiche_environment",
    }.get(document["format"])
    peaks = [
        read["peak"]["reserved_bytes"]
        for phase in document.get("phases", ())
        for read in phase["devices"]
        if read["peak"].get("reserved_bytes") is not None
    ]
    text = json.dumps(piece)
    assert all(str(peak) in text for peak in peaks)


@pytest.mark.parametrize("name", DECISIONS)
def test_an_old_decision_is_read_and_compared(fiche, name):
    """Against today's of the same fiche: verdicts are the same, unless the fiche itself moved on."""
    sample, version, findings = DECISIONS[name]
    path = KEPT / "decisions" / f"{name}.json"
    old = json.loads(path.read_text(encoding="utf-8"))
    assert old.get("schema_version", "") == version
    assert len(old["findings"]) == findings
    now = KEPT / "fiches" / f"2026-11-30-{sample}" / "fiche.yaml"
    ended = fiche("diff", path, now, "--json")
    assert ended.code == 0, ended.err
    told = ended.json()
    # The serving sample had moved on by the time that its decisions were kept: that is what is told of it.
    assert told["empty"] is (sample == "guide")
    assert len(told["verdicts"]) == (0 if sample == "guide" else 2)
    assert told["candidates"] == []
    statuses = {c["id"]: c["status"] for c in old["candidates"]}
    assert statuses == FICHES[f"2026-11-30-{sample}"][0]


def test_an_old_policy_judges_and_an_old_review_is_printed(fiche, tmp_path):
    import shutil

    folder = tmp_path / "committee"
    shutil.copytree(KEPT / "fiches" / "2026-12-01-committee", folder)
    review = KEPT / "reviews" / "2026-12-01-committee.yaml"
    text = (folder / "fiche.yaml").read_text(encoding="utf-8")
    assert "policy: french-public-research.yaml" in text
    shutil.copy(KEPT / "policies" / "2026-12-01-neutral.yaml", folder / "neutral.yaml")
    own = text.replace("policy: french-public-research.yaml", "policy: neutral.yaml")
    (folder / "fiche.yaml").write_text(own, encoding="utf-8")
    decision = fiche("check", folder / "fiche.yaml", "--json").json()
    assert decision["policy"]["name"] == "neutral"
    written = ("-o", tmp_path / "out", "--formats", "md")
    assert fiche("report", folder / "fiche.yaml", "--review", review, *written).code == 0
    assert "P. Vidal" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
