"""What a path holds becomes an entry with its files and the rows that it states, and with nothing else."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from fiche.archive import reading
from fiche.archive.decision_rows import decision_rows
from fiche.archive.document import MOST_BYTES, document_bytes, read_entry
from fiche.archive.entry import ORIGINS, OUTCOMES, Row
from fiche.archive.identity import is_own
from fiche.archive.reading import Told, entry_of
from fiche.archive.rows import _largest, rows_of
from fiche.importers._room import Room
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Observation, Printed, Reading, Result
from fiche.kernel.record import replace

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
TOLD = Told(importers=Room(), added="2026-12-01T10:00:00Z")
EVERY = sorted(
    path
    for path in SAMPLES.rglob("*")
    if path.is_file()
    and path.parent.name == "evidence"
    and path.suffix in (".json", ".log", ".pickle")
)


def refusal(path, told=TOLD):
    with pytest.raises(Refused) as refused:
        entry_of(path, told)
    return refused.value.diagnostics[0]


def test_a_record_has_its_four_counters_a_phase():
    entry, files = entry_of(SAMPLES / "serving" / "evidence" / "run-limit.json", TOLD)
    assert (entry.kind, entry.format, entry.date) == ("record", "fiche-measurement/1", "2026-11-19")
    assert entry.own_id == "limit-1"
    assert entry.tool_version == "docs-assistant-bench 0.4.1"
    assert list(files) == [entry.main] == ["run-limit.json"]
    first = [row for row in entry.rows if row.which_pass == "first"]
    about = {
        (r.model, r.card, r.machine, r.engine, r.engine_version, r.case, r.phase) for r in first
    }
    assert about == {
        (
            "meta-llama/Llama-3.1-8B-Instruct",
            "nvidia-rtx-4090-24g",
            "northlab-g07",
            "transformers",
            "5.17.0",
            "limit",
            "whole_loop",
        )
    }
    amounts = {row.quantity: row.amount for row in first}
    assert amounts["max_memory_allocated.peak"] == "21801688064"
    assert amounts["max_memory_reserved.peak"] == "22271754240"
    assert amounts["memory_allocated.current"] == "16060523008"
    assert amounts["memory_reserved.current"] == "22271754240"
    assert amounts["process_device_used.peak"] == "22772973568"
    assert amounts["duration"] == "24.93"
    assert {row.outcome for row in first} == {"passed"}
    assert {row.revision for row in entry.rows} == {"0e9e39f249a16976918f6564b8830bc894c89659"}


def test_the_place_of_a_row_leads_to_its_amount():
    path = SAMPLES / "serving" / "evidence" / "run-limit.json"
    entry, _ = entry_of(path, TOLD)
    document = json.loads(path.read_text())
    looked_up = 0
    for row in entry.rows:
        here = document
        for part in row.place.split("/")[1:]:
            here = here[int(part)] if isinstance(here, list) else here[part]
        if row.unit == "B":
            assert str(here) == row.amount
            looked_up += 1
    assert looked_up > 20


def test_a_message_of_failure_has_what_it_names_and_no_peak():
    entry, _ = entry_of(SAMPLES / "incident" / "evidence" / "server.log", TOLD)
    failed = [row for row in entry.rows if row.outcome == "failed"]
    assert {row.quantity for row in failed} >= {
        "allocator_oom",
        "failure.requested",
        "failure.free",
    }
    assert not any("peak" in row.quantity for row in entry.rows)
    assert entry.kind == "piece"
    # A plan is no observation.
    planned = [row for row in entry.rows if row.quantity.startswith("vllm.kv_cache_tokens")]
    assert [row.origin for row in planned] == ["computed"]


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parents[1].name}/{path.name}")
def test_every_sample_of_evidence_is_taken(path):
    entry, files = entry_of(path, TOLD)
    assert is_own(entry)
    assert read_entry(document_bytes(entry)) == entry
    assert list(files.values()) == [path.read_bytes()]
    for row in entry.rows:
        assert row.origin in (("",) if not row.amount else ORIGINS)
        assert row.outcome in ("", *OUTCOMES)
        assert bool(row.amount) <= bool(row.quantity)
        if row.amount:
            Fraction(row.amount)


def test_a_fiche_comes_with_all_that_it_names():
    entry, files = entry_of(SAMPLES / "serving" / "fiche.yaml", TOLD)
    names = {one.name or one.path for one in entry.files}
    assert {"fiche.yaml", "evidence/run-limit.json", "fiche:policies/neutral.yaml"} <= names
    assert any(name.startswith("fiche:catalog/") for name in names)
    assert entry.kind == "fiche"
    assert entry.main == "fiche.yaml"
    assert entry.author == "A. Martin"
    assert (
        files["evidence/run-limit.json"]
        == (SAMPLES / "serving/evidence/run-limit.json").read_bytes()
    )
    assert {row.candidate for row in entry.rows} == {"rent-4090", "rent-6000-ada", "own-4080"}


@pytest.mark.parametrize(
    ("name", "kind", "form"),
    [
        ("samples/buy-or-rent/offers.yaml", "catalog", "offers/1"),
        ("samples/dense/cards.yaml", "catalog", "catalog/1"),
        ("src/fiche/policies/strict.yaml", "policy", "policy/1"),
        ("samples/committee/earlier/decision-2024.json", "decision", "fiche-decision/1"),
    ],
)
def test_other_files_by_their_content(name, kind, form):
    entry, _ = entry_of(ROOT / name, TOLD)
    assert (entry.kind, entry.format) == (kind, form)
    assert entry.title
    assert entry.rows or kind in ("policy", "decision")  # that one is shortened


DECISION = {
    "format": "fiche-decision/1",
    "title": "which card",
    "date": "2026-11-29",
    "author": "A. Martin",
    "fiche": {"id": "73b8ee8b-4d2d-57d4-a848-2cd429b97b65"},
    "tool": {"name": "fiche", "version": "0.1.0"},
    "workload": {"facts": {"model.name": {"value": "m"}, "engine.name": {"value": "vllm"}}},
    "figures": [
        {"id": "a.cost", "basis": "computed", "unit": "EUR", "value": "899.50"},
        {"id": "b.cost", "basis": "declared", "unit": "EUR", "low": "10", "high": "20"},
        {"id": "a.margin", "basis": "computed", "unit": "B", "bytes": 2477785088},
    ],
    "candidates": [
        {
            "id": "a",
            "gpu": "card-a",
            "machine": "n1",
            "verdict": "admissible",
            "cost": "a.cost",
            "useful_margin": "a.margin",
        },
        {
            "id": "b",
            "gpu": "card-b",
            "machine": "",
            "verdict": "to_confirm",
            "cost": "b.cost",
            "useful_margin": None,
        },
    ],
    "findings": [
        {
            "candidate": "a",
            "kind": "memory",
            "case": "limit",
            "device": "cuda:0",
            "verdict": "admissible",
            "need": {"basis": "observed", "unit": "B", "bytes": 22772973568},
            "have": {"basis": "declared", "unit": "B", "bytes": 1},
        },
        {
            "candidate": "b",
            "kind": "delivery",
            "case": "",
            "device": "",
            "verdict": "exclude",
            "need": {"basis": "observed", "unit": "date", "value": "739000"},
            "have": None,
        },
    ],
}


def test_a_decision_has_a_row_a_candidate(tmp_path):
    path = tmp_path / "decision.json"
    path.write_text(json.dumps(DECISION))
    entry, _ = entry_of(path, TOLD)
    assert (entry.title, entry.date, entry.author) == ("which card", "2026-11-29", "A. Martin")
    assert entry.own_id == DECISION["fiche"]["id"]
    assert entry.tool_version == "fiche 0.1.0"
    told = [
        (r.candidate, r.card, r.quantity, r.amount, r.unit, r.origin, r.outcome) for r in entry.rows
    ]
    assert told == [
        ("a", "card-a", "", "", "", "", "admissible"),
        ("a", "card-a", "cost", "899.50", "EUR", "computed", "admissible"),
        ("a", "card-a", "useful_margin", "2477785088", "B", "computed", "admissible"),
        ("b", "card-b", "", "", "", "", "to confirm"),
        ("b", "card-b", "cost.at_least", "10", "EUR", "declared", "to confirm"),
        ("b", "card-b", "cost.at_most", "20", "EUR", "declared", "to confirm"),
        ("a", "card-a", "memory.need", "22772973568", "B", "observed", "admissible"),
    ]
    assert {row.model for row in entry.rows} == {"m"}
    assert entry.rows[-1].case == "limit"


@pytest.mark.parametrize("key", [key for key in DECISION if key not in ("format",)])
@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [[]], [{"id": []}]], ids=str)
def test_a_decision_that_is_not_as_its_schema_says_gives_what_it_gives(key, value):
    for row in decision_rows({**DECISION, key: value}):
        assert all(isinstance(getattr(row, name), str) for name in type(row).__fields__)


def test_what_a_decision_says_of_keeping_it_holds(tmp_path):
    kept = {"rights": "CC-BY-4.0", "confidentiality": "internal", "keep_until": "2036-01-01"}
    pieces = [{"id": "quote", "confidentiality": "confidential"}, {"id": "run"}]
    path = tmp_path / "decision.json"
    path.write_text(
        json.dumps({**DECISION, "fiche": {**DECISION["fiche"], **kept}, "pieces": pieces})
    )
    entry, _ = entry_of(path, TOLD)
    assert (entry.rights, entry.keep_until) == ("CC-BY-4.0", "2036-01-01")
    assert entry.confidentiality == "confidential"
    told = replace(TOLD, rights="ours", keep_until="2040-01-01", confidentiality="public")
    entry, _ = entry_of(path, told)
    assert (entry.rights, entry.keep_until) == ("ours", "2040-01-01")
    assert entry.confidentiality == "confidential"  # nobody makes it less than it says


def test_what_a_fiche_says_of_keeping_it_holds(tmp_path):
    text = (SAMPLES / "one-change" / "fiche.yaml").read_text()
    for path in (SAMPLES / "one-change").rglob("*"):
        if path.is_file():
            (tmp_path / path.relative_to(SAMPLES / "one-change")).parent.mkdir(exist_ok=True)
            (tmp_path / path.relative_to(SAMPLES / "one-change")).write_bytes(path.read_bytes())
    (tmp_path / "fiche.yaml").write_text(f"{text}\nrights: CC0-1.0\nconfidentiality: internal\n")
    entry, _ = entry_of(tmp_path / "fiche.yaml", TOLD)
    assert (entry.rights, entry.confidentiality) == ("CC0-1.0", "internal")


def test_a_folder_of_a_report_is_kept_whole(tmp_path):
    (tmp_path / "attachments").mkdir()
    for name, content in (
        ("decision.json", json.dumps(DECISION)),
        ("report.html", "<html>"),
        ("attachments/a", ""),
    ):
        (tmp_path / name).write_text(content)
    entry, files = entry_of(tmp_path, TOLD)
    assert (entry.kind, entry.main) == ("decision", "decision.json")
    assert set(files) == {"decision.json", "report.html", "attachments/a"}
    (tmp_path / "attachments" / "link").symlink_to("/etc/passwd")
    assert refusal(tmp_path).code == "F935"


def test_a_report_is_read_by_what_it_carries(tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.7 made up")
    carried = {"decision.json": json.dumps(DECISION).encode(), "fiche.yaml": b"fiche: 1"}
    entry, files = entry_of(path, replace(TOLD, attached=lambda content: carried))
    assert (entry.kind, entry.main, entry.title) == ("decision", "report.pdf", "which card")
    assert files["attachments/fiche.yaml"] == b"fiche: 1"
    assert files["report.pdf"] == path.read_bytes()
    assert len(entry.rows) == 7


def test_what_is_nothing_of_these_is_refused(tmp_path):
    assert refusal(tmp_path).code == "F935"
    (tmp_path / "notes.yaml").write_text("colour: red\n")
    assert refusal(tmp_path / "notes.yaml").code == "F935"
    (tmp_path / "text.txt").write_text("nothing that anybody knows\n")
    assert refusal(tmp_path / "text.txt").code == "F420"
    assert refusal(tmp_path / "absent.json").code == "F318"
    (tmp_path / "decision.json").write_text('{"format": "fiche-decision/9"}')
    assert refusal(tmp_path / "decision.json").code == "F935"
    (tmp_path / "fiche.yaml").write_text("fiche: 1\ntitle: 3\n")
    assert refusal(tmp_path / "fiche.yaml").code.startswith("F")


def test_a_document_is_taken_where_its_kind_is_said(tmp_path):
    (tmp_path / "quote.txt").write_text("Offer 12, valid until 2026-12-31: 47.14 USD\n")
    entry, _ = entry_of(tmp_path / "quote.txt", replace(TOLD, kind="document"))
    assert (entry.kind, entry.format) == ("piece", "document")


def test_what_is_said_of_an_entry_is_no_part_of_its_id():
    path = SAMPLES / "serving" / "evidence" / "run-limit.json"
    told = replace(
        TOLD, labels={"project": "docs"}, rights="CC0", keep_until="2036-01-01", supersedes=("x",)
    )
    entry, _ = entry_of(path, told)
    assert (entry.labels, entry.rights) == ({"project": "docs"}, "CC0")
    assert entry.id == entry_of(path, TOLD)[0].id


def test_a_series_may_have_any_name(tmp_path):
    told = json.loads((SAMPLES / "serving" / "evidence" / "run-limit.json").read_text())
    told["series"]["id"] = "v1.2.night"
    (tmp_path / "run.json").write_text(json.dumps(told))
    assert entry_of(tmp_path / "run.json", TOLD)[0].own_id == "v1.2.night"


def test_what_is_long_is_read_from_its_file_and_never_held(tmp_path, monkeypatch):
    path = tmp_path / "server.log"
    path.write_bytes((SAMPLES / "incident" / "evidence" / "server.log").read_bytes())
    short, _ = entry_of(path, TOLD)
    monkeypatch.setattr(reading, "_LONG", 100)
    asked = []

    def long(path, kind):
        asked.append((path, kind))
        return Room().read(path.read_bytes(), "", path.name, kind)

    entry, files = entry_of(path, replace(TOLD, long=long))
    assert asked == [(path, "")]
    assert files == {"server.log": path}
    assert entry == short
    assert refusal(path, replace(TOLD, long=long, kind="nosuch")).code == "F423"


AT = Pointer(sha256="0" * 64, line=1)


def printed(value):
    return Printed(
        text=str(value), unit_bytes=1, value=value, low=value, high=value, rounding="exact"
    )


def seen(counter, stat, value, line=1):
    return Observation(
        counter=counter,
        scope="device",
        stat=stat,
        kind_of_origin="measured",
        pointer=replace(AT, line=line),
        value=printed(value),
    )


def test_of_a_series_the_largest_is_a_row_and_of_free_memory_the_smallest():
    series = [seen("used", "current", n % 70, n) for n in range(5000)]
    series += [seen("free", "free", 100 + n % 70, n) for n in range(5000)]
    rows = rows_of(Reading(kind="x", shape="y", observations=tuple(series)))
    assert [(r.quantity, r.amount) for r in rows] == [("used.current", "69"), ("free.free", "100")]
    assert rows[0].place == "line 69"


def test_an_amount_that_was_not_printed_is_no_row_with_one():
    absent = Printed(
        text="N/A",
        unit_bytes=None,
        value=None,
        low=None,
        high=None,
        rounding="exact",
        unavailable=True,
    )
    rows = rows_of(
        Reading(kind="x", shape="y", observations=(replace(seen("used", "peak", 1), value=absent),))
    )
    assert [(r.quantity, r.amount, r.unit, r.origin) for r in rows] == [("used.peak", "", "", "")]


def test_a_result_is_as_printed_or_both_ends():
    exact = Result(
        metric="acc", text="0.75", low=Fraction(3, 4), high=Fraction(3, 4), unit="score", pointer=AT
    )
    wide = replace(exact, text="75 %", low=Fraction(149, 200), high=Fraction(151, 200), stat="mean")
    rows = rows_of(Reading(kind="x", shape="y", results=(exact, wide)))
    assert [(r.quantity, r.amount, r.unit) for r in rows] == [
        ("acc", "0.75", "score"),
        ("acc.mean.at_least", "0.745", "score"),
        ("acc.mean.at_most", "0.755", "score"),
    ]


def test_an_entry_that_would_be_too_long_keeps_what_a_reader_takes(tmp_path):
    candidates = [{**DECISION["candidates"][1], "id": f"{n}-" + "x" * 2000} for n in range(2500)]
    (tmp_path / "decision.json").write_text(json.dumps({**DECISION, "candidates": candidates}))
    entry, _ = entry_of(tmp_path / "decision.json", TOLD)
    assert len(document_bytes(entry)) <= MOST_BYTES
    assert len(entry.rows) > 1000


@pytest.mark.parametrize(
    ("check", "outcome"),
    [
        ({"status": "checked", "passed": False, "method": "tokens"}, "failed"),
        ({"status": "not_checked"}, "passed"),
    ],
)
def test_a_run_whose_output_did_not_pass_is_no_run_that_passed(tmp_path, check, outcome):
    told = json.loads((SAMPLES / "serving" / "evidence" / "run-limit.json").read_text())
    told["phases"][0]["output_check"] = check
    (tmp_path / "run.json").write_text(json.dumps(told))
    entry, _ = entry_of(tmp_path / "run.json", TOLD)
    first = {row.outcome for row in entry.rows if row.place.startswith("/phases/0")}
    later = {row.outcome for row in entry.rows if row.place.startswith("/phases/1")}
    assert (first, later) == ({outcome}, {"passed"})


def test_a_figure_without_room_is_one_row_also_in_another_unit():
    entry, _ = entry_of(SAMPLES / "scores" / "evidence" / "bench-serve.json", TOLD)
    first = [row for row in entry.rows if row.case.endswith("concurrency 16")]
    told = {row.quantity: (row.amount, row.unit) for row in first}
    assert told["ttft.mean"] == ("0.4127", "s")
    assert told["completed.total"] == ("200", "requests")
    assert not any(name.endswith((".at_least", ".at_most")) for name in told)


def test_of_two_failures_the_least_free_memory_is_kept():
    rows = [
        Row(quantity="failure.free", amount=amount, unit="B", origin="observed", place=place)
        for amount, place in (("100", "line 1"), ("70", "line 2"))
    ]
    assert [row.place for row in _largest(rows)] == ["line 2"]
