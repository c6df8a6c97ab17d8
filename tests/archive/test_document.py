"""`fiche-entry.json`: what is written is read again, and what is hostile is refused in bounded memory."""

import json

import jsonschema_rs
import pytest
from archive.making import made
from hypothesis import given
from hypothesis import strategies as st

from fiche.archive.document import MOST_BYTES, at_most, document, document_bytes, read_entry
from fiche.archive.entry import CONFIDENTIALITY, KINDS, Entry, Row
from fiche.archive.looked_at import looked_at
from fiche.assets import schema_text
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import field_names, replace

VALIDATOR = jsonschema_rs.validator_for(json.loads(schema_text("archive-entry.schema.json")))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
AMOUNT = st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,5})?", fullmatch=True)
ROWS = st.builds(Row, model=TEXT, card=TEXT, amount=st.one_of(st.just(""), AMOUNT), place=TEXT)


@given(
    title=TEXT,
    rows=st.lists(ROWS, max_size=3).map(tuple),
    kind=st.sampled_from(KINDS),
    confidentiality=st.sampled_from(["", *CONFIDENTIALITY]),
    labels=st.dictionaries(TEXT, TEXT, max_size=3),
    supersedes=st.lists(TEXT, max_size=2).map(tuple),
    stated_supersedes=st.lists(TEXT, max_size=2).map(tuple),
    identifier=TEXT,
    rights=TEXT,
    own_id=TEXT,
)
def test_what_is_written_is_read_again_and_is_as_the_schema_says(**told):
    entry = made(b"{}", **told)[0]
    content = document_bytes(entry)
    assert read_entry(content) == entry
    assert len(content) <= at_most(entry)
    assert looked_at(content).supersedes == entry.supersedes
    assert [str(error) for error in VALIDATOR.iter_errors(json.loads(content))] == []


def test_the_schema_describes_every_field():
    schema = json.loads(schema_text("archive-entry.schema.json"))["properties"]
    renamed = {"format": "content_format"}
    assert {renamed.get(name, name) for name in field_names(made(b"{}")[0])} | {"format"} == set(
        schema
    )
    assert set(field_names(Row())) == set(schema["rows"]["items"]["properties"])


def test_what_is_not_said_is_absent():
    told = document(made(b"{}")[0])
    assert "rights" not in told
    assert "card" not in told["rows"][0]
    assert not any(text == "" for text in told.values())


def test_a_key_of_a_later_fiche_is_passed_over():
    entry = made(b"{}")[0]
    told = {**document(entry), "colour": {"of": "the bag"}}
    told["rows"] = [{**told["rows"][0], "hue": "red"}]
    told["files"] = [{**told["files"][0], "mtime": "x"}]
    assert read_entry(json.dumps(told).encode()) == entry


def changed(**changes):
    return json.dumps({**document(made(b"{}")[0]), **changes}).encode()


NO_DECIMALS = ("nan", "Infinity", "1e400", "1/0", "1_000", "\u0661\u0662", "+1", "1.", "9" * 6000)
LEADING_OUT = ("../a", "a/../../b", "/etc/a", "a//b", "./a", "a/", "C:a", "a\\b", "a\n", "a\0", "")


def kept(path):
    return {"path": path, "num_bytes": 1, "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (changed(format="fiche-archive-entry/2"), "F931"),
        (changed(format="other/1"), "F941"),
        (changed(files=[]), "F941"),
        (changed(files=[{"path": "a", "num_bytes": -1, "sha256": "0" * 64}]), "F941"),
        (changed(files=[{"path": "a", "num_bytes": 1, "sha256": "../x"}]), "F941"),
        (changed(files=[{"path": "a", "num_bytes": True, "sha256": "0" * 64}]), "F941"),
        *((changed(main=path, files=[kept(path)]), "F941") for path in LEADING_OUT),
        (changed(files={"a": 1}), "F941"),
        (changed(main="other"), "F941"),
        (changed(kind="virus"), "F941"),
        (changed(confidentiality="secret"), "F941"),
        (changed(labels={"a": 1}), "F941"),
        (changed(labels=[]), "F941"),
        (changed(rows=[{"model": 1}]), "F941"),
        (changed(rows=["x"]), "F941"),
        *((changed(rows=[{"amount": amount}]), "F941") for amount in NO_DECIMALS),
        (changed(rows=[{"amount": "1", "origin": "certified"}]), "F941"),
        (changed(rows=[{"outcome": "admissible for all"}]), "F941"),
        (changed(supersedes=[1]), "F941"),
        (changed(stated_supersedes=[1]), "F941"),
        (changed(identifier=["doi:1"]), "F941"),
        (changed(title=None), "F941"),
        (b"", "F941"),
        (b"null", "F941"),
        (b"\xff\xfe", "F941"),
        (b"[" * 200_000, "F941"),
        (b'{"a":' * 200_000, "F941"),
        (b'{"format":' + b"9" * 100_000 + b"}", "F941"),
        (b" " * (MOST_BYTES + 1), "F941"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_entry_is_refused_by_both_readers(content, code):
    for read in (read_entry, looked_at):
        with pytest.raises(Refused) as refused:
            read(content)
        assert [one.code for one in refused.value.diagnostics] == [code]


def test_the_id_is_that_of_the_content_alone():
    entry = made({"a.json": b"1", "b.json": b"2"})[0]
    assert made({"b.json": b"2", "a.json": b"1"}, title="other", rights="x")[0].id == entry.id
    assert made({"a.json": b"1"})[0].id != entry.id
    assert made({"a.json": b"1", "c.json": b"2"})[0].id != entry.id
    # Names that are the same in a bag are told apart by what they were.
    assert made({"é.json": b"1"})[0].id != made({"è.json": b"1"})[0].id
    assert made(b"{}")[0].id == "3a102ccc-7d6e-5c00-9485-3f0a3abd26af"


def test_an_id_as_the_page_of_the_format_says_it_is_made():
    import hashlib
    import uuid

    sha256 = hashlib.sha256(b"{}").hexdigest()
    told = json.dumps(["record", [["run.json", sha256]]], separators=(",", ":"))
    namespace = uuid.UUID("6f1c7a3e-9d1b-5c0e-8a47-2d5be3f09b61")
    assert made(b"{}")[0].id == str(uuid.uuid5(namespace, told))


def test_a_file_is_named_once():
    entry = made({"a": b"1", "b": b"2"})[0]
    twice = replace(entry, files=(entry.files[0], entry.files[0]))
    assert isinstance(entry, Entry)
    with pytest.raises(Refused):
        looked_at(document_bytes(twice))


def test_a_row_of_the_first_form_is_read_as_what_it_says():
    content = changed(rows=[{"model": "m", "passed": "later"}])
    (row,) = read_entry(content).rows
    assert (row.model, row.which_pass) == ("m", "later")
