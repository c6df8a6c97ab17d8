"""Which importer reads a file, and how formats that none reads are named (C13, law 8)."""

import contextlib
import gzip
import hashlib
import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.messages import CLASS, sentence
from importers.records import RECORD, document_bytes, journal_bytes

from fiche.assets import schema_text
from fiche.importers import _detect, _opened
from fiche.importers._vocabulary import piece_json
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading

OOM = f"{CLASS}{sentence()}\n".encode()
KILLED = b"a.sh: line 2:  11 Killed  python a.py\n"


def read(content, name="a.log", kind=None):
    return _detect.read(content, hashlib.sha256(content).hexdigest(), name, kind)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (OOM, "torch_oom"),
        (KILLED, "host_oom"),
        (
            b"out of resource: shared memory, Required: 9, Hardware limit: 8. Red",
            "kernel_resource_limit",
        ),
        (document_bytes(RECORD), "fiche_record"),
        (journal_bytes(RECORD), "fiche_record"),
        (gzip.compress(OOM), "torch_oom"),
        (gzip.compress(document_bytes(RECORD)), "fiche_record"),
        (OOM.decode().encode("utf-16"), "torch_oom"),
    ],
)
def test_the_content_chooses(content, kind):
    assert read(content).kind == kind


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"GGUF\x03\x00\x00\x00", "GGUF model file"),
        (b"\x40\x00\x00\x00\x00\x00\x00\x00" + b'{"__metadata__":{}}', "safetensors file"),
        (b"\x7fELF\x02\x01", "ELF program"),
        (b"PK\x03\x04\x14\x00", "zip archive"),
        (b"SQLite format 3\x00", "SQLite database"),
        (b"2025: W tensorflow/core/common_runtime/bfc_allocator.cc:275] x", "TensorFlow log"),
    ],
)
def test_a_known_format_is_refused_by_name(content, name):
    with pytest.raises(Refused, match="F421") as refused:
        read(content)
    assert name in str(refused.value)


def test_another_programs_failure_is_its_own():
    """llama.cpp prints the driver's three words too, and on which device they fell."""
    text = (
        b"ggml_cuda_compute_forward: MUL_MAT failed\nCUDA error: out of memory\n"
        b"  current device: 1, in function alloc at ggml-cuda.cu:111\n"
    )
    reading = read(text)
    assert reading.kind == "llamacpp_log"
    (failure,) = reading.failures
    assert (failure.message_kind, failure.device_index) == ("driver_oom", 1)


def test_what_a_reading_leaves_out_is_said():
    """Law 8: a failure is read, lines of a program that is not read yet are named as such."""
    text = b"2025: W tensorflow/core/common_runtime/bfc_allocator.cc:275] x\n" + OOM + KILLED
    reading = read(text)
    assert reading.kind == "torch_oom"
    assert any(w.startswith("not_read") and "TensorFlow" in w for w in reading.warnings)
    assert [failure.memory for failure in reading.failures] == ["device", "host"]
    assert [f.memory for f in read(text, kind="host_oom").failures] == ["host"]


@pytest.mark.parametrize("own", ["fiche-frontier", "fiche-campaign", "fiche-measured"])
def test_what_fiche_writes_beside_records_is_told_from_them(own):
    """A glob catches the summary too: what to import instead is said."""
    with pytest.raises(Refused) as refused:
        read(b'{\n "format": "%s/1",\n "trials": []\n}\n' % own.encode())
    (one,) = refused.value.diagnostics
    assert (one.code, one.message.partition(" is ")[0]) == ("F420", own)
    assert one.hint == "import the records that it names, or their folder"


def test_unknown_files_and_kinds():
    with pytest.raises(Refused, match="F420"):
        read(b"\x00\x01\x02")
    with pytest.raises(Refused, match="F420"):
        read(b"\x00" * 9_000)
    with pytest.raises(Refused, match="F420"):
        read(b"a text\n")
    with pytest.raises(Refused, match="F424"):
        read(b"a text\n", kind="torch_oom")
    with pytest.raises(Refused, match=r"F423.*torch-oom") as refused:
        read(OOM, kind="torch-oom")
    assert "torch_oom" in refused.value.diagnostics[0].hint


def test_a_text_with_a_programs_words_in_it_is_not_taken_for_its_log():
    """Settings that name CUDA, a table with other columns: no message is missing in them."""
    for text in (
        b'{"cuda": "12.4", "gpu": "NVIDIA H100", "args": ["--memory"]}\n',
        b"timestamp;memory.used [MiB]\n2025/06/03 10:11:00.345;30000 MiB\n",
        b"import torch\ntorch.cuda.memory_summary()\n",
    ):
        with pytest.raises(Refused, match="F420") as refused:
            read(text)
        assert "docs/evidence.md" in refused.value.diagnostics[0].hint
        assert len(refused.value.diagnostics[0].hint) < 120


def test_a_forced_kind_that_finds_nothing_is_told_what_the_text_is():
    with pytest.raises(Refused, match="F424") as refused:
        read(OOM, kind="vllm_log")
    assert "reads as torch_oom" in refused.value.diagnostics[0].hint


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "the file is empty"), (b" \n\r\n", "nothing but blanks")]
)
def test_an_empty_file_is_said_to_be_empty(content, said):
    with pytest.raises(Refused, match=f"F420.*{said}"):
        read(content)


