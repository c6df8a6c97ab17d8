"""Whatever wrapping a text came in, the same text comes out; what is broken is refused (law 7)."""

import bz2
import gzip
import importlib
import lzma
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.messages import CLASS, sentence

from fiche.importers import _opened, _packed
from fiche.importers.torch_oom import MEMBER
from fiche.kernel.diagnostic import Refused

zstd = importlib.import_module(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)

OOM = f"{CLASS}{sentence()}\n".encode()
PACKERS = {
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "xz": lzma.compress,
    "lzma": lambda content: lzma.compress(content, lzma.FORMAT_ALONE),
    "bzip2": bz2.compress,
}
SEVERAL = [name for name in PACKERS if name != "lzma"]  # its old form cannot be joined


def code(content):
    with pytest.raises(Refused) as refused:
        _opened.opened(content, "")
    (found,) = refused.value.diagnostics
    return found.code


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
@pytest.mark.parametrize("length", [1, 16 * 1024 - 1, 16 * 1024 + 1, 3 * 10**6])
def test_what_was_packed_comes_out(pack, length):
    content = random.Random(length).randbytes(length // 2) + b"x" * (length - length // 2)
    assert _opened.opened(pack(content), "") == content
    assert content.startswith(_opened.opened_head(pack(content)[:4096]))


@pytest.mark.parametrize("name", SEVERAL)
def test_members_follow_each_other_with_zeros_between_and_behind(name):
    pack = PACKERS[name]
    parts = [b"a\n", b"", random.Random(7).randbytes(70_000), OOM, b"z"]
    assert _opened.opened(b"".join(map(pack, parts)), "") == b"".join(parts)
    padded = b"".join(pack(part) + bytes(8) for part in parts)
    assert _opened.opened(padded + bytes(70_000), "") == b"".join(parts)


def test_frames_of_zstd_that_hold_no_content_are_passed_over():
    note = b"\x50\x2a\x4d\x18\x04\x00\x00\x00note"
    assert _opened.opened(note + zstd.compress(OOM) + note, "") == OOM


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_what_breaks_off_or_goes_on_is_refused(pack):
    packed = pack(OOM * 50)
    for length in (len(packed) - 1, len(packed) // 2, 20):
        assert code(packed[:length]) == "F426"
    if pack is not PACKERS["lzma"]:
        assert code(packed + b"more") == "F426"


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
@given(st.data())
def test_damaged_data_is_read_or_refused(pack, data):
    packed = bytearray(pack(OOM * 9))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    codes = set()
    try:
        _opened.opened(bytes(packed), "")
    except Refused as refused:
        codes = {found.code for found in refused.diagnostics}
    assert codes <= {"F425", "F426", "F473", "F474"}


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_bomb_is_refused_before_it_is_held(pack, monkeypatch):
    monkeypatch.setattr(_opened, "MAX_BYTES", 3 * 2**20)
    assert code(pack(bytes(64 * 2**20))) == "F425"


def test_a_window_that_takes_too_much_memory_is_refused():
    long = {
        zstd.CompressionParameter.window_log: 31,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    engine = zstd.ZstdCompressor(options=long)
    assert code(engine.compress(OOM * 1000) + engine.flush()) == "F473"


def test_a_dictionary_that_takes_too_much_memory_is_refused():
    old = lzma.compress(OOM, lzma.FORMAT_ALONE)
    asked = (3 << 30).to_bytes(4, "little")  # the second to fifth byte say how large it is
    with pytest.raises(Refused, match="F473"):
        b"".join(_packed.unpacked(iter([old[:1] + asked + old[5:]]), _packed.PACKINGS[3], ""))


def test_what_was_packed_twice_is_refused():
    assert code(zstd.compress(gzip.compress(OOM))) == "F474"
    assert code(gzip.compress(gzip.compress(OOM))) == "F474"


def test_a_python_without_an_unpacker_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "lzma", None)
    assert code(b"\xfd7zXZ\x00" + bytes(40)) == "F421"


def test_many_tiny_members_take_linear_time():
    assert _opened.opened(zstd.compress(b"x") * 20_000, "") == b"x" * 20_000
    assert _opened.opened(bz2.compress(b"") * 5_000, "") == b""


# --- Encodings ------------------------------------------------------------------------------------

TEXT = f"Größe\r\n日本語 step 1\n{CLASS}{sentence()}\n"


@pytest.mark.parametrize(
    "encoding",
    ["utf-16", "utf-32", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"],
)
def test_text_of_any_encoding_with_and_without_a_mark(encoding):
    assert _opened.opened(TEXT.encode(encoding), "") == TEXT.encode()
    assert _opened.opened(gzip.compress(TEXT.encode(encoding)), "") == TEXT.encode()


def test_a_text_longer_than_a_step_is_cut_in_no_sign():
    text = "x" + "Größe 日本語\n" * 150_000
    for encoding in ("utf-16", "utf-32-be", "utf-8-sig"):
        assert _opened.opened(text.encode(encoding), "") == text.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"plain\n",
        b"a log\x00 with \x00 zeros\n" * 9,
        bytes(4096) + b"rotated away\n",
        b"\x80\x04\x95" + b"K\x00" * 90,
        b"\xff\x00binary" * 20,
        b"".join(n.to_bytes(2, "little") for n in range(1, 30)) * 9,
    ],
)
def test_other_bytes_stay_as_they_are(content):
    assert _opened.opened(content, "") == content


def test_zeros_in_a_log_hide_no_message():
    rotated = bytes(9000) + b"step 1\n" + OOM.replace(b"CUDA out", b"CUDA\x00 out") + b"\x00\n"
    (failure,) = MEMBER.read(rotated, "ab" * 32).failures
    assert failure.pointer.line == 2
    assert failure.quantities["requested"].text == "1.13 GiB"


@given(st.binary(max_size=300), st.sampled_from(["", "utf-16-le", "utf-16-be", "utf-32-le"]))
def test_opened_bytes_are_opened_once(content, encoding):
    plain = content.decode("latin-1").encode(encoding) if encoding else content
    try:
        once = _opened.opened(plain, "")
    except Refused:
        return
    if _packed.packing_of(once) is None and not once.startswith(b"\xef\xbb\xbf"):
        assert isinstance(_opened.opened_head(once), bytes)


@pytest.mark.parametrize("empty", [gzip.compress(b""), b"\x50\x2a\x4d\x18\x00\x00\x00\x00"])
def test_parts_that_hold_nothing_are_not_read_without_an_end(empty):
    assert _opened.opened(empty * 500, "") == b""
    with pytest.raises(Refused, match=r"F426.*empty parts"):
        _opened.opened(empty * 10_100, "")
