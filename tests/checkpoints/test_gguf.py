"""Headers of GGUF: exact bytes from the library's own files, and every lie refused."""

import hashlib
import struct
from contextlib import suppress
from fractions import Fraction

import gguf as library
import numpy
import pytest
from checkpoints.build import Bytes, Gguf, code, refusals, small_gguf
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from hypothesis import given
from hypothesis import strategies as st

from fiche.checkpoints import tensors_of_gguf
from fiche.checkpoints._gguf_cursor import MAX_HEADER
from fiche.checkpoints._gguf_types import BY_NAME, TYPES
from fiche.checkpoints._tensors import Tensor
from fiche.kernel.diagnostic import Refused

VERSIONS = [(1, "<"), (2, "<"), (3, "<"), (3, ">")]


def read(content):
    return tensors_of_gguf(Bytes(content, "model.gguf"))


def refused(made, **named):
    return code(read, made if isinstance(made, bytes) else made.content(**named))


def test_every_type_is_that_of_the_library():
    """The whole table of gguf 0.19: number, name, values and bytes of a block."""
    theirs = {int(kind): (kind.name, *GGML_QUANT_SIZES[kind]) for kind in GGMLQuantizationType}
    assert {number: tuple(kind) for number, kind in TYPES.items()} == theirs
    assert len(BY_NAME) == len(TYPES)


def test_a_file_of_the_library_is_read_to_the_byte(tmp_path):
    path = tmp_path / "model.gguf"
    writer = library.GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_float32("llama.eps", 1e-6)
    writer.add_float64("llama.scale", 0.1)
    writer.add_array("llama.attention.head_count_kv", [8, 0, 8])
    writer.add_array("tokenizer.ggml.tokens", [f"token {n}" for n in range(1000)])
    writer.add_array("tokenizer.ggml.scores", [0.5] * 1000)
    writer.add_string("tokenizer.chat_template", "x" * 5000)
    writer.add_bool("tokenizer.ggml.add_bos_token", False)
    for layer in range(2):
        writer.add_tensor(f"blk.{layer}.attn_norm.weight", numpy.zeros(40, numpy.float32))
        raw = numpy.zeros((6, 2 * 144), numpy.uint8)
        kind = GGMLQuantizationType.Q4_K
        writer.add_tensor(f"blk.{layer}.ffn_up.weight", raw, raw_dtype=kind)
    for write in ("header_to_file", "kv_data_to_file", "tensors_to_file"):
        getattr(writer, f"write_{write}")()
    writer.close()
    shard, theirs = read(path.read_bytes()), library.GGUFReader(path)
    assert shard.tensors == {
        "blk.0.attn_norm.weight": Tensor("F32", (40,), 160),
        "blk.0.ffn_up.weight": Tensor("Q4_K", (6, 512), 1728),
        "blk.1.attn_norm.weight": Tensor("F32", (40,), 160),
        "blk.1.ffn_up.weight": Tensor("Q4_K", (6, 512), 1728),
    }
    assert [each.n_bytes for each in theirs.tensors] == [
        each.num_bytes for each in shard.tensors.values()
    ]
    assert shard.metadata == {
        "general.architecture": "llama",
        "llama.block_count": 2,
        "llama.eps": Fraction(float(numpy.float32(1e-6))),
        "llama.scale": Fraction(0.1),
        "llama.attention.head_count_kv": [8, 0, 8],
        "tokenizer.ggml.tokens": {"kind": "array", "of": "string", "length": 1000},
        "tokenizer.ggml.scores": {"kind": "array", "of": "float32", "length": 1000},
        "tokenizer.chat_template": {"kind": "string", "length": 5000},
        "tokenizer.ggml.add_bos_token": False,
    }
    end = shard.file.header_bytes
    assert end <= theirs.data_offset < end + 32
    assert shard.file.sha256 == hashlib.sha256(path.read_bytes()[:end]).hexdigest()
    assert shard.doubts == ()


