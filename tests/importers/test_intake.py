"""Files of any length: what is refused while a long log passes by, and which files go which way (law 7)."""

import functools
import gzip
import io
import random
import threading

import pytest
from importers.messages import CLASS, sentence

from fiche.importers import _intake
from fiche.importers._ahead import ahead
from fiche.importers._intake import take_in
from fiche.kernel.diagnostic import Refused

OOM = f"{CLASS}{sentence()}\n".encode()


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(_intake, "SHORT", 100_000)


def chatter(num_bytes):
    chance = random.Random(1)
    lines = [f"step {n} loss {chance.random()}\n".encode() for n in range(20_000)]
    return (b"".join(lines) * (num_bytes // 500_000 + 1))[:num_bytes] + b"\n"


def code(content):
    with pytest.raises(Refused) as refused:
        take_in(io.BytesIO(content), "a.log", None)
    return refused.value.diagnostics[0].code


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("pack", [bytes, functools.partial(gzip.compress, compresslevel=1)])
def test_a_long_log_in_any_wrapping_reads_as_its_text(encoding, pack):
    text = chatter(1_200_000) + "Größe\n".encode() + OOM + chatter(1_200_000)
    packed = pack(text.decode().encode(encoding))
    taken = take_in(io.BytesIO(packed), "a.log", None)
    (failure,) = taken.reading.failures
    assert failure.pointer.line == text[: text.index(OOM)].count(b"\n") + 1
    assert taken.num_bytes == len(packed)
    excerpt = next(text for text in taken.reading.warnings if text.startswith("excerpt"))
    assert f"all {len(text)} bytes" in excerpt


def test_a_long_log_that_is_cut_or_goes_on_is_refused():
    packed = gzip.compress(chatter(4_000_000) + OOM)
    assert code(packed[:-20_000]) == "F426"
    assert code(packed + b"more of it, unpacked") == "F426"
    assert code(gzip.compress(packed * 3)) == "F474"


def test_a_bomb_is_refused_on_its_way(monkeypatch):
    monkeypatch.setattr(_intake, "_ALWAYS_MAY", 1 << 22)
    monkeypatch.setattr(_intake, "_MOST_TIMES", 100)
    assert code(gzip.compress(b"step 1 went well\n" * 4_000_000)) == "F425"


def test_a_log_of_nothing_but_figures_is_too_much_to_keep(monkeypatch):
    monkeypatch.setattr(_intake, "Sieve", functools.partial(_intake.Sieve, most=2_000_000))
    line = b"[rank0]: RuntimeError: CUDA error: out of memory\n"
    assert code(line * 60_000) == "F470"


@pytest.mark.parametrize(
    ("head", "log"),
    [
        (b"step 1\n", True),
        (b"[rank0]: step 1\n", True),
        (b"[1,0]<stdout>: step 1\n", True),
        (b"[2025-05-08 11:20:07 TP0] step\n", True),
        (b"\x00" * 9_000 + b"step 1\n", True),
        (b'{"step": 1}\n{"step": 2}\n', True),
        (b'{"log":"step 1\\n","stream":"stderr"}\n{"log":"step 2\\n"}\n', True),
        (b'{"traceEvents": [\n', False),
        (b'[{"a": 1},\n', False),
        (b"[[1718000000, 3], [4]]", False),
        (b"<nvidia_smi_log>\n", False),
        (b"\x80\x04\x95abc", False),
        (b"GGUF\x03" + bytes(5_000), False),
    ],
)
def test_which_files_are_running_logs(head, log):
    assert _intake._is_log(head, "a", None) == log
    assert _intake._is_log(head, "a", "torch_oom")
    assert not _intake._is_log(head, "a", "fiche_record")


def test_parts_are_made_ahead_and_in_order():
    with ahead(iter([b"a", b"b", b"c"])) as parts:
        assert list(parts) == [b"a", b"b", b"c"]


def test_what_goes_wrong_while_parts_are_made_is_raised_where_they_are_taken():
    def broken():
        yield b"a"
        raise Refused([])

    with pytest.raises(Refused), ahead(broken()) as parts:
        list(parts)


def test_whoever_leaves_early_leaves_no_thread_behind():
    before = threading.active_count()

    def endless():
        while True:
            yield b"a"

    with ahead(endless()) as parts:
        assert next(parts) == b"a"
    assert threading.active_count() == before


@pytest.mark.parametrize("unit", [b"[", b"\n [", b"{["])
def test_a_text_that_is_nothing_but_brackets_is_refused_early(unit):
    with pytest.raises(Refused, match=r"F428.*nested too deep"):
        take_in(io.BytesIO(unit * 400), "a.json", None)
