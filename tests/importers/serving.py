"""What the tests of serving logs share: reading a text, and the damages that a log takes on its way."""

import json
import re

from fiche.kernel.diagnostic import Refused

DIGEST = "cd" * 32


def read(member, text):
    return member.read(text if isinstance(text, bytes) else text.encode(), DIGEST)


def told(seen):
    """An observation without its place: what must survive every damage."""
    value = seen.number if seen.value is None else (seen.value.low, seen.value.high)
    return (seen.counter, seen.stat, seen.scope, seen.device_index, seen.rank, value)


def everything(reading):
    """All figures and failures of a reading, places and words apart."""
    return (
        [told(seen) for seen in reading.observations],
        [told(seen) for seen in reading.planned],
        [
            (f.message_kind, f.memory, f.device_index, f.component, figures(f))
            for f in reading.failures
        ],
    )


def figures(failure):
    return {name: (value.low, value.high) for name, value in failure.quantities.items()}


def values(reading, counter):
    """The printed figures of one counter, in order."""
    return [
        seen.number if seen.value is None else seen.value.text
        for seen in (*reading.observations, *reading.planned)
        if seen.counter == counter
    ]


def ranks(reading, counter):
    return [s.rank for s in (*reading.observations, *reading.planned) if s.counter == counter]


def _each(change):
    return lambda text: "".join(change(line) for line in text.splitlines(keepends=True))


def _coloured(line):
    return re.sub(r"\b(INFO|WARN|ERROR)\b", "\x1b[32m\\1\x1b[0m", line)


DAMAGE = {
    "crlf": _each(lambda line: line.replace("\n", "\r\n")),
    "colours": _each(_coloured),
    "compose": _each(lambda line: f"llm-1  | {line}"),
    "ci stamp": _each(lambda line: f"2026-01-15T03:22:41.1234567Z {line}"),
    "kubernetes": _each(lambda line: f"2026-01-15T03:22:41.123456789Z stdout F {line}"),
    "journal": _each(lambda line: f"Jan 15 03:22:41 host serve[812]: {line}"),
    "local journal": _each(lambda line: f"avril 27 10:11:12 hote serve[812]: {line}"),
    "progress": _each(lambda line: f"Loading: 100%|####| 4/4 [00:06<00:00,  1.71s/it]\r{line}"),
    "quoted": _each(lambda line: f"> {line}"),
    "blank lines": _each(lambda line: f"{line}\n"),
    "no end": lambda text: text.rstrip("\n"),
    "docker": _each(lambda line: json.dumps({"log": line, "stream": "stderr"}) + "\n"),
    "one string": lambda text: json.dumps({"ok": False, "log": text}),
}


def wrapped(text, columns):
    """The text as a terminal of so many columns breaks its lines."""
    return "\n".join(
        line[at : at + columns]
        for line in text.split("\n")
        for at in range(0, max(1, len(line)), columns)
    )


def invented(member, text, columns):
    """Figures of the wrapped text that the text itself does not have: there must be none."""
    known = {told(s)[:4] + told(s)[5:] for s in _all(read(member, text))}
    try:
        found = _all(read(member, wrapped(text, columns)))
    except Refused:
        return []
    return [told(s) for s in found if told(s)[:4] + told(s)[5:] not in known]


def _all(reading):
    return (*reading.observations, *reading.planned)
