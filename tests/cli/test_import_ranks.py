"""`fiche import --merge` and folders of records: ranks of one run together, records never mixed (C7, C9)."""

import copy
import hashlib
import json
import shutil
from pathlib import Path

import pytest
from importers.ranks import failed, rank
from importers.records import RECORD, document_bytes, journal_bytes, record

from fiche.assets import schema_text

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture
def write(tmp_path):
    def one(name, document):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(document if isinstance(document, bytes) else document_bytes(document))
        return path

    return one


def valid(printed):
    import jsonschema_rs

    validator = jsonschema_rs.Draft202012Validator(json.loads(schema_text("pieces.schema.json")))
    return [error.message for error in validator.iter_errors(printed)] == []


# --- Merging --------------------------------------------------------------------------------------


def test_ranks_are_written_as_one_record_and_shown(fiche, write, tmp_path):
    one, other = write("r0.json", rank(0)), write("r1.json", rank(1))
    before = [one.read_bytes(), other.read_bytes()]
    out = tmp_path / "run.json"
    ended = fiche("import", other, one, "--merge", out)
    assert (ended.code, ended.err) == (0, "")
    assert f"of rank 0 {one}, rank 1 {other}" in " ".join(ended.out.split())
    assert "cuda:1" in ended.out or "device 1" in ended.out
    assert [one.read_bytes(), other.read_bytes()] == before
    told = json.loads(out.read_text("utf-8"))["merged"]["from"]
    assert [each["sha256"] for each in told] == [hashlib.sha256(b).hexdigest() for b in before]


def test_the_merged_record_is_one_json_object_for_programs(fiche, write, tmp_path):
    out = tmp_path / "run.json"
    names = write("r0.json", rank(0)), write("r1.journal", journal_bytes(rank(1)))
    printed = fiche("import", *names, "--merge", out, "--json").json()
    assert valid(printed)
    assert printed["merged"]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert printed["pieces"][0]["facts"]["run"]["value"] == "run-1"


def test_nothing_is_written_over(fiche, write, tmp_path):
    names = write("r0.json", rank(0)), write("r1.json", rank(1))
    out = write("run.json", b"mine")
    ended = fiche("import", *names, "--merge", out)
    assert ended.code == 2
    assert "F610" in ended.err
    assert out.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r0.json", "r1.json", "run.json"]


@pytest.mark.parametrize(
    ("documents", "code"),
    [
        ([rank(0, world=4), rank(1, world=4), rank(2, world=4)], "F552"),
        ([rank(0), rank(1, lambda d: d["series"].update(run="other"))], "F551"),
        ([rank(0), rank(0)], "F553"),
        ([rank(0), RECORD], "F550"),
        ([rank(0), rank(1, lambda d: d["workload"].update(attention="eager"))], None),
        ([rank(0), rank(1, lambda d: d["workload"]["formats"].update(cache="fp8"))], "F554"),
        ([rank(0), rank(1, lambda d: d["environment"]["devices"][0].update(uuid="GPU-0"))], "F555"),
        ([rank(0), b"{}"], "F431"),
    ],
)
def test_what_is_no_whole_run_is_refused_and_leaves_nothing(
    fiche, write, tmp_path, documents, code
):
    names = [write(f"r{place}.json", each) for place, each in enumerate(documents)]
    out = tmp_path / "run.json"
    ended = fiche("import", *names, "--merge", out)
    assert (ended.code, out.exists()) == ((0, True) if code is None else (2, False))
    if code is not None:
        assert code in ended.err


def test_merging_goes_with_no_other_work(fiche, write, tmp_path):
    names = write("r0.json", rank(0)), write("r1.json", rank(1))
    ended = fiche(
        "import", *names, "--merge", tmp_path / "o.json", "--to", "fiche.yaml", "--redact"
    )
    assert ended.code == 2
    assert "F702" in ended.err
    assert "--to, --redact" in ended.err


def pair(tmp_path):
    """The sample of two cards, whose one process is told by two ranks instead."""
    shutil.copytree(SAMPLES / "two-cards", tmp_path / "pair")
    whole = json.loads((tmp_path / "pair/evidence/run-pair.json").read_text("utf-8"))
    for number in (0, 1):
        own = copy.deepcopy(whole)
        own["series"] |= {"run": "pair-1", "rank": {"rank": number, "world": 2, "node": "0"}}
        own["environment"]["devices"] = [own["environment"]["devices"][number]]
        for phase in own["phases"]:
            phase["devices"] = [d for d in phase["devices"] if d["device"] == f"cuda:{number}"]
        (tmp_path / f"r{number}.json").write_bytes(document_bytes(own))
    (tmp_path / "pair/evidence/run-pair.json").unlink()
    return tmp_path / "r0.json", tmp_path / "r1.json", tmp_path / "pair/fiche.yaml"


