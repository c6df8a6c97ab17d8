"""A listing of fiche's own: one text a checkpoint, one checkpoint a text (E4)."""

import json
from contextlib import suppress
from fractions import Fraction

import jsonschema_rs
import pytest
from checkpoints.build import code, refusals
from hypothesis import given
from hypothesis import strategies as st

from fiche.assets import schema_text
from fiche.checkpoints import read_tensors, write_tensors
from fiche.checkpoints._gguf_types import TYPES
from fiche.checkpoints._tensors import Tensor, grouped
from fiche.kernel.checkpoint import Checkpoint, CheckpointFile
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace

VALIDATOR = jsonschema_rs.Draft202012Validator(json.loads(schema_text("model.schema.json")))
NAMED = [(f"h.{n}.w", Tensor("BF16", (2, 3), 12)) for n in (0, 1, 2, 5)] + [
    ("head", Tensor("F32", (), 4))
]
HERE = Checkpoint(
    format="safetensors",
    groups=grouped(*zip(*NAMED, strict=True)),
    files=(
        CheckpointFile(name="model.safetensors", num_bytes=152, header_bytes=100, sha256="0" * 64),
    ),
    metadata={"format": "pt", "eps": Fraction(1, 100_000), "odd": [None, True, {"a": "é\n"}]},
    sha256="",
    file="tensors.json",
    doubts=("left out: a", "é"),
    source="org/model@main",
)
TEXT = write_tensors(HERE)


def test_a_listing_is_short_plain_and_follows_its_schema():
    assert TEXT.isascii()
    document = json.loads(TEXT)
    VALIDATOR.validate(document)
    assert next(iter(document)) == "fiche_model"
    assert b'"count": 4, "num_bytes": 12, "layers": [[0, 2], [5, 5]]}' in TEXT
    assert b'"eps": 0.00001' in TEXT


def test_it_is_read_as_it_was_written():
    found = read_tensors(TEXT, "tensors.json")
    assert replace(found, sha256="") == HERE
    assert write_tensors(found) == TEXT
    spaced = json.dumps(json.loads(TEXT), indent=3).encode()
    again = read_tensors(spaced, "tensors.json")
    assert again.groups == found.groups
    assert again.sha256 != found.sha256  # it points into the bytes at hand


fractions = st.builds(
    lambda number, twos, fives: Fraction(number, 2**twos * 5**fives),
    st.integers(-(10**20), 10**20),
    st.integers(0, 149),
    st.integers(0, 30),
).filter(lambda value: value.denominator != 1)
plain = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | fractions | st.text(max_size=4)
metadata = st.dictionaries(
    st.text(max_size=4),
    st.recursive(plain, lambda inner: st.lists(inner, max_size=3), max_leaves=5),
)
parts = st.lists(
    st.tuples(st.text("ab.0123*", max_size=7), st.sampled_from(sorted(TYPES)), st.integers(0, 5)),
    min_size=1,
    max_size=8,
)


@given(parts, metadata, st.lists(st.text(max_size=5), max_size=3), st.text(max_size=9))
def test_every_checkpoint_comes_back(found, beside, doubts, source):
    named = {
        name: Tensor(TYPES[kind].name, (rows, TYPES[kind].values), rows * TYPES[kind].num_bytes)
        for name, kind, rows in found
    }
    held = CheckpointFile(name="m.gguf", num_bytes=10**9, header_bytes=0, sha256="f" * 64)
    made = Checkpoint(
        format="gguf",
        groups=grouped(named.keys(), named.values()),
        files=(held,),
        metadata=beside,
        sha256="",
        file="t.json",
        doubts=tuple(doubts),
        source=source,
    )
    text = write_tensors(made)
    assert replace(read_tensors(text, "t.json"), sha256="") == made
    assert write_tensors(read_tensors(text, "t.json")) == text


def test_a_number_without_an_end_is_never_written():
    with pytest.raises(ValueError, match="no end"):
        write_tensors(replace(HERE, metadata={"a": Fraction(1, 3)}))


def changed(change):
    document = json.loads(TEXT)
    change(document)
    return json.dumps(document, indent=1).encode()


def group(**values):
    return changed(lambda document: document["groups"][0].update(values))


@pytest.mark.parametrize(
    "content",
    [
        changed(lambda d: d.update(fiche_model=2)),
        changed(lambda d: d.pop("fiche_model")),
        changed(lambda d: d.pop("groups")),
        changed(lambda d: d.update(groups=[])),
        changed(lambda d: d.update(files=[])),
        changed(lambda d: d.update(extra=1)),
        changed(lambda d: d.update(format="onnx")),
        changed(lambda d: d.update(metadata=[])),
        changed(lambda d: d.update(source=1)),
        changed(lambda d: d["groups"].append("x")),
        changed(lambda d: d["groups"].reverse()),
        changed(lambda d: d["groups"].append(d["groups"][1])),
        changed(lambda d: d["files"].append(d["files"][0])),
        changed(lambda d: d["files"][0].update(header_bytes=153)),
        changed(lambda d: d["files"][0].update(sha256="F" * 64)),
        changed(lambda d: d["files"][0].update(num_bytes=151)),
        group(num_bytes=13),
        group(num_bytes=-12),
        group(num_bytes=12.5),
        group(num_bytes=10**400),
        group(shape=[2, 4]),
        group(shape=[1] * 65),
        group(shape=[2**63]),
        group(dtype="F7"),
        group(count=0),
        group(count=10**7),
        group(count=3),
        group(count=1000),
        group(layers=[[0, 10**8]]),
        group(layers=[[0, 10**9]]),
        group(layers=[[2, 0]]),
        group(layers=[[5, 5], [0, 2]]),
        group(layers=[[0, 1], [2, 2]]),
        group(layers=[[0]]),
    ],
)
def test_a_listing_out_of_form_is_refused(content):
    assert {each.code for each in refusals(read_tensors, content, "tensors.json")} == {"F825"}


def test_all_that_is_wrong_is_told_at_its_line():
    content = changed(lambda d: (d["groups"][0].update(count="4"), d["files"][0].pop("sha256")))
    told = refusals(read_tensors, content, "tensors.json")
    lines = content.split(b"\n")
    places = [lines[each.address.line - 1][each.address.column - 1 :] for each in told]
    assert places == [b"{", b'"4",']


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"[]", "F806"), (TEXT[:-3], "F803"), (TEXT.replace(b'"count"', b'"name"', 1), "F804")],
)
def test_what_is_no_listing_is_refused(content, expected):
    assert code(read_tensors, content, "tensors.json") == expected


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_read(place, byte):
    with suppress(Refused):
        found = read_tensors(TEXT[:place] + bytes([byte]) + TEXT[place + 1 :], "tensors.json")
        assert write_tensors(found)
