"""Headers of safetensors: exact bytes from the library's own files, and every lie refused."""

import hashlib
import json
import struct
import tracemalloc
from contextlib import suppress

import numpy
import pytest
import safetensors as library
import safetensors.numpy
from checkpoints.build import Bytes, code, compact, entry, refusals, safetensors
from hypothesis import example, given
from hypothesis import strategies as st

from fiche.checkpoints import tensors_of_safetensors
from fiche.checkpoints._safetensors_dtypes import BITS
from fiche.checkpoints._safetensors_usual import usual_entries
from fiche.checkpoints._tensors import MAX_TENSORS, Tensor
from fiche.kernel.diagnostic import Refused

TWO = {"a": entry("BF16", [2, 3], 0, 12), "b.0.c": entry("F32", [2], 12, 20)}


def read(content):
    return tensors_of_safetensors(Bytes(content, "model.safetensors"))


def refused(header, data=b"", **named):
    return code(read, safetensors(header, data, **named))


# --- What the library writes ----------------------------------------------------------------------


def test_a_file_of_the_library_is_read_to_the_byte(tmp_path):
    arrays = {
        "w": numpy.zeros((3, 5), numpy.float16),
        "scalar": numpy.zeros((), numpy.int64),
        "none": numpy.zeros((0, 7), numpy.float32),
        "flags": numpy.zeros(3, numpy.bool_),
        'é "quoted" \\': numpy.zeros(2, numpy.uint8),
    }
    path = tmp_path / "model.safetensors"
    library.numpy.save_file(arrays, path, metadata={"format": "np", "é\n": "\u2028"})
    content = path.read_bytes()
    shard = read(content)
    assert {name: (t.shape, t.num_bytes) for name, t in shard.tensors.items()} == {
        name: (array.shape, array.nbytes) for name, array in arrays.items()
    }
    assert shard.tensors["flags"].dtype == "BOOL"
    assert shard.metadata == {"format": "np", "é\n": "\u2028"}
    end = 8 + struct.unpack("<Q", content[:8])[0]
    assert (shard.file.num_bytes, shard.file.header_bytes) == (len(content), end)
    assert shard.file.sha256 == hashlib.sha256(content[:end]).hexdigest()


def test_bits_are_those_of_the_library():
    """Every format that the library names in its own message, at the one length that it takes."""
    try:
        library.deserialize(safetensors({"a": entry("X", [8], 0, 8)}, bytes(8)))
    except library.SafetensorError as error:
        named = {word for word in str(error).split("`") if word.isupper()} - {"X"}
    assert named == set(BITS)
    for dtype, bits in BITS.items():
        content = safetensors({"a": entry(dtype, [8], 0, bits)}, bytes(bits))
        assert library.deserialize(content)
        assert read(content).tensors == {"a": Tensor(dtype, (8,), bits)}


def test_half_bytes_must_add_up():
    assert read(safetensors({"a": entry("F4", [3, 2], 0, 3)}, bytes(3))).tensors["a"].num_bytes == 3
    assert refused({"a": entry("F4", [3], 0, 2)}, bytes(2)) == "F814"
    assert refused({"a": entry("F6_E2M3", [3], 0, 3)}, bytes(3)) == "F814"


# --- Other writers: any spelling of the same JSON ---------------------------------------------------


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("sort", [False, True])
def test_any_spelling_of_a_header_is_the_same(indent, sort):
    header = {"__metadata__": {"format": "mlx"}, **TWO}
    text = json.dumps(header, indent=indent, sort_keys=sort).encode() + b"   "
    shard = read(safetensors(text, bytes(20)))
    assert shard.tensors == read(safetensors(TWO, bytes(20))).tensors
    assert shard.metadata == {"format": "mlx"}


def test_metadata_may_stand_anywhere_and_be_null():
    header = {"a": entry("U8", [1], 0, 1), "__metadata__": None, "b": entry("U8", [1], 1, 2)}
    assert list(read(safetensors(header, b"xx")).tensors) == ["a", "b"]


