"""An excerpt reads as its whole text does: the same failures, on the same lines, no message from two places."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.messages import CLASS, brackets, sentence, six_lines

from fiche.importers import _failure_words, host_oom, kernel_resource_limit, torch_oom
from fiche.importers._excerpt import BARRIER, Excerpt, distance
from fiche.importers._scan import Lines
from fiche.importers._sieve import Sieve
from fiche.importers._sought import Sought
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
CHATTER = b"".join(
    b"2025-06-05 06:18:%02d INFO train.py:88 step=%d loss=0.58 memory 12.3 GiB of 24, 137 error=0\n"
    % (n % 60, n)
    for n in range(1000)
)
OOM = f"{CLASS}{sentence()}\n".encode()
READERS = [torch_oom.MEMBER, host_oom.MEMBER, kernel_resource_limit.MEMBER]


def sieved(text, *, step=1 << 16, anchors=(), head=0, most=1 << 26):
    sieve = Sieve(Sought(anchors, _failure_words.ALL), head=head, most=most)
    for at in range(0, len(text), step):
        sieve.feed(text[at : at + step])
    return sieve.excerpt()


def reading(importer, content):
    try:
        return importer.read(content, DIGEST)
    except Refused as refused:
        return [found.code for found in refused.diagnostics]


def chatter(num_bytes):
    return (CHATTER * (num_bytes // len(CHATTER) + 1))[:num_bytes]


PARTS = [
    OOM,
    OOM.replace(b"GPU 3", b"GPU 1"),
    f"RuntimeError: {brackets()}\n".encode(),
    f"Error occurred: {six_lines()}\n".encode(),
    b"RuntimeError: CUDA error: out of memory\n",
    b"a.sh: line 2:  11 Killed  python a.py\n",
    b"out of resource: shared memory, Required: 98304, Hardware limit: 65536. Reducing\n",
    b"Traceback (most recent call last):\n",
    b"INFO Decreasing batch size to: 4.\n",
    b">>> a\n",
    b"=== FAILURES ===\n______ TestA.test_one ______\n",
    b"______ TestA.test_two ______\n",
    b"no end of line, out of",
    b" memory. Tried to allocate 2.00 GiB\n",
]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(PARTS), st.sampled_from([0, 90, 9_000, 80_000, 140_000, 300_000])
        ),
        max_size=9,
    ),
    st.sampled_from([1 << 15, 100_003, 1 << 20]),
)
def test_an_excerpt_reads_as_the_whole_text_does(parts, step):
    text = chatter(200_000) + b"".join(part + chatter(num_bytes) for part, num_bytes in parts)
    excerpt = sieved(text, step=step)
    for importer in READERS:
        assert reading(importer, excerpt) == reading(importer, text)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**30), st.sampled_from([700, 4_096, 1 << 16]))
def test_lines_and_places_are_those_of_the_original(seed, step):
    chance = random.Random(seed)
    lines = [
        b"%d %s%s" % (n, b"x" * chance.randrange(400), b" anchor" * (chance.random() < 0.01))
        for n in range(1, 3_000)
    ]
    text = b"\n".join(lines)
    excerpt = sieved(text, step=step, anchors=[b"anchor"])
    numbers = Lines(excerpt)
    assert excerpt.whole == len(text)
    assert excerpt.kept == len(excerpt) - BARRIER.count(b"\n") * len(BARRIER) * (
        len(excerpt.stretches) - 1
    )
    offset, kept = 0, set()
    for line in bytes(excerpt).split(b"\n"):
        if line and line != BARRIER[:-1]:
            assert line.split()[0] == b"%d" % numbers.number(offset)
            origin = excerpt.origin(offset)
            assert text[origin : origin + len(line)] == line
            kept.add(line)
        offset += len(line) + 1
    assert {line for line in lines if line.endswith(b" anchor")} <= kept
    assert all(line in lines for line in kept), "lines are kept whole"


def test_numbers_of_lines_may_be_asked_in_any_order():
    excerpt = sieved(b"".join(b"anchor\n" + chatter(40_000) for _ in range(9)), anchors=[b"anchor"])
    numbers, offsets = Lines(excerpt), list(range(0, len(excerpt), 997))
    forward = {offset: Lines(excerpt).number(offset) for offset in offsets}
    random.Random(3).shuffle(offsets)
    assert {offset: numbers.number(offset) for offset in offsets} == forward
    assert len(excerpt.stretches) > 3


def test_what_is_left_out_counts_as_distance():
    """Two equal failures a megabyte apart are two events, though they lie close in the excerpt."""
    text = chatter(150_000) + OOM + chatter(1_000_000) + OOM + chatter(50_000)
    excerpt = sieved(text)
    first, second = excerpt.index(OOM), excerpt.rindex(OOM)
    assert distance(excerpt, first, second) == 1_000_000 + len(OOM)
    assert distance(text, 3, 10) == 7
    assert excerpt.cut_between(first, second)
    assert not excerpt.cut_between(first, first + 90)
    assert len(torch_oom.MEMBER.read(excerpt, DIGEST).failures) == 2


def test_two_stretches_make_no_message():
    """The end of one and the start of the next would read as a failure that no line shows."""
    pieces = [
        (0, 1, b"step 1: CUDA error: out of\n"),
        (9_000, 80, b"memory. Tried to allocate 2.00 GiB\n"),
    ]
    excerpt = Excerpt.of(pieces, 10_000)
    assert reading(torch_oom.MEMBER, b"".join(piece for _, _, piece in pieces)) != ["F424"]
    assert reading(torch_oom.MEMBER, excerpt) == ["F424"]


def test_the_head_stays_and_a_text_that_fits_stays_whole():
    text = chatter(300_000)
    assert sieved(text, head=10_000)[:10_000] == text[:10_000]
    assert len(sieved(text, head=10_000)) < 11_000
    whole = sieved(text, head=1_000_000)
    assert whole == text
    assert len(whole.stretches) == 1


def test_a_line_without_an_end_is_cut():
    text = b"x" * 2_000_000 + b" " + OOM
    excerpt = sieved(text)
    assert len(excerpt) < 1_000_000
    assert torch_oom.MEMBER.read(excerpt, DIGEST).failures[0].pointer.line == 1


def test_a_line_of_every_step_takes_little_around_it():
    line = b"step anchor 1\n" + chatter(9_000)
    excerpt = sieved(line * 4_000, anchors=[b"anchor"])
    seldom, often = 2_000 * 8_192, 2_000 * 1_536
    assert excerpt.count(b"step anchor") == 4_000
    assert len(excerpt) < (seldom + often) * 1.5


def test_more_than_an_excerpt_may_hold_is_refused():
    with pytest.raises(Refused, match="F470"):
        sieved(b"anchor\n" * 300_000, anchors=[b"anchor"], most=1 << 20)
