"""Reading of training programs' logs, and the ways in which logs are damaged."""

import json

import pytest

from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def read(member, text):
    """The reading of a text by a member that is sure of it."""
    content = text if isinstance(text, bytes) else text.encode()
    assert member.accepts(content, "x") >= 60
    return member.read(content, DIGEST)


def seen(reading):
    """(counter, stat, figure) of every observation."""
    return [(o.counter, o.stat, o.value.text.split(" ")[0]) for o in reading.observations]


def ranks(reading):
    return {o.rank for o in reading.observations}


def facts(reading):
    return {path: fact.value for path, fact in reading.facts.items()}


def told(reading, key):
    """True where a warning starts with a key."""
    return any(warning.startswith(f"{key}:") for warning in reading.warnings)


def bounds(observation):
    return observation.value.low, observation.value.high


def refusal(member, text):
    """The code of the refusal of a text."""
    with pytest.raises(Refused) as refused:
        member.read(text.encode(), DIGEST)
    return refused.value.diagnostics[0].code


def crlf(text):
    return text.replace("\n", "\r\n")


def compose(text):
    return "".join(f"trainer-1  | {line}\n" for line in text.splitlines())


def stamped(text):
    """As a runner of tests in the cloud writes it."""
    return "".join(f"2026-01-15T03:22:41.1234567Z {line}\n" for line in text.splitlines())


def coloured(text):
    return "".join(f"\x1b[32m{line}\x1b[0m\n" for line in text.splitlines())


def with_progress(text):
    return "".join(
        f" 45%|####  | 3/7 [00:01<00:02, 2.1it/s]\r{line}\n" for line in text.splitlines()
    )


def noisy(text):
    """Among lines of others, one of them no UTF-8."""
    return b"warming up\n\xff\xfe broken\n" + text.encode() + b"bye\n"


def wrapped(text, width=80):
    """As a terminal wraps lines that are too long, wherever they happen to be."""
    return "".join(
        line[at : at + width] + "\n"
        for line in text.splitlines()
        for at in range(0, max(1, len(line)), width)
    )


def in_json(text):
    """As a record of a container's log."""
    return json.dumps({"log": text, "stream": "stdout"}) + "\n"


DAMAGES = (crlf, compose, stamped, coloured, with_progress, noisy)
