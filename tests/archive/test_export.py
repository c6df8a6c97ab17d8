"""Exports: what other programs read is what the archive holds, exactly, and nothing else lies there."""

import csv
import hashlib
import json
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from urllib.parse import unquote

import bagit
import pyarrow.parquet
import pytest
from archive.holdings import stored

from fiche.archive import export_parquet
from fiche.archive.entry import Row
from fiche.archive.export import FORMATS, Order, export, readme
from fiche.archive.export_tables import TABLES, day_of, decimal_of, moment_of
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace

ROWS = (
    Row(model="org/small", card="=card", quantity="reserved.peak", amount="12884901888", unit="B"),
    Row(model="org/small", outcome="passed", quantity="duration", amount="0.125", unit="s"),
    Row(quantity="score.at_least", amount="0." + "3" * 20, origin="observed"),
)


@pytest.fixture
def archive(tmp_path):
    store = Store.made(str(tmp_path / "archive"))
    first = stored(store, 1, rows=ROWS, rights="CC-BY-4.0", author="A. Martin",
                   identifier="doi:10.1/1", stated_supersedes=("urn:isbn:1",))  # fmt: skip
    second = stored(
        store, 2, supersedes=(first.id,), keep_until="2036-12-31", labels={"b": "2", "a": "1"}
    )
    stored(store, 3, supersedes=("00000000-0000-5000-8000-000000000000",), date="about 2025")
    return store, first, second


def exported(store, tmp_path, *formats, ids=None):
    folder = tmp_path / "-".join(formats)
    folder.mkdir()
    order = Order(formats=formats, version="9.9", day="2026-12-01")
    done = export(store, sorted(ids or store.ids()), folder, order)
    return folder, done


def test_every_column_is_told_in_the_docs_and_every_amount_has_its_unit_and_origin_beside_it():
    page = (Path(__file__).parents[2] / "docs" / "archive-format.md").read_text("utf-8")
    told = page.partition("## The tables of an export")[2].partition("## ")[0]
    for name, columns in TABLES.items():
        (line,) = [line for line in told.splitlines() if line.startswith(f"| `{name}`:")]
        words = re.findall("`([a-z0-9_]+)`", line)
        assert words == [name, *(column.name for column in columns)]
    numbers = [c.name for columns in TABLES.values() for c in columns if c.kind == "decimal"]
    assert numbers == ["amount_decimal"]
    names = [column.name for column in TABLES["rows"]]
    at = names.index("amount")
    assert names[at : at + 4] == ["amount", "amount_decimal", "unit", "origin"]


def graph(folder):
    told = json.loads((folder / "ro-crate-metadata.json").read_bytes())
    entities = {one["@id"]: one for one in told["@graph"]}
    assert len(entities) == len(told["@graph"])
    return entities


def named(part):
    """Every id that an entity refers to."""
    if isinstance(part, dict):
        if set(part) == {"@id"}:
            yield part["@id"]
        else:
            for key, value in part.items():
                if key != "@id":
                    yield from named(value)
    elif isinstance(part, list):
        for one in part:
            yield from named(one)


@pytest.mark.parametrize("formats", [("crate",), ("crate", "bags")])
def test_a_crate_names_files_that_are_there_with_their_digests(archive, tmp_path, formats):
    store, first, second = archive
    folder, _ = exported(store, tmp_path, *formats)
    entities = graph(folder)
    files = [one for one in entities.values() if one["@type"] == "File"]
    assert len(files) == 3
    for one in files:
        content = (folder / unquote(one["@id"])).read_bytes()
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        assert one["contentSize"] == str(len(content))
    for one in entities.values():
        for name in named(one):
            assert name in entities or name.startswith("https://w3id.org/"), name
    root = entities["./"]
    assert len(root["hasPart"]) == 3
    datasets = [one for one in entities.values() if one["@type"] == "Dataset"]
    (new,) = (one for one in datasets if one["identifier"] == f"urn:uuid:{second.id}")
    (old,) = (one for one in datasets if f"urn:uuid:{first.id}" in one["identifier"])
    assert old["identifier"] == [f"urn:uuid:{first.id}", "doi:10.1/1"]
    assert "Its content says that it supersedes urn:isbn:1." in old["description"]
    assert new["isBasedOn"] == [{"@id": old["@id"]}]
    assert entities[old["license"]["@id"]]["name"] == "CC-BY-4.0"
    assert entities[new["license"]["@id"]]["name"] == "not stated"
    assert "To be kept until 2036-12-31." in new["description"]


def test_bags_are_copied_to_the_byte_and_valid(archive, tmp_path):
    store, first, _ = archive
    folder, _ = exported(store, tmp_path, "bags")
    inner = f"bags/{first.id[:2]}/{first.id}"
    bagit.Bag(str(folder / inner)).validate()
    for path in sorted((store.root / inner).rglob("*")):
        copy = folder / path.relative_to(store.root)
        assert copy.is_dir() if path.is_dir() else copy.read_bytes() == path.read_bytes()
    assert {one.name for one in folder.iterdir()} == {"bags"}