def test_long_metadata_are_kept_by_their_length():
    header = {"__metadata__": {"note": "x" * 5000}, **TWO}
    found = read(safetensors(header, bytes(20))).metadata
    assert found == {"note": {"kind": "string", "length": 5000}}


names = st.text(max_size=6).filter(lambda name: name != "__metadata__")


@given(st.lists(st.tuples(names, st.sampled_from(sorted(BITS)), st.integers(0, 3)), max_size=6))
def test_whatever_the_library_reads_is_read_alike(found):
    header, at = {}, 0
    for name, dtype, rows in {each[0]: each for each in found}.values():
        end = at + rows * BITS[dtype]
        header[name] = entry(dtype, [rows, 8], at, end)
        at = end
    content = safetensors(header, bytes(at))
    theirs = dict(library.deserialize(content))
    ours = read(content).tensors
    assert {n: (t.dtype, list(t.shape), t.num_bytes) for n, t in ours.items()} == {
        n: (told["dtype"], told["shape"], len(told["data"])) for n, told in theirs.items()
    }


def test_both_ways_of_reading_entries_agree():
    """Thousands of entries are taken at once; with one blank in them, one by one."""
    header = {f"m.{n}.w": entry("I8", [n % 3], n // 3 * 3, 0) for n in range(300)}
    at = 0
    for told in header.values():
        told["data_offsets"] = [at, at + told["shape"][0]]
        at += told["shape"][0]
    text = compact(header)
    assert usual_entries(text, 1) is not None
    slow = text.replace(b'"m.7.w":', b'"m.7.w": ')
    assert usual_entries(slow, 1) is None
    fast = read(safetensors(text, bytes(at)))
    assert read(safetensors(slow, bytes(at))).tensors == fast.tensors


# --- Lies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "data", "expected"),
    [
        (b"[]", b"", "F812"),
        (b" {}", b"", "F812"),
        (b"{}\0", b"", "F812"),
        (b"{", b"", "F812"),
        (b'{"a"}', b"", "F812"),
        (b'{"a":1}', b"", "F812"),
        (b'{"a":{}}', b"", "F812"),
        (b'{"a":' * 20_000, b"", "F812"),
        (b'{"a":' + b"[" * 70_000, b"", "F812"),
        (compact(TWO)[:-1], bytes(20), "F812"),
        (compact(TWO) + b"x", bytes(20), "F812"),
        (compact(TWO).replace(b'"b.0.c"', b'"\xff"'), bytes(20), "F812"),
        (compact(TWO).replace(b'"b.0.c"', b'"\\ud800"'), bytes(20), "F812"),
        (compact(TWO).replace(b'"b.0.c"', b'"\n"'), bytes(20), "F812"),
        (compact(TWO).replace(b'"b.0.c"', b'"__metadata__"'), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[2,-3]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[2,3.0]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[2,,3]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[02,3]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[true,3]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[9223372036854775808]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[2,3]", b"[" + b"1," * 70 + b"6]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[0,12]", b"[0,12,1]"), bytes(20), "F812"),
        (compact(TWO).replace(b"[0,12]", b"[-1,11]"), bytes(20), "F812"),
        (compact(TWO).replace(b'"dtype"', b'"dtype":"F32","dtype"', 1), bytes(20), "F812"),
        ({"__metadata__": {"a": 1}, **TWO}, bytes(20), "F812"),
        ({"__metadata__": "a", **TWO}, bytes(20), "F812"),
        (b'{"__metadata__":{"a":"b","a":"c"}}', b"", "F812"),
        (b'{"__metadata__":{"a":"b"},"__metadata__":null}', b"", "F812"),
        ({"__metadata__": {str(n): "" for n in range(10_001)}}, b"", "F812"),
        ({"a": entry("F7", [1], 0, 1)}, b"x", "F813"),
        ({"a": entry("f32", [1], 0, 4)}, bytes(4), "F813"),
        ({"a": entry("F32", [1], 0, 3)}, bytes(3), "F814"),
        ({"a": entry("F32", [2**62, 2**62], 0, 4)}, bytes(4), "F814"),
        ({"a": entry("U8", [1], 1, 2)}, bytes(2), "F814"),
        ({"a": entry("U8", [2], 0, 2), "b": entry("U8", [2], 1, 3)}, bytes(3), "F814"),
        ({"a": entry("U8", [2], 2, 4), "b": entry("U8", [1], 0, 1)}, bytes(4), "F814"),
        ({"a": entry("U8", [1], 2, 1)}, bytes(4), "F814"),
        (TWO, bytes(21), "F814"),
        (TWO, bytes(19), "F811"),
        (compact(TWO)[:-1] + b"," + compact(TWO)[1:], bytes(20), "F815"),
    ],
)
def test_a_header_out_of_form_is_refused(header, data, expected):
    assert refused(header, data) == expected


def test_a_header_longer_than_the_file_or_the_format_is_refused_unread():
    for length in (100_000_001, 2**63, 2**64 - 1):
        source = Bytes(safetensors(b"{}", length=length), length=10**12)
        assert code(tensors_of_safetensors, source) == "F811"
        assert sum(source.asked) < 100_000
    assert refused(b"{}", length=3) == "F811"


def test_zeros_without_end_are_refused_in_little_memory():
    source = Bytes(struct.pack("<Q", 90_000_000), length=10**12)
    assert code(tensors_of_safetensors, source) == "F812"
    assert sum(source.asked) <= 8 + 90_000_000


def test_more_tensors_than_any_model_has_are_refused(monkeypatch):
    one = b'"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    text = b"{" + b",".join([one % 1] * (MAX_TENSORS + 1)) + b"}"
    assert refused(text) == "F824"
    monkeypatch.setattr("fiche.checkpoints._safetensors_header.MAX_TENSORS", 3)
    escaped = one.replace(b"data_", b"data\\u005f")
    three = b",".join(escaped % n for n in range(3))
    assert len(read(safetensors(b"{" + three + b"}")).tensors) == 3
    assert refused(b"{" + three + b"," + escaped % 3 + b"}") == "F824"


def test_a_blank_bomb_takes_time_in_proportion():
    """Ten million blanks, and ten million quotes: each is passed once."""
    assert refused(b"{" + b" " * 10_000_000) == "F812"
    assert refused(b'{"' + b'":"' * 3_000_000) == "F812"
    assert refused(compact(TWO)[:-1] + b"," + b" " * 10_000_000) == "F812"


def test_hostile_lists_take_no_more_memory_than_the_header():
    text = b'{"__metadata__":' + b"[[]," * 2_000_000
    tracemalloc.start()
    assert refused(text) == "F812"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * len(text)


SAMPLE = safetensors({"__metadata__": {"format": "pt"}, **TWO}, bytes(20))


def test_a_file_cut_anywhere_is_refused():
    assert {code(read, SAMPLE[:length]) for length in range(len(SAMPLE))} == {"F811"}


@given(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255))
@example(8, 0x20)
def test_a_changed_byte_is_refused_or_read_as_the_library_reads_it(place, byte):
    content = SAMPLE[:place] + bytes([byte]) + SAMPLE[place + 1 :]
    with suppress(Refused):
        ours, theirs = read(content).tensors, dict(library.deserialize(content))
        assert {n: list(t.shape) for n, t in ours.items()} == {
            n: told["shape"] for n, told in theirs.items()
        }


def test_a_refusal_names_the_file_and_the_byte():
    (told,) = refusals(read, safetensors({"a": entry("F7", [1], 0, 1)}, b"x"))
    assert told.message == (
        "model.safetensors at byte 9: a tensor has the unknown number format 'F7'"
    )