def status(fiche, path, candidate):
    (found,) = [
        c for c in fiche("check", path, "--json").json()["candidates"] if c["id"] == candidate
    ]
    return found["status"]


def test_two_ranks_put_together_admit_a_placement_of_two_devices(fiche, tmp_path):
    """C9, D4: per device, and only once every rank has told how it went."""
    one, other, path = pair(tmp_path)
    merged = path.parent / "evidence" / "run-pair.json"
    assert fiche("import", one, other, "--merge", merged).code == 0
    assert status(fiche, path, "pair-6000-ada") == "retained"
    report = tmp_path / "out"
    assert fiche("report", path, "-o", report, "--formats", "json").code == 0
    decision = json.loads((report / "decision.json").read_text("utf-8"))
    findings = [
        each
        for each in decision["findings"]
        if each["candidate"] == "pair-6000-ada" and each["requirement"] == "memory"
    ]
    assert {each["device"] for each in findings} == {"cuda:0", "cuda:1"}
    assert {each["verdict"] for each in findings} == {"admissible"}


@pytest.mark.parametrize("which", [0, 1])
def test_one_rank_alone_admits_no_placement_of_two(fiche, tmp_path, which):
    *ranks, path = pair(tmp_path)
    shutil.copy(ranks[which], path.parent / "evidence" / "run-pair.json")
    assert status(fiche, path, "pair-6000-ada") == "to_confirm"


def test_a_rank_that_failed_is_no_success_of_the_others(fiche, tmp_path):
    """The lower peak of the rank that went through is the ceiling of no device."""
    one, other, path = pair(tmp_path)
    document = json.loads(other.read_text("utf-8"))
    document["phases"] = [p for p in document["phases"] if p["ordering"] == "phased"]
    other.write_bytes(document_bytes(document))
    assert fiche("import", one, other, "--merge", path.parent / "evidence/run-pair.json").code == 0
    assert status(fiche, path, "pair-6000-ada") == "to_confirm"


# --- Folders --------------------------------------------------------------------------------------


def plan(index, value):
    return {"kind": "vary", "variable": "batch", "value": str(value), "index": index}


@pytest.fixture
def folder(write, tmp_path):
    """A campaign: two trials that went through, one that failed, one that was killed, and a log."""
    for index in range(2):
        document = record(lambda d, i=index: d["series"].update(plan=plan(i, 2 + i)))
        write(f"campaign/trial-{index}.json", document)
    write("campaign/trial-0.json.journal", journal_bytes(RECORD))
    write("campaign/deep/trial-2.json", record(failed))
    lines = journal_bytes(RECORD).split(b"\n")
    write("campaign/trial-3.json.journal", b"\n".join(lines[:4]) + b"\n")
    write("campaign/run.log", b"nothing")
    return tmp_path / "campaign"


