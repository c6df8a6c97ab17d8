"""What is looked for before a pattern is compiled: never a match is missed, whatever the text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest

from fiche.importers import _events, _prefix, _prose, _restarts, _scan, _squeezed
from fiche.importers._marks import marked

# Pieces of every prefix and sentence that the patterns know, and what comes near to one.
_PARTS = (
    *("[rank0]: ", "[0]<stdout>:", "[1,3]<stderr>", "rank 3: ", "Rank_1: ", "RANK=2 "),
    *("rank:4 ", "12: ", "host-1: ", "[7] ", "(Worker_TP1_EP0 pid=42, ip=10.0.0.1)"),
    *("(EngineCore_DP0 pid=9)", "2026-12-01 10:00:00,123 ", "[10:00:01 ", "10:00:02 TP0] "),
    *("Dec  1 10:00:00 node app:", "node app[12]:", "step 1.25s 12 ", "INFO:root:", "[ERROR]"),
    *("[WARNING/a.py:12]", "main.py:12]", "{a.py:3}", "fiche.load:run:12 - ", "- a.b - "),
    *("I1201 10:00:00.1 12 x.cc:3]", "stdout F ", "stderr P ", "[pod/a/b] ", "::error "),
    *("##[group]", ">>> ", "E   ", "\x1b[31m", "\\n", "\\u001b[0m", "#033[1m", "^[[0m", "[0m"),
    *("#", "^", "\\", "\xa0", "\u200b", "\u3000", "\ufeff", "\u2028", "\xe9", "\u2502"),
    *("torch.OutOfMemoryError: ", "out of memory", "a", "b ", "  ", "\t", "\r", "\x00", "\x07"),
    *("pid=3", "ip=::1", "app-7d9f8b6c5d-x2v4z", "name_1", "web-1", "If you see"),
    *("in case your", "when users", "for example", "e.g.", "Errors such as", "message like "),
    *("you'll get ", "if this is ", "whenever the", "skipping this batch", "retrying"),
    *("Retry 3", "recovered from", "falling back to", "reducing the batch"),
    *("lower the batch size to 4", "with smaller batch", "Restarting "),
    *("restarting the server", "restart counter is at 3", "spawned: 'a' with pid"),
    *("vLLM API server version", "server_args=ServerArgs("),
    *("Setting OMP_NUM_THREADS environment variable for each", "will restart worker group"),
    *("|", " | ", "  |", "[web-1] | "),
)


def _texts() -> Iterator[bytes]:
    chance = random.Random(7)
    for _ in range(20_000):
        yield "".join(chance.choices(_PARTS, k=chance.randint(0, 6))).encode()


def _whole(pattern: re.Pattern[bytes], text: bytes) -> bool:
    return pattern.search(text) is not None


@pytest.mark.parametrize(
    ("matches", "looked"),
    [
        (lambda t: _whole(_restarts._STARTED, t), lambda t: marked(t, _restarts._STARTED_WORDS)),
        (
            lambda t: _whole(_events._WENT_ON, t),
            lambda t: marked(t.lower(), _events._WENT_ON_WORDS),
        ),
        (lambda t: _whole(_prose._TOLD, t), lambda t: marked(t.lower(), _prose._TOLD_WORDS)),
        (
            lambda t: _prefix._PREFIX.match(t) is not None,
            lambda t: _prefix._may_begin(t, 0, len(t)),
        ),
        (lambda t: _whole(_prefix._PID, t), lambda t: b"pid=" in t),
        (lambda t: _whole(_prefix._RANK, t), lambda t: marked(t, (b"[", b"rank", b"RANK"))),
        (lambda t: _whole(_prefix._NAMED, t), lambda t: marked(t, (b"pid=", b"]"))),
        (
            lambda t: _prefix._SERVICE.match(t) is not None,
            lambda t: t.count(b"-") >= _prefix._DASHES or marked(t, (b"|", b"]")),
        ),
    ],
    ids=["started", "went on", "told", "prefix", "pid", "rank", "named", "service"],
)
def test_where_a_pattern_matches_its_mark_stands(
    matches: Callable[[bytes], bool], looked: Callable[[bytes], bool]
) -> None:
    hits = [text for text in _texts() if matches(text)]
    assert len(hits) > 50
    assert [text for text in hits if not looked(text)] == []


def test_gaps_without_a_mark_are_the_same_by_both_patterns() -> None:
    simple = [text for text in _texts() if not marked(text, _prefix.GAP_MARKS)]
    assert len(simple) > 1_000
    for text in simple:
        both = (_squeezed._GAPS, _squeezed._SIMPLE_GAPS)
        one, other = ([found.span() for found in gaps.finditer(text)] for gaps in both)
        assert one == other


def test_a_plain_text_is_what_the_patterns_leave() -> None:
    for raw in _texts():
        text = raw.decode()
        shown = _scan._NOT_SHOWN.sub(" ", _scan._COLOUR.sub("", text))
        assert _scan.plain(raw) == _scan._BLANKS.sub(" ", shown).strip()