@pytest.mark.parametrize("kind", sorted(BY_NAME))
def test_bytes_of_every_type_are_those_of_its_blocks(kind, tmp_path):
    number = int(GGMLQuantizationType[kind])
    values, num_bytes = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    made = Gguf().tensor("w", (3 * values, 5), number, 15 * num_bytes).content()
    assert read(made).tensors == {"w": Tensor(kind, (5, 3 * values), 15 * num_bytes)}
    path = tmp_path / "one.gguf"
    path.write_bytes(made)
    assert library.GGUFReader(path).tensors[0].n_bytes == 15 * num_bytes
    if values > 1:
        assert refused(Gguf().tensor("w", (3 * values + 1, 5), number, 15 * num_bytes)) == "F814"


@pytest.mark.parametrize(("version", "order"), VERSIONS)
def test_all_versions_and_byte_orders_say_the_same(version, order):
    shard = read(small_gguf(version, order).content())
    assert shard.tensors == {
        "blk.0.ffn_up.weight": Tensor("Q4_K", (3, 512), 864),
        "blk.1.ffn_up.weight": Tensor("Q4_K", (3, 512), 864),
        "output_norm.weight": Tensor("F32", (8,), 32),
    }
    assert shard.metadata == {
        "general.architecture": "llama",
        "llama.block_count": 2,
        "llama.rope.freq_base": 500_000,
        "llama.heads": [8, 4],
        "tokenizer.ggml.tokens": {"kind": "array", "of": "string", "length": 100},
        "tokenizer.ggml.add_bos_token": True,
    }


def test_alignment_is_that_of_the_file():
    made = Gguf(alignment=64)
    made.value("general.alignment", 4, made.pack("I", 64))
    made.tensor("a", (3,), 0, 12).tensor("b", (3,), 0, 12)
    assert list(read(made.content()).tensors) == ["a", "b"]
    for wrong in (0, 24, 3):
        told = Gguf().value("general.alignment", 4, struct.pack("<I", wrong))
        assert refused(told) == "F818"
    assert refused(Gguf().value("general.alignment", 8, Gguf().text("32"))) == "F818"


def test_numbers_that_are_none_are_words():
    made = Gguf()
    for key, number in (("a", float("inf")), ("b", float("nan")), ("c", -0.5)):
        made.value(key, 6, struct.pack("<f", number))
    assert read(made.content()).metadata == {"a": "inf", "b": "nan", "c": Fraction(-1, 2)}


