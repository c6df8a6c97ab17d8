"""Hostile pickles, built opcode by opcode: refused before anything is resolved, run or allocated."""

import pickle
import struct
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.snapshots import Writer, busy, dumped, framed, read, snapshot

from fiche.importers import _pickle_scan
from fiche.importers._pickle_load import no_collection, plain_values
from fiche.importers._pickle_scan import UnsafePickleError, scanned
from fiche.kernel.diagnostic import Refused

PROTO = b"\x80\x04"
MEBIBYTE = 1 << 20


def text(word):
    return b"\x8c" + bytes((len(word),)) + word


def refusal(content):
    with pytest.raises(UnsafePickleError) as caught:
        scanned(content, -1, len(content))
    return caught.value


CALL = text(b"os") + text(b"system") + b"\x93" + text(b"false") + b"\x85R"
FORBIDDEN = {
    "GLOBAL": PROTO + b"cos\nsystem\n" + text(b"false") + b"\x85R.",
    "STACK_GLOBAL": framed(CALL),
    "INST": PROTO + b"(" + text(b"false") + b"ios\nsystem\n.",
    "OBJ": PROTO + b"(N" + text(b"false") + b"o.",
    "REDUCE": PROTO + b"NNR.",
    "BUILD": PROTO + b"}}b.",
    "NEWOBJ": PROTO + b"NN\x81.",
    "NEWOBJ_EX": PROTO + b"NN}\x92.",
    "EXT1": PROTO + b"\x82\x01.",
    "EXT2": PROTO + b"\x83\x01\x00.",
    "EXT4": PROTO + b"\x84\x01\x00\x00\x00.",
    "PERSID": PROTO + b"Pid\n.",
    "BINPERSID": PROTO + b"K\x01Q.",
    "BYTEARRAY8": b"\x80\x05\x96" + struct.pack("<Q", 4) + b"abcd.",
    "NEXT_BUFFER": b"\x80\x05\x97.",
    "READONLY_BUFFER": b"\x80\x05\x98.",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_whatever_names_code_or_asks_outside_is_refused(name):
    found = refusal(FORBIDDEN[name])
    assert found.reason == "forbidden_global"
    assert name in found.words


@pytest.mark.parametrize("name", FORBIDDEN)
def test_it_is_refused_inside_a_whole_snapshot_as_well(name):
    """Behind a long trace, where runs are matched by learnt shapes."""
    body = FORBIDDEN[name][2:-1] if name != "STACK_GLOBAL" else CALL
    whole = dumped(snapshot(busy(300).held(), [busy(300).entries]), 3)
    content = whole[:-1] + body + b"0."
    with pytest.raises(Refused, match="F460"):
        read(content)


MALFORMED = {
    "a POP": PROTO + b"N0N.",
    "a POP_MARK": PROTO + b"(N1.",
    "a DUP": PROTO + b"N2\x86.",
    "a LIST by mark": PROTO + b"(Nl.",
    "a DICT by mark": PROTO + b"(NNd.",
    "a set": PROTO + b"\x8f.",
    "bytes": PROTO + b"C\x01a.",
    "old bytes": b"\x80\x02U\x01a.",
    "an INT of text": PROTO + b"I5\n.",
    "a LONG of text": PROTO + b"L" + b"9" * 5000 + b"L\n.",
    "a FLOAT of text": PROTO + b"F1.5\n.",
    "a STRING of text": PROTO + b"S'a'\n.",
    "a GET of text": PROTO + b"g0\n.",
    "a PUT of text": PROTO + b"Np60000000\n.",
    "a text of 8 bytes length": PROTO + b"\x8d" + struct.pack("<Q", 1) + b"a.",
    "a second PROTO": PROTO + PROTO + b"N.",
    "more behind": PROTO + b"N." + PROTO + b"N.",
    "protocol 6": b"\x80\x06N.",
    "protocol 1": b"\x80\x01N.",
    "a frame that ends in a number": PROTO + b"\x95" + struct.pack("<Q", 2) + b"J\x00\x00\x00\x00.",
    "a frame in a frame": PROTO + b"\x95" + struct.pack("<Q", 12) + b"\x95" + bytes(8) + b"NN.",
    "a frame behind STOP": PROTO + b"\x95" + struct.pack("<Q", 5) + b"N.NN.",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_opcodes_that_no_snapshot_is_written_with_are_refused(name):
    assert refusal(MALFORMED[name]).reason == "malformed"


TRUNCATED = {
    "nothing": b"\x80",
    "no STOP": PROTO + b"N",
    "a number": PROTO + b"J\x00\x00",
    "a long number": PROTO + b"\x8a\x06\x00",
    "a text": PROTO + b"\x8c\x30abc",
    "a long text": PROTO + b"X\xff\xff\xff\xffabc",
    "a text's length": PROTO + b"X\xff",
    "a frame": PROTO + b"\x95" + struct.pack("<Q", 1 << 62) + b"N.",
    "a frame's length": PROTO + b"\x95\x00\x00",
    "a memo index": PROTO + b"]r\x00",
}


@pytest.mark.parametrize("name", TRUNCATED)
def test_what_breaks_off_is_refused(name):
    assert refusal(TRUNCATED[name]).reason == "truncated"


@pytest.mark.parametrize("start", [b"(dp0\n", b"(lp0\n", b"}q\x00(X", b"(i__main__\n"])
def test_a_text_pickle_is_refused(start):
    content = start + b"S'segments'\nS'total_size'\n."
    assert refusal(content).reason == "text"


def test_old_protocols_of_a_real_snapshot_are_refused():
    for protocol in (0, 1):
        with pytest.raises(Refused, match="F465"):
            read(pickle.dumps(snapshot(busy(2).held()), protocol))


EXCESSIVE = {
    "a memo index of 60 000 000": PROTO + b"]r" + struct.pack("<I", 60_000_000) + b".",
    "a memo index of 2**31": PROTO + b"]r" + struct.pack("<I", 1 << 31) + b".",
    "a number of 255 bytes": PROTO + b"\x8a\xff" + b"\x01" * 255 + b".",
    "a number of 2**30 bytes": PROTO + b"\x8b" + struct.pack("<I", 1 << 30) + b"\x01.",
    "a number above 64 bits": PROTO + b"\x8a\x09" + b"\x00" * 8 + b"\x01.",
    "lists in lists": PROTO + b"]" * (3 * MEBIBYTE) + b"a" * (3 * MEBIBYTE - 1) + b".",
    "marks": PROTO + b"(" * (6 * MEBIBYTE) + b"t.",
    "dictionaries": PROTO + b"](" + b"}" * (6 * MEBIBYTE) + b"e.",
    "nothing, often": PROTO + b"](" + b"N" * (6 * MEBIBYTE) + b"e.",
}

CHILD = """
import resource, sys
from importers.snapshots import read
from fiche.kernel.diagnostic import Refused
content = sys.stdin.buffer.read()
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = held + len(content) + (64 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    read(content)
except Refused as refused:
    print(refused.diagnostics[0].code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
@pytest.mark.parametrize("name", EXCESSIVE)
def test_what_would_take_memory_is_refused_before_it_does(name):
    """In a process that may not take 64 MiB more than the file's own length."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=EXCESSIVE[name],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=False,
    )
    assert ended.stdout.decode().strip() in ("F461", "F462"), ended.stderr.decode()
    if name != "a number of 2**30 bytes":
        assert refusal(EXCESSIVE[name]).reason == "excessive"


ZERO = b"K\x00"
TUPLES = {
    "none": b")",
    "one": ZERO + b"\x85",
    "a text": ZERO + text(b"word") + b"\x86",
    "a text that ends like two numbers": b"K\x00K\x00\x86" + text(b"KaKb") + b"\x86",
    "a list": ZERO + b"]\x86",
    "three": ZERO * 3 + b"\x87",
    "marked": b"(" + ZERO * 3 + b"t",
    "marked, of pairs": b"(" + (ZERO * 2 + b"\x86") * 2 + b"t",
    "of itself": ZERO * 2 + b"\x86\x94h\x00h\x00\x86",
    "of itself, and a number": ZERO * 2 + b"\x86\x94h\x00" + ZERO + b"\x86",
    "of tuples": b"N" + b"\x85" * (6 * MEBIBYTE),
}


@pytest.mark.parametrize("name", TUPLES)
def test_a_tuple_that_is_no_pair_of_numbers_is_refused(name):
    """The hash of a tuple is taken anew each time: nested ones as a key would take for ever."""
    body = TUPLES[name] + b"."
    for content in (PROTO + body, framed(body), PROTO + b"]" * 200 + body):
        assert refusal(content).reason == "other"
        with pytest.raises(Refused, match="F463"):
            read(content)


def test_tuples_of_tuples_are_never_a_key():
    """A hundred pairs, each of the one before twice: 2**100 steps for one hash."""
    pairs = ZERO * 2 + b"\x86q\x00"
    for n in range(100):
        pairs += b"h" + bytes((n,)) * 1 + b"h" + bytes((n,)) + b"\x86q" + bytes((n + 1,))
    for content in (PROTO + b"}" + pairs + b"Ns.", PROTO + b"}(" + pairs + b"Nu."):
        with pytest.raises(Refused, match="F463"):
            read(content)


@pytest.mark.parametrize("numbers", [(0, 1), (300, 1), (1, 300), (70_000, -1), (1 << 40, 1 << 62)])
@pytest.mark.parametrize("cut", range(-2, 40))
def test_a_pair_may_lie_over_the_end_of_a_run(numbers, cut):
    """Of a portion that is matched at once, or of a frame, which writers end inside of a pair too."""
    pair = pickle.dumps(numbers, 2)[2:].rpartition(b"q\x00")[0]
    for written in (pair, b"(" + pair[:-1] + b"t"):
        body = b"](" + words(_pickle_scan._RUN - 1 - cut) + written
        rest = b"N" * 3000 + b"e."
        assert loaded(PROTO + body + rest)[-3001] == numbers


@pytest.mark.parametrize("numbers", [(0, 1), (300, 1), (1, 300), (70_000, -1), (1 << 40, 1 << 62)])
def test_a_frame_may_end_inside_a_pair(numbers):
    one, other = [pickle.dumps(number, 2)[2:-1] for number in numbers]
    before = b"](" + words(_pickle_scan._RUN + 50)
    for first, second in (
        (one, other + b"\x86"),
        (one + other, b"\x86"),
        (ZERO + one, other + b"\x86"),
    ):
        for front in (b"](", before):
            two = frames(front + first, second + b"e.")
            assert loaded(two)[-1] == numbers
    for first, second in ((text(b"K\x00"), ZERO + b"\x86"), (text(b"K\x00K\x00"), b"\x86")):
        with pytest.raises(UnsafePickleError, match="no pair"):
            loaded(frames(b"](N" + first, second + b"e."))


def words(length):
    """Texts that take up so many bytes."""
    one = text(b"w" * 18)
    return one * (length // 20 - 1) + text(b"w" * 13) + text(b"w" * (length % 20 + 1))


def frames(*bodies):
    return PROTO + b"".join(b"\x95" + struct.pack("<Q", len(body)) + body for body in bodies)


def test_small_structures_that_would_never_be_walked_to_their_end_are_refused():
    """A list in itself, lists that share so often that they hold 2**200 items, 10 000 levels."""
    itself = PROTO + b"]q\x00h\x00a."
    shared = (
        PROTO
        + b"]q\x00"
        + b"".join(
            b"](h" + bytes((n,)) + b"h" + bytes((n,)) + b"eq" + bytes((n + 1,)) for n in range(200)
        )
    )
    shared = b"".join((shared, b"\x86" * 200, b"."))
    deep = PROTO + b"]" * 10_000 + b"a" * 9_999 + b"."
    for content in (itself, shared, deep):
        with pytest.raises(Refused, match=r"F46[13]"):
            read(content)


def test_sharing_where_nobody_looks_costs_nothing():
    value = []
    for _ in range(100):
        value = [value, value]
    machine = busy(2)
    machine.entries[0]["compile_context"] = value
    machine.entries[1]["frames"] = [value]
    read(dumped(snapshot(machine.held(), [machine.entries], more=value)))


def test_opcodes_that_make_no_value_are_refused():
    for body in (b"a.", b"e.", b"h\x07.", b"]]s.", b"(NNu.", b"](N.", b"}(]Nu.", b"\x85.", b"."):
        with pytest.raises(Refused, match=r"F46[13]"):
            read(PROTO + body)


def test_the_unpickler_itself_resolves_nothing():
    """Were the scan ever to let something through, the second door is shut too."""
    content = FORBIDDEN["STACK_GLOBAL"]
    whole = (_pickle_scan.Portion(start=11, end=len(content)),)
    with no_collection(), pytest.raises(UnsafePickleError, match="names code"):
        plain_values(content, whole, lambda owner, entries: False)


NUMBERS = st.integers(-(2**63), 2**63)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8), inner, max_size=4)
        | st.tuples(NUMBERS, NUMBERS)
    ),
    max_leaves=40,
)


def loaded(content):
    portions = scanned(content, -1, len(content))
    with no_collection():
        return plain_values(content, portions, lambda owner, entries: False)


@given(VALUES, st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_every_plain_value_comes_back_as_it_was(value, protocol):
    assert loaded(dumped(value, protocol)) == value


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_every_plain_value_comes_back_from_the_other_writer(value):
    if not isinstance(value, float):
        assert loaded(Writer().whole([value])) == [value]


def test_a_long_file_of_many_frames_comes_back_as_it_was():
    value = [
        {"name": f"word {n}", "line": n, "of": [n, (n, -n), n * 10**12]} for n in range(30_000)
    ]
    for protocol in (2, 4, 5):
        assert loaded(dumped(value, protocol)) == value


@given(st.binary(max_size=400))
@settings(max_examples=400, deadline=None)
def test_any_opcodes_are_refused_or_plain(body):
    for content in (PROTO + body + b".", framed(body)):
        try:
            loaded(content)
        except UnsafePickleError as found:
            assert found.offset <= len(content)  # noqa: PT017