def test_parquet_has_types_origins_and_exact_amounts(archive, tmp_path):
    store, first, second = archive
    folder, done = exported(store, tmp_path, "parquet")
    tables = {
        name: pyarrow.parquet.read_table(folder / f"parquet/{name}.parquet") for name in TABLES
    }
    assert {name: one.num_rows for name, one in tables.items()} == {
        "entries": done.entries,
        "rows": done.rows,
        "files": done.files,
    }
    rows = [one for one in tables["rows"].to_pylist() if one["entry"] == first.id]
    assert [one["amount"] for one in rows] == [row.amount for row in ROWS]
    decimals = [Decimal("12884901888"), Decimal("0.125"), None]
    assert [one["amount_decimal"] for one in rows] == decimals
    assert [(one["unit"], one["origin"]) for one in rows] == [
        ("B", None),
        ("s", None),
        (None, "observed"),
    ]
    entries = {one["entry"]: one for one in tables["entries"].to_pylist()}
    assert entries[second.id]["supersedes"] == [first.id]
    assert entries[second.id]["labels"] == [("a", "1"), ("b", "2")]
    assert entries[second.id]["keep_until_day"] == date(2036, 12, 31)
    assert entries[first.id]["added_at"] == datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC)
    assert [one["day"] for one in entries.values() if one["date"] == "about 2025"] == [None]
    told = tables["rows"].schema.metadata
    assert told[b"fiche.format"] == b"fiche-archive-table/2"
    assert told[b"fiche.fiche_version"] == b"9.9"
    assert tables["rows"].schema.field("amount").metadata[b"description"]


def test_parquet_is_written_in_groups(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(export_parquet, "_GROUP", 2)
    store, _, _ = archive
    folder, done = exported(store, tmp_path, "parquet")
    file = pyarrow.parquet.ParquetFile(folder / "parquet/entries.parquet")
    assert (file.num_row_groups, file.metadata.num_rows) == (2, done.entries)


def test_csv_says_the_same_and_no_cell_is_a_formula(archive, tmp_path):
    store, first, _ = archive
    folder, _ = exported(store, tmp_path, "csv", "parquet")
    described = json.loads((folder / "tables/datapackage.json").read_bytes())
    for one in described["resources"]:
        content = (folder / "tables" / one["path"]).read_bytes()
        assert f"sha256:{hashlib.sha256(content).hexdigest()}" == one["hash"]
        assert len(content) == one["bytes"]
        read = list(csv.DictReader(content.decode().splitlines()))
        other = pyarrow.parquet.read_table(folder / f"parquet/{one['name']}.parquet")
        assert len(read) == other.num_rows
        assert list(read[0]) == other.schema.names
    rows = list(csv.DictReader((folder / "tables/rows.csv").open(encoding="utf-8")))
    mine = [one for one in rows if one["entry"] == first.id]
    assert mine[0]["card"] == "'=card"
    assert [one["amount"] for one in mine] == [row.amount for row in ROWS]


def test_a_changed_file_is_not_exported(archive, tmp_path):
    store, first, _ = archive
    path = store.root / f"bags/{first.id[:2]}/{first.id}/data/run.json"
    path.write_bytes(b'{"run": 7}')
    with pytest.raises(Refused, match="F933"):
        exported(store, tmp_path, "crate")


def test_entries_are_read_one_at_a_time(archive, tmp_path):
    store, _, _ = archive
    heard = []
    folder = tmp_path / "out"
    folder.mkdir()
    order = Order(formats=("csv",), version="9.9", day="2026-12-01")
    done = export(store, sorted(store.ids()), folder, order, heard.append)
    assert heard == [1, 2, 3]
    left = replace(order, left_out="1 confidential entry")
    assert "Left out: 1 confidential entry." in readme(left, done)
    assert not (folder / "entries").exists()


def test_the_same_entries_give_the_same_bytes(archive, tmp_path):
    store, _, _ = archive
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, _ = exported(store, tmp_path / "a", *FORMATS)
    two, _ = exported(store, tmp_path / "b", *FORMATS)
    for path in one.rglob("*"):
        assert path.is_dir() or path.read_bytes() == (two / path.relative_to(one)).read_bytes()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("12", Decimal(12)),
        ("-0.000000000001", Decimal("-0.000000000001")),
        ("0.0000000000001", None),
        ("9" * 26, Decimal("9" * 26)),
        ("9" * 27, None),
        ("9" * 26 + "." + "9" * 12, Decimal("9" * 26 + "." + "9" * 12)),
    ],
)
def test_a_decimal_is_exact_or_none(text, value):
    assert decimal_of(text) == value
    if value is not None:
        pyarrow.array([value], type=pyarrow.decimal128(38, 12))


def test_days_and_moments_that_are_none():
    assert (day_of("2026-02-30"), day_of(""), day_of("2026-02-28")) == (
        None,
        None,
        date(2026, 2, 28),
    )
    assert (moment_of("2026-12-01T10:00:00"), moment_of("soon")) == (None, None)


def test_without_pyarrow_it_is_refused_with_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(Refused, match="F961") as refused:
        export_parquet.library()
    assert "fiche[parquet]" in refused.value.diagnostics[0].hint


def test_every_column_of_an_entry_is_described():
    for columns in TABLES.values():
        assert all(column.about for column in columns)
        assert len({column.name for column in columns}) == len(columns)
