"""`fiche archive search`: every observation of a model on a card, with its unit, its origin and its place."""

import csv
import io
import json
import re

import pytest
from archive.kept_entries import HOSTILE, entry, observed

from fiche.archive.entry import Kept
from fiche.archive.identity import id_of
from fiche.archive.store import Store
from fiche.cli.terminal import clean
from fiche.kernel.record import replace

LLAMA, CARD = "meta-llama/Llama-3.1-8B-Instruct", "NVIDIA GeForce RTX 4090"
ABOUT = {"model": LLAMA, "card": CARD, "engine": "vllm", "engine_version": "0.28.0"}
ROWS = (
    observed(**ABOUT, phase="decode", quantity="max_memory_reserved.peak", amount="22271754240",
             outcome="passed", place="/phases/2/peak", case="limit"),
    observed(**ABOUT, quantity="duration", amount="24.93", unit="s", outcome="passed"),
)  # fmt: skip


def added(where, number, **told):
    """The id of an entry that is in the archive with one file."""
    import hashlib

    store = Store.made(str(where))
    store.durable = False
    content = str(number).encode()
    kept = Kept(
        path="run.json",
        num_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        media_type="application/json",
    )
    one = entry(number, files=(kept,), **told)
    one = replace(one, id=id_of(one.kind, one.files))
    store.put(one, {"run.json": content})
    return one.id


@pytest.fixture
def archive(tmp_path, monkeypatch):
    where = tmp_path / "archive"
    monkeypatch.setenv("FICHE_ARCHIVE", str(where))
    monkeypatch.delenv("FICHE_ARCHIVE_INDEX", raising=False)
    return where


@pytest.fixture
def two(archive):
    """A run on a 4090, and a decision of another day on another card."""
    run = added(archive, 1, rows=ROWS, date="2026-11-19", title="Run of the limit case")
    row = observed(model="Qwen/Qwen3-32B", card="nvidia-l4-24g", outcome="to confirm",
                   origin="computed", quantity="envelope", candidate="one-l4")  # fmt: skip
    decision = added(archive, 2, kind="decision", rows=(row,), date="2026-12-01", rights="CC BY 4.0",
                     labels={"project": "docs"}, supersedes=(run,))  # fmt: skip
    return run, decision


def ids(ended):
    return ended.out.split()


def test_every_observation_of_a_model_on_a_card(fiche, two):
    ended = fiche("archive", "search", "--model", "llama-3.1-8b", "--card", "nvidia-rtx-4090-24g")
    assert ended.code == 0
    assert f"{LLAMA} on {CARD}, vllm 0.28.0" in ended.out
    assert "limit, decode: passed" in ended.out
    line = r"max_memory_reserved\.peak +22 271 754 240 B \(20\.74 GiB\) +observed +/phases/2/peak"
    assert re.search(line, ended.out)
    assert re.search(r"duration +24\.93 s +observed", ended.out)
    assert "2 rows in 1 entry, of 2 entries in" in ended.out
    assert f"{two[0][:8]}  2026-11-19  record  Run of the limit case  [superseded]" in ended.out


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["--model", "LLAMA"], 0),
        (["--model", f"={LLAMA.lower()}"], 0),
        (["--model", f'"{LLAMA}"'], 0),
        (["--model", "=llama"], None),
        (["--model", "qwen", "--model", "llama"], 2),
        (["--card", "rtx 4090"], 0),
        (["--card", "l4"], 1),
        (["--engine", "vllm", "--engine-version", "0.28"], 0),
        (["--engine-version", "28"], None),
        (["--verdict", "to confirm"], 1),
        (["--outcome", "passed"], 0),
        (["--kind", "decision"], 1),
        (["--from", "2026-11-20"], 1),
        (["--until", "2026-11-19"], 0),
        (["--label", "project=doc"], 1),
        (["--label", "project==doc"], None),
        (["--label", "project"], 1),
        (["--case", "limit"], 0),
        (["--candidate", "l4"], 1),
        (["--quantity", "reserved", "--min", "20 GiB", "--max", "21 GiB"], 0),
        (["--quantity", "reserved", "--min", "20.75 GiB"], None),
        (["--min", "24 s", "--max", "0.5 min"], 0),
        (["--min", "24931 ms"], None),
        (["--superseded"], 0),
        (["--current"], 1),
        (["--rights", "cc by"], 1),
        (["llama", "LIMIT"], 0),
        (["llama", "qwen"], None),
        (["--machine", "="], 2),
        (["--digest", "6b86b273"], 0),
        (["--digest", "sha256:6B86B273FF34FCE19D6B804EFF5A3F5747ADA4EAA22F1D49C01E52DDB7875B4B"], 0),
    ],
)  # fmt: skip
def test_each_option_finds_what_it_says(fiche, two, asked, found):
    expected = {None: set(), 2: set(two)}.get(found) if found in (None, 2) else {two[found]}
    assert set(ids(fiche("archive", "search", "--ids", *asked))) == expected


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["--model", ""], "F954"),
        (["--digest", "xyz"], "F954"),
        (["--limit", "-1"], "F954"),
        (["--from", "1.2.2026"], "F207"),
        (["--min", "16G"], "F203"),
        (["--min", "1,5 s"], "F2"),
        (["--verdict", "passed"], "F701"),
        (["--kind", "run"], "F701"),
        (["--sort", "size"], "F701"),
        (["--json", "--csv"], "F702"),
        (["--current", "--superseded"], "F702"),
    ],
)
def test_an_option_without_one_reading_is_refused(fiche, two, asked, code):
    ended = fiche("archive", "search", *asked)
    assert ended.code == 2
    assert ended.out == ""
    assert re.match(code, ended.err)