def odd(change):
    made = small_gguf()
    change(made)
    return made


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (b"GGML" + bytes(100), "F817"),
        (b"GGUF" + struct.pack("<IQQ", 4, 0, 0), "F817"),
        (b"GGUF" + struct.pack("<IQQ", 0, 0, 0), "F817"),
        (Gguf().tensor("a", (8,), 4, 32), "F813"),
        (Gguf().tensor("a", (8,), 99, 32), "F813"),
        (Gguf().tensor("a", (8,), 0, 32).tensor("a", (8,), 0, 32), "F815"),
        (Gguf().tensor("a", (8,), 0, 32).tensor("b", (8,), 0, 32, offset=0), "F814"),
        (Gguf().tensor("a", (8,), 0, 32).tensor("b", (8,), 0, 32, offset=64), "F814"),
        (Gguf().tensor("a", (8,), 0, 32).tensor("b", (8,), 0, 32, offset=2**63), "F814"),
        (Gguf().tensor("a", (8,), 0, 32, offset=1), "F814"),
        (Gguf().tensor("a", (2**40, 2**40), 0, 32), "F814"),
        (Gguf().tensor("a", (2**62,), 0, 32), "F816"),
        (Gguf().tensor("a", (16,), 0, 32), "F816"),
        (Gguf().tensor("a", (1,) * 9, 0, 4), "F818"),
        (Gguf().tensor(b"\xff", (8,), 0, 32), "F818"),
        (Gguf().tensor(b"a" * 70_000, (8,), 0, 32), "F818"),
        (Gguf().value(b"\xff", 0, b"1"), "F818"),
        (Gguf().value(b"a" * 70_000, 0, b"1"), "F818"),
        (Gguf().value("a", 0, b"1").value("a", 0, b"1"), "F818"),
        (Gguf().value("a", 13, b"1"), "F818"),
        (Gguf().value("a", 7, b"\x02"), "F818"),
        (Gguf().value("a", 9, struct.pack("<IQ", 9, 1)), "F818"),
        (Gguf().value("a", 9, struct.pack("<IQ", 13, 1)), "F818"),
        (Gguf().value("a", 9, struct.pack("<IQ", 8, 2**63)), "F816"),
        (Gguf().value("a", 9, struct.pack("<IQ", 12, 2**63)), "F816"),
        (Gguf().value("a", 8, struct.pack("<Q", 2**64 - 1)), "F816"),
        (Gguf().value("a", 8, struct.pack("<Q", 1000)), "F816"),
    ],
)
def test_a_header_out_of_form_is_refused(made, expected):
    assert refused(made) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"num_tensors": 10**9}, "F824"),
        ({"num_tensors": 2**64 - 1}, "F824"),
        ({"num_tensors": 5}, "F814"),
        ({"num_values": 2**64 - 1}, "F818"),
        ({"num_values": 5000}, "F818"),
    ],
)
def test_counts_beyond_the_file_are_refused(counts, expected):
    made = Gguf().tensor("a", (8,), 0, 32)
    assert refused(made, **counts) == expected


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (9, struct.pack("<IQ", 8, 10**8)),  # as many empty texts as the file has zeros
        (9, struct.pack("<IQ", 0, 10**11)),
        (8, struct.pack("<Q", 10**11)),
    ],
)
def test_a_header_that_never_ends_is_given_up(kind, raw):
    """The file says that it has a terabyte."""
    source = Bytes(Gguf().value("v", kind, raw).content(), length=10**12)
    assert code(tensors_of_gguf, source) == "F816"
    assert sum(source.asked) <= MAX_HEADER + 4 * 2**20
    assert max(source.asked) <= 4 * 2**20


def test_a_large_vocabulary_is_passed_over_in_a_small_window():
    made = Gguf()
    words = b"".join(made.text("x" * (n % 50)) for n in range(200_000))
    made.value("v", 9, made.pack("IQ", 8, 200_000) + words).tensor("a", (8,), 0, 32)
    content = made.content()
    source = Bytes(content)
    assert tensors_of_gguf(source).metadata["v"]["length"] == 200_000
    assert max(source.asked) <= 4 * 2**20
    assert sum(source.asked) <= len(content)


def test_bytes_behind_the_last_tensor_are_doubtful():
    content = small_gguf().content()
    assert read(content + b"x").doubts == (
        "model.gguf: 1 byte behind the last tensor belong to none",
    )


SAMPLES = {f"{version}{order}": small_gguf(version, order).content() for version, order in VERSIONS}


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_file_cut_anywhere_is_refused(sample):
    content = SAMPLES[sample]
    found = {code(read, content[:length]) for length in range(len(content))}
    assert found <= {"F816", "F818"}


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_a_changed_byte_is_refused_or_changes_what_is_read_only_within_the_file(sample, data):
    content = bytearray(SAMPLES[sample])
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255))
    with suppress(Refused):
        shard = read(bytes(content))
        assert sum(each.num_bytes for each in shard.tensors.values()) <= len(content)


def test_a_refusal_names_the_file_and_the_byte():
    (told,) = refusals(read, b"GGUF" + struct.pack("<IQQ", 9, 0, 0))
    assert told.message == "model.gguf at byte 4: its version is 9; 1, 2 and 3 are read"
