"""Offers in CSV and JSON lines are offers in an archive, as those in YAML are."""

import json
from pathlib import Path

import pytest

from fiche.archive.reading import Told, entry_of
from fiche.importers._room import Room
from fiche.kernel.diagnostic import Refused
from fiche.load.source import source
from fiche.load.tree import parse
from fiche.market._written import written

SAMPLES = Path(__file__).parents[2] / "samples"
TOLD = Told(importers=Room(), added="2026-12-01T10:00:00Z")
OFFERS = (
    {"id": "a-1", "seller": "S", "kind": "rent", "gpu": "nvidia-l4-24g", "price.amount": "1 USD"},
    {"id": "b-2", "seller": "S", "kind": "buy", "gpu": "NVIDIA L40S", "price.amount": "9 000 EUR"},
)


def read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    return entry_of(tmp_path / name, TOLD)[0]


def code_of(tmp_path, name, content):
    with pytest.raises(Refused) as refused:
        read(tmp_path, name, content)
    return refused.value.diagnostics[0]


@pytest.mark.parametrize(("name", "first"), [("offers.csv", 2), ("offers.jsonl", 1)])
def test_what_fiche_writes_of_a_listing_is_kept_as_offers(tmp_path, name, first):
    entry = read(tmp_path, name, written(OFFERS, name))
    assert (entry.kind, entry.format, entry.title, entry.main) == (
        "catalog",
        "offers/1",
        name,
        name,
    )
    assert [(row.card, row.candidate, row.place) for row in entry.rows] == [
        ("nvidia-l4-24g", "a-1", f"line {first}"),
        ("NVIDIA L40S", "b-2", f"line {first + 1}"),
    ]


def test_the_same_offers_have_the_same_rows_in_every_form(tmp_path):
    yaml = SAMPLES / "guide" / "offers.yaml"
    wanted = [(row.card, row.candidate) for row in entry_of(yaml, TOLD)[0].rows]
    root = parse(source("offers.yaml", yaml.read_bytes()))
    told = [
        {**{key: one.text(key) for key in ("id", "seller", "kind", "gpu")}, "price.amount": "1 USD"}
        for one in root.each("list")
    ]
    for name in ("offers.csv", "offers.jsonl"):
        rows = read(tmp_path, name, written(told, name)).rows
        assert [(row.card, row.candidate) for row in rows] == wanted


@pytest.mark.parametrize(
    ("days", "date"),
    [
        (("2026-11-29", "2026-11-29"), "2026-11-29"),
        (("2026-11-29", "2026-11-30"), ""),
        (("", ""), ""),
    ],
)
def test_the_day_is_the_one_on_which_all_were_observed(tmp_path, days, date):
    offers = [{**one, "observed_on": day} for one, day in zip(OFFERS, days, strict=True)]
    assert read(tmp_path, "offers.csv", written(offers, "offers.csv")).date == date


def test_a_cell_of_several_lines_is_told_by_its_row(tmp_path):
    header, one, two = written(OFFERS, "offers.csv").splitlines()
    content = b"\n".join((header + b",notes", one + b',"two\nlines"', two + b",")) + b"\n"
    assert [row.place for row in read(tmp_path, "offers.csv", content).rows] == ["row 1", "row 2"]


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b""])
def test_a_header_in_quotes_or_behind_a_mark_is_one(tmp_path, head):
    header, *rest = written(OFFERS, "offers.csv").splitlines()
    quoted = b",".join(b'"%b"' % word for word in header.split(b","))
    entry = read(tmp_path, "offers.csv", head + b"\n".join((quoted, *rest)))
    assert len(entry.rows) == 2


@pytest.mark.parametrize("name", ["offers.csv", "offers.jsonl"])
def test_what_no_file_of_offers_may_say_is_refused(tmp_path, name):
    told = code_of(tmp_path, name, written((OFFERS[0], OFFERS[0]), name))
    assert told.code == "F306"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("prices.csv", b"name,price\nL4,1\n"),
        ("prices.jsonl", json.dumps({"name": "L4", "price": 1}).encode() + b"\n"),
    ],
)
def test_a_listing_of_another_program_is_refused_with_the_way_to_offers(tmp_path, name, content):
    told = code_of(tmp_path, name, content)
    assert told.code == "F420"
    assert "fiche catalog import" in told.hint


def test_a_table_that_an_importer_reads_stays_evidence(tmp_path):
    record = json.loads((SAMPLES / "serving" / "evidence" / "run-limit.json").read_bytes())
    entry = read(tmp_path, "run.jsonl", json.dumps(record).encode())
    assert entry.kind == "record"