@pytest.mark.parametrize(
    ("typed", "near"), [("torch-oom", "torch_oom"), ("vllm", "vllm_log"), ("vlm_log", "vllm_log")]
)
def test_a_mistyped_kind_is_told_the_nearest(typed, near):
    with pytest.raises(Refused, match="F423") as refused:
        read(OOM, kind=typed)
    assert near in refused.value.diagnostics[0].hint
    assert len(refused.value.diagnostics[0].hint) < 120


def test_a_tie_is_refused_and_never_guessed():
    def importer(name):
        reading = Reading(kind=name, shape="x")
        return Importer(name=name, title=name, accepts=lambda h, n: 50, read=lambda c, s: reading)

    with pytest.raises(Refused, match=r"F422.*one or as two"):
        _detect.choose({importer("one"): 50, importer("two"): 50}, b"", "00")


def test_gzip_that_breaks_off_or_bursts(monkeypatch):
    packed = gzip.compress(OOM * 50)
    with pytest.raises(Refused, match="F426"):
        read(packed[:-9])
    with pytest.raises(Refused, match="F426"):
        read(packed + b"more")
    assert read(packed + b"\x00" * 8).kind == "torch_oom"
    monkeypatch.setattr(_opened, "MAX_BYTES", 1_000)
    with pytest.raises(Refused, match="F425"):
        read(packed)


@pytest.mark.parametrize("size", [0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 3 * 10**6])
def test_members_of_any_size_are_unpacked_one_after_another(size):
    chance = random.Random(size)
    parts = [chance.randbytes(size), OOM, b"", chance.randbytes(size // 3), b"x" * size]
    packed = b"".join(map(gzip.compress, parts))
    assert _opened.opened(packed, "") == b"".join(parts)
    assert _opened.opened(packed + bytes(512), "") == b"".join(parts)
    with pytest.raises(Refused):
        _opened.opened(packed[:-1], "")


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"") * 100_000,
        b"\n" * 10**6,
        b" " * 10**6,
        b"=" * 10**6,
        b"GPU0" + b" " * 10**6,
        b"# gpu" + b" " * 10**6,
        b"# gpu\n" * 10**5,
        b"memory.required" * 10**5,
        b"MPSbackendoutofmemory" * 3_000,
        b"to allocate " * 10_000,
    ],
    ids=lambda content: content[:16].decode("latin-1").encode("unicode_escape").decode(),
)
def test_no_text_takes_the_square_of_its_length(content):
    """Law 7: bounded work, whatever a file holds over and over."""
    started = time.process_time()
    with contextlib.suppress(Refused):
        read(content)
    assert time.process_time() - started < 30


def test_lines_of_packed_text_are_said_to_be_so():
    assert any(w.startswith("unpacked") for w in read(gzip.compress(OOM)).warnings)
    assert not any(w.startswith("unpacked") for w in read(OOM).warnings)


@given(
    st.binary(max_size=400),
    st.sampled_from(
        [b"", b"\x1f\x8b\x08", b"\xff\xfe", b"{", b"\x80\x04", b'{"format":"fiche-measurement/1"']
    ),
)
def test_any_bytes_are_read_or_refused(content, start):
    refusals = []
    try:
        read(start + content)
    except Refused as refused:
        refusals = refused.diagnostics
    assert all(told.code.startswith("F4") for told in refusals)


# --- The vocabulary -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [OOM, KILLED, document_bytes(RECORD), journal_bytes(RECORD)])
def test_a_piece_follows_its_schema(content):
    import jsonschema_rs

    reading = read(content)
    piece = piece_json("a.log", hashlib.sha256(content).hexdigest(), len(content), reading)
    validator = jsonschema_rs.Draft202012Validator(json.loads(schema_text("pieces.schema.json")))
    assert list(validator.iter_errors({"pieces": [piece]})) == []
    assert json.loads(json.dumps(piece)) == piece


def test_every_key_of_a_failure_is_there_and_null_where_nothing_is_printed():
    piece = piece_json("a.log", "0" * 64, len(KILLED), read(KILLED))
    (failure,) = piece["failures"]
    assert failure["requested"] is failure["free"] is failure["device_index"] is None
    assert (failure["is_need"], failure["phase_known"], piece["failed"]) == (False, False, True)


def test_a_figure_that_is_not_available_has_no_value():
    text = sentence(process_in_use="17179869184.00 GiB").encode()
    (failure,) = piece_json("a.log", "0" * 64, 1, read(text))["failures"]
    assert failure["process_in_use"] == {"printed": "17179869184.00 GiB", "unavailable": True}


def test_the_observations_of_a_records_runs_are_shown_once():
    piece = piece_json("m.json", "0" * 64, 1, read(document_bytes(RECORD)))
    counters = [(o["counter"], o["stat"], o["phase"]) for o in piece["observations"]]
    assert len(counters) == len(set(counters)) == 17
    assert all(o["path"].startswith("/phases/") for o in piece["observations"])


def test_several_kinds_are_read_from_one_log_and_no_others():
    text = (
        b"INFO 01-14 10:02:26 model_runner.py:1099] Loading model weights took 12.5523 GB\n"
        b"RuntimeError: CUDA error: out of memory\n"
    )
    both = read(text, "run.log", "torch_oom+vllm_log")
    assert (both.kind, len(both.failures), len(both.observations)) == ("torch_oom", 1, 1)
    assert read(text, "run.log", "torch_oom").observations == ()
    assert read(text, "run.log").further["joined_kinds"]