def test_a_folder_is_one_line_a_record(fiche, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    ended = fiche("import", folder)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    rows = {line.split()[0]: line for line in lines if ".json" in line.split(" ")[0]}
    assert set(rows) == {
        "trial-0.json",
        "trial-1.json",
        "deep/trial-2.json",
        "trial-3.json.journal",
    }
    assert "batch 2, trial 0" in rows["trial-0.json"]
    assert "14.00 GiB cuda:0" in rows["trial-0.json"]
    assert "failure in serve" in rows["deep/trial-2.json"]
    assert "unknown" in rows["trial-3.json.journal"]
    assert "1 journal beside a document that says the same, 1 other file" in ended.out


def test_a_folder_is_one_json_object(fiche, folder):
    printed = fiche("import", folder, "--json").json()
    assert valid(printed)
    assert printed["others"] == 1
    told = {each["file"]: each for each in printed["records"]}
    assert [each["outcome"] for each in told.values()] == [
        "failure",
        "success",
        "success",
        "unknown",
    ]
    whole = told["trial-1.json"]
    assert whole["reserved_peak_later_pass"] == {
        "bytes": 14 << 30,
        "device": "cuda:0",
        "phase": "serve",
    }
    assert whole["reserved_peak_first_pass"] is None
    assert (whole["ordering"], whole["empty_cache"]) == ("whole loop", "never")


def test_what_a_failed_phase_reached_is_in_no_row(fiche, folder):
    """C11: a partial peak is no need."""
    printed = fiche("import", folder, "--json").json()
    (row,) = [each for each in printed["records"] if each["outcome"] == "failure"]
    assert row["failed"] == "serve"
    assert (row["reserved_peak_first_pass"], row["reserved_peak_later_pass"]) == (None, None)


def test_a_broken_record_leaves_the_others_shown(fiche, folder):
    (folder / "broken.json").write_bytes(document_bytes(RECORD)[:-300] + b"}}}}")
    ended = fiche("import", folder, "--json")
    assert ended.code == 2
    assert len(ended.json()["records"]) == 4
    assert [each["code"] for each in ended.json()["refused"]] == ["F430"]
    assert "broken.json" in ended.err


def test_a_folder_without_records_is_refused(fiche, tmp_path):
    (tmp_path / "run.log").write_text("nothing", encoding="utf-8")
    ended = fiche("import", tmp_path)
    assert ended.code == 2
    assert "F318" in ended.err
    assert "holds no record (1 other files)" in ended.err


def test_a_folder_is_shown_alone(fiche, folder):
    for more in (["--kind", "fiche_record"], ["--redact"], [folder / "run.log"]):
        ended = fiche("import", folder, *more)
        assert (ended.code, "F702" in ended.err) == (2, True)


def test_many_files_are_a_table_and_no_pages(fiche, write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    names = [write(f"m{number:02}.json", RECORD) for number in range(13)]
    log = write("run.log", b"RuntimeError: CUDA error: out of memory\n")
    ended = fiche("import", *names, log)
    assert ended.code == 0
    assert sum("14.00 GiB cuda:0" in line for line in ended.out.splitlines()) == 13
    assert sum(str(log) in line for line in ended.out.splitlines()) == 1
    assert len(ended.out.splitlines()) < 25


# --- Phases -----------------------------------------------------------------------------------------


def seen(document):
    document["phases"][0]["tensors"] = [
        {"name": "weight", "shape": [8, 4], "dtype": "torch.bfloat16", "place": "cuda"}
    ]


def test_what_ran_is_told_to_programs(fiche, write):
    """A3, C14: executed dimensions, tensors, durations and checks."""
    printed = fiche("import", write("m.json", record(seen)), "--json").json()
    assert valid(printed)
    load, serve = printed["pieces"][0]["runs"]
    assert load["tensors"] == {"weight": "8 x 4 bfloat16, cuda"}
    assert (serve["executed"]["prompt_tokens"], serve["declared"]["prompt_tokens"]) == (7912, 7900)
    assert serve["duration_ns"] == 40_000_000_000
    assert serve["output_check"] == "checked, passed: exact match of 20 outputs"


def test_what_ran_is_told_to_people(fiche, write):
    out = fiche("import", write("m.json", record(seen))).out
    assert "40.0 s" in out
    assert "8 x 4 bfloat16, cuda" in out


# --- Attached -------------------------------------------------------------------------------------


def test_a_piece_names_the_run_that_its_record_is_of(fiche, write, tmp_path):
    """Pieces of one run are grouped in the report."""
    path = tmp_path / "chat" / "fiche.yaml"
    fiche("new", path.parent)
    names = [write("m.json", record(run_id)), write("m.whole.json", record(whole_too))]
    assert fiche("import", *names, "--to", path).code == 0
    text = path.read_text("utf-8")
    assert text.count("run: run-9") == 2
    report = fiche("report", path, "-o", tmp_path / "out", "--formats", "html")
    assert report.code == 0, report.err
    html = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "id=table-together>" in html
    assert "run-9" in html
    table = html.partition("id=table-together>")[2].partition("</table>")[0]
    assert "tensors." not in table  # facts of a phase, and no scope of the piece
    assert "started_at" not in table  # a line a fact would fill a page
    assert "more in decision.json" in table


def run_id(document):
    seen(document)
    document["series"]["run"] = "run-9"


def whole_too(document):
    run_id(document)
    document["series"]["id"] = "series-8"


def test_a_folder_of_records_is_attached_record_by_record(fiche, folder, tmp_path):
    path = tmp_path / "chat" / "fiche.yaml"
    fiche("new", path.parent)
    ended = fiche("import", folder, "--to", path, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert len(ended.json()["attached"]["pieces"]) == 4