def test_where_nothing_is_found_it_is_said_what_was_looked_through(fiche, two):
    ended = fiche("archive", "search", "--model", "lamma", "--card", "4090")
    assert ended.code == 0
    assert ended.out.startswith("nothing found: looked through 2 entries with 3 rows in")
    assert "model 'lamma' alone: none" in ended.out
    assert "card '4090' alone: 1 entry" in ended.out


def test_json_says_all_that_a_row_says(fiche, two):
    told = fiche("archive", "search", "--model", "llama", "--json", "--limit", 1).json()
    assert (told["format"], told["num_rows"], told["num_entries"]) == (
        "fiche-archive-search/1", 2, 1,
    )  # fmt: skip
    assert told["looked_through"] == {"entries": 2, "rows": 3, "undated": 0}
    (found,) = told["found"]
    assert found["row"]["amount"] == "22271754240"
    assert found["row"]["unit"] == "B"
    assert found["row"]["origin"] == "observed"
    assert found["entry"]["superseded"] is True


def test_json_is_what_its_schema_says(fiche, two):
    import jsonschema_rs

    from fiche.assets import schema_dir

    schema = json.loads((schema_dir() / "archive-search.schema.json").read_text())
    for asked in ((), ("--model", "lamma"), ("--from", "2026-11-20"), ("--kind", "catalog")):
        told = fiche("archive", "search", "--json", *asked).json()
        assert jsonschema_rs.validator_for(schema).is_valid(told)


def test_csv_has_every_row_with_its_unit_and_origin(fiche, two):
    ended = fiche("archive", "search", "--csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [row["amount"] for row in rows] == ["1024", "22271754240", "24.93"]
    assert all(row["unit"] and row["origin"] for row in rows)
    cut = fiche("archive", "search", "--csv", "--limit", 1)
    assert "--limit 0 shows all" in cut.err


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_neither_act_nor_hide(fiche, archive, text):
    row = observed(model=text, card=text, machine=text, quantity=text, place=text, case=text)
    safe = text.encode("utf-8", "replace").decode()
    added(archive, 1, rows=(replace(row, unit=safe, outcome="passed"),), title=safe, rights=safe)
    argument = safe.replace("\0", "")  # no shell hands one over
    asked = ((), (argument,), ("--model", argument, "--csv"), ("--label", argument, "--json"))
    for each in (*asked, ("--csv",), ("--json",)):
        ended = fiche("archive", "search", *each)
        assert ended.code == 0, ended.err
        printed = ended.out.replace("\r\n", "\n")
        assert clean(printed) == printed
    for command in (["list"], ["show", "6"], ["show", id_prefix(fiche)]):
        ended = fiche("archive", *command)
        assert clean(ended.out + ended.err) == ended.out + ended.err


def id_prefix(fiche):
    return fiche("archive", "search", "--ids").out.strip()[:8]


def test_lines_fit_a_terminal_of_eighty_columns(fiche, two, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for command in (["search"], ["list"], ["show", two[0]]):
        text = fiche("archive", *command).out
        long = [line for line in text.splitlines() if len(line) > 80]
        # What is copied stays whole: a digest's line, a path, a line for a fiche.
        assert [line for line in long if not re.search(r"[0-9a-f]{64}|/archive", line)] == []


def test_a_closed_index_is_named_by_variable_and_option(fiche, two, tmp_path, monkeypatch):
    other = tmp_path / "other.sqlite3"
    monkeypatch.setenv("FICHE_ARCHIVE_INDEX", str(other))
    assert fiche("archive", "search", "--ids").code == 0
    assert other.exists()
    third = tmp_path / "third.sqlite3"
    assert fiche("archive", "list", "--index", f"sqlite:///{third}").code == 0
    assert third.exists()
    assert fiche("archive", "list", "--index", "mysql://host/db").err.startswith("F953")


def test_what_an_archive_names_as_its_index_is_followed_only_where_that_is_asked_for(
    fiche, two, archive, tmp_path, monkeypatch
):
    victim = tmp_path / "victim.txt"
    victim.write_text("of somebody")
    marker = archive / "fiche-archive.json"
    told = json.loads(marker.read_text())
    marker.write_text(json.dumps({**told, "index": str(victim)}))
    passed_over = fiche("archive", "list")
    assert (passed_over.code, passed_over.err.split(":")[0]) == (
        0,
        "fiche-archive.json names an index, which is not used",
    )
    assert fiche("archive", "list", "--index", "archive").err.startswith("F953")
    marker.write_text(json.dumps({**told, "index": "postgresql://127.0.0.1:1/team"}))
    monkeypatch.setenv("FICHE_ARCHIVE_INDEX", "archive")
    followed = fiche("archive", "list")
    assert (followed.code, followed.err[:4]) == (2, "F952")
    marker.write_text(json.dumps(told))
    assert fiche("archive", "list").code == 0
    assert victim.read_text() == "of somebody"


def test_without_an_archive_it_is_said_how_one_is_named(fiche, monkeypatch):
    monkeypatch.delenv("FICHE_ARCHIVE", raising=False)
    ended = fiche("archive", "search")
    assert (ended.code, ended.err[:4]) == (2, "F930")
