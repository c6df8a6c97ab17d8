"""CSV: every row, exact numbers with their unit, and no cell that a spreadsheet would run (E4, law 7)."""

import csv
import io
import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some
from render.pages import NAMES, decision, sha256

from fiche.render._rows import COLUMNS
from fiche.render.csv import DESCRIPTOR, _content, _text, csv_files, tables
from fiche.render.json import decision_bytes

NUMBER = re.compile(r"-?[0-9]+(?:[./][0-9]+)?")


def document(name):
    return json.loads(decision_bytes(decision(name)))


def files(name):
    return csv_files(decision(name), decision_bytes(decision(name)))


def read(content):
    assert b"\n" not in content.replace(b"\r\n", b"")
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_each_table_has_all_its_rows(name):
    told, made = document(name), files(name)
    points = len(told["workload_conditions"]) + sum(len(f["conditions"]) for f in told["findings"])
    wanted = {
        **{key: len(told[key]) for key in ("candidates", "findings", "figures", "pieces")},
        "conditions": points,
        "bills": sum(len(bill["lines"]) for bill in told.get("bills", ())),
    }
    assert {table: len(read(made[f"{table}.csv"])) for table in COLUMNS} == wanted


@pytest.mark.parametrize("name", NAMES)
def test_counts_of_verdicts_add_up(name):
    counts, made = document(name)["counts"], files(name)
    candidates = [row["status"] for row in read(made["candidates.csv"])]
    for status in ("retained", "to_confirm", "excluded"):
        assert candidates.count(status) == counts[status]
    verdicts = [row["verdict"] for row in read(made["findings.csv"])]
    for code in ("admissible", "to_confirm", "exclude"):
        assert verdicts.count(code) == counts[f"findings_{code}"]


@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_exact_with_its_unit_and_id(name):
    figures = {_text(one["id"]): one for one in document(name)["figures"]}
    for row in read(files(name)["figures.csv"]):
        told = figures[row["figure"]]
        low = told.get("bytes", told.get("value", told.get("low_bytes", told.get("low"))))
        assert row["value_low"] == str(low)
        assert row["value_unit"] == told["unit"]
        assert row["value_basis"] == told["basis"]
        assert row["value_text"]
        Fraction(row["value_low"])


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_is_a_formula(name):
    for table in tables(decision(name)).values():
        for cell in (cell for row in table for cell in row):
            assert not re.match(r"\s*[=+@\-\t\r]", cell) or NUMBER.fullmatch(cell)
            assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e]", cell)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+33 1 23", "'+33 1 23"),
        ("-x", "'-x"),
        (" =1", "' =1"),
        ("\t=1", "' =1"),
        ("\uff1d1", "'\uff1d1"),
        ("'=1", "''=1"),
        ("-42", "-42"),
        ("-1/3", "-1/3"),
        (-7, "-7"),
        (None, ""),
        ("", ""),
        ("it's", "it's"),
        ("a\x00b", "a‹U+0000›b"),
    ],
)
def test_words_are_guarded_and_numbers_are_not(value, told):
    assert _text(value) == told


@given(some.lists(some.lists(some.text(), min_size=2, max_size=2), min_size=1))
def test_what_is_written_is_read_again(rows):
    told = [[_text(cell) for cell in row] for row in rows]
    content = _content(told).decode("utf-8", "surrogatepass")
    assert list(csv.reader(io.StringIO(content, newline=""), strict=True)) == told


@pytest.mark.parametrize("name", NAMES)
def test_the_descriptor_names_every_file_column_and_digest(name):
    made = files(name)
    told = json.loads(made[DESCRIPTOR])
    assert sha256(decision_bytes(decision(name))) in told["description"]
    assert {one["path"] for one in told["resources"]} == set(made) - {DESCRIPTOR}
    for one in told["resources"]:
        content = made[one["path"]]
        assert one["hash"] == f"sha256:{sha256(content)}"
        assert one["bytes"] == len(content)
        heading = content.decode().partition("\r\n")[0].split(",")
        assert [field["name"] for field in one["schema"]["fields"]] == heading
        for row in read(content):
            for field in one["schema"]["fields"]:
                cell = row[field["name"]]
                assert field["type"] != "integer" or re.fullmatch("-?[0-9]*", cell)
                assert field["type"] != "date" or re.fullmatch(r"(\d{4}-\d\d-\d\d)?", cell)
