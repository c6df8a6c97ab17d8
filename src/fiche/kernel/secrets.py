"""What looks like a secret in the bytes of a text: tokens, keys and passwords, by kind and line.

Shapes are those that the issuing services publish. A match is a suspicion, never a proof, and the secret
itself is never part of what is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.kernel.record import record

MOST_NAMED = 5
# Also behind the escapes of JSON (`\\n`) and of a colour.
EDGE = rb"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=[0-9;\[]m))"
_START = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[0-9;\[]m))"
_END = rb"(?![A-Za-z0-9])"


@record
class Shape:
    """One kind of secret: `pattern` has the secret in the group `secret`, or is it as a whole.

    `anchors` are byte strings in lower case, one of which every match holds: without any of them the
    pattern is not tried.
    """

    kind: str
    word: str
    anchors: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


def _token(word: str, pattern: bytes, *anchors: bytes) -> Shape:
    return Shape(
        kind="token", word=word, anchors=anchors, pattern=re.compile(EDGE + pattern + _END)
    )


# The words for what is not said: such a value is no secret.
_NOTHING = (
    rb"(?!(?:none|null|true|false|unset|redacted|undefined|str|optional)(?![A-Za-z0-9])"
    rb"|\*{2,}|<|\$|%[({s])"
)
_IS = rb"(?:\\?[\"'])?[ \t]{0,8}(?:=>|=|:)[ \t]{0,8}\[?(?:b(?=\\?[\"']))?"


def _value(least: int) -> bytes:
    """Behind a key: up to the closing quote where there is one, else one word."""
    counted = b"{%d,512}" % least
    return (
        _IS
        + rb"(?P<quote>\\?[\"'])?"
        + _NOTHING
        + rb"(?P<secret>(?(quote)[^\"'\\\r\n]"
        + counted
        + rb"|[^\s\"'`\\,;&<>()\[\]{}]"
        + counted
        + rb"))"
    )


_KEY_PARTS = rb"(?:[A-Za-z0-9]{1,32}[_.-]){0,6}"
# `eos_token`, `per_token` and `max_tokens` are no secrets: only these words before `token` make one.
_TOKEN_OF = (
    rb"(?:hf|hub|hugging_?face|access|auth|api|bearer|refresh|session|secret|security|github|gh|gitlab|slack|"
    rb"private|personal|deploy|bot|id|client|user|registry|npm|pypi|wandb|service_account|x-auth)[_-]"
)

_PRIVATE_KEY = (b"private key",)
_KEYS = tuple(
    b"%b%bkey" % (word, between)
    for word in (b"api", b"access", b"secret", b"private", b"account")
    for between in (b"", b"_", b"-")
)
_NAMED = tuple(
    b"%b%b" % (word, sign)
    for word in (b"token", b"secret")
    for sign in (b"=", b":", b'"', b"'", b"\\", b" ", b"\t")
)
_FLAGS = tuple(
    b"-%b%b" % (word, sign)
    for word in (b"key", b"token", b"password", b"secret")
    for sign in (b" ", b"\t")
)

SHAPES = (
    Shape(
        kind="key",
        word="a private key",
        anchors=_PRIVATE_KEY,
        pattern=re.compile(
            rb"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            rb"(?P<secret>(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!-)){0,16384})"
            rb"(?:-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    Shape(
        kind="password",
        word="a password in a URL",
        anchors=(b"://",),
        pattern=re.compile(
            EDGE
            + rb"(?<![+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}://(?P<secret>[^\s/@:?#\"'<>]{0,256}:[^\s/?#\"'<>]{1,512})@"
        ),
    ),
    _token("a Hugging Face token", rb"(?:hf|api_org)_[A-Za-z0-9]{20,1024}", b"hf_", b"api_org_"),
    _token(
        "a GitHub token",
        rb"gh[pousr]_[A-Za-z0-9]{20,1024}",
        b"ghp_",
        b"gho_",
        b"ghu_",
        b"ghs_",
        b"ghr_",
    ),
    _token("a GitHub token", rb"github_pat_[A-Za-z0-9_]{20,1024}", b"github_pat_"),
    _token(
        "a GitLab token",
        rb"gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{16,1024}",
        b"glpat-",
        b"glptt-",
        b"gldt-",
        b"glrt-",
        b"glcbt-",
    ),
    _token("an API key", rb"sk-(?!learn)[A-Za-z0-9_-]{16,1024}", b"sk-"),
    _token("an AWS access key", rb"(?:AKIA|ASIA)[0-9A-Z]{16}", b"akia", b"asia"),
    _token("a Google API key", rb"AIza[0-9A-Za-z_-]{30,1024}", b"aiza"),
    _token("a Google token", rb"ya29\.[0-9A-Za-z_-]{20,512}", b"ya29."),
    _token("a Slack token", rb"xox[a-z]-[A-Za-z0-9-]{10,1024}", b"xox"),
    _token("an NVIDIA API key", rb"nvapi-[A-Za-z0-9_-]{20,1024}", b"nvapi-"),
    _token(
        "an API key",
        rb"(?:gsk|r8|tvly|pplx|dop_v1|dckr_pat|npm)[_-][A-Za-z0-9_-]{20,1024}",
        b"gsk_",
        b"r8_",
        b"tvly-",
        b"pplx-",
        b"dop_v1_",
        b"dckr_pat_",
        b"npm_",
    ),
    _token("a PyPI token", rb"pypi-[A-Za-z0-9_-]{20,512}", b"pypi-"),
    _token("a W&B key", rb"(?:local-|wandb_v1_)[A-Za-z0-9_]{40,128}", b"local-", b"wandb_v1_"),
    _token(
        "a JSON web token",
        rb"eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{0,4096})?",
        b"eyj",
    ),
    Shape(
        kind="token",
        word="an authorization header",
        anchors=(b"authorization", b"bearer"),
        pattern=re.compile(
            rb"(?i)(?:authorization"
            + _IS
            + rb"(?:bearer|basic|token|digest)[ \t]{1,4}|"
            + EDGE
            + rb"bearer[ \t]{1,4})"
            rb"(?P<secret>(?!token\b|auth)[A-Za-z0-9._~+/=-]{6,4096})"
        ),
    ),
    Shape(
        kind="token",
        word="a W&B key",
        anchors=(b"wandb",),
        pattern=re.compile(
            rb"(?i)wandb[ \t]{1,4}login[ \t]{1,4}(?:--\S{1,40}[ \t]{1,4}){0,4}(?P<secret>[0-9a-f]{40})\b"
        ),
    ),
    Shape(
        kind="password",
        word="a password",
        anchors=(b"passw", b"pwd", b"passphrase"),
        pattern=re.compile(
            rb"(?i)"
            + _START
            + _KEY_PARTS
            + rb"(?:password|passwd|passphrase|pwd)(?!"
            + _IS
            + rb"[\"']?/)"
            + _value(1)
        ),
    ),
    Shape(
        kind="token",
        word="an API key",
        anchors=_KEYS,
        pattern=re.compile(
            rb"(?i)" + _START + _KEY_PARTS + rb"(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|"
            rb"secret[_-]?(?:access[_-]?)?key|private[_-]?key|account[_-]?key)" + _value(6)
        ),
    ),
    Shape(
        kind="token",
        word="a token",
        anchors=_NAMED,
        pattern=re.compile(
            rb"(?i)"
            + EDGE
            + rb"(?:"
            + _KEY_PARTS
            + _TOKEN_OF
            + rb")?(?:token|secret)(?!"
            + _IS
            + rb"[0-9]{1,7}(?![A-Za-z0-9]))"
            + _value(6)
        ),
    ),
    Shape(
        kind="token",
        word="a secret on a command line",
        anchors=_FLAGS,
        pattern=re.compile(
            rb"(?i)"
            + EDGE
            + rb"--(?:[a-z0-9]{1,32}-){0,4}(?:api-key|token|password|secret)[ \t]{1,4}"
            rb"[\"']?(?!-)" + _NOTHING + rb"(?P<secret>[^\s\"'`\\,;&<>()\[\]{}]{4,512})"
        ),
    ),
)


@record
class Suspect:
    """A place that looks like a secret: its line (counted by LF from 1), its kind, in words."""

    line: int
    word: str


# How much of a line is looked at around an anchor, where a line is longer; a private key has many lines.
_BEFORE, _AFTER = 1000, 20_000


def near(
    text: bytes,
    lowered: bytes,
    pattern: re.Pattern[bytes],
    anchors: tuple[bytes, ...],
    hint: re.Pattern[bytes] | None = None,
) -> Iterator[re.Match[bytes]]:
    """The matches of a pattern on the lines that hold one of its anchors, in order; none overlap.

    `lowered` is the text in lower case, as anchors are; searching for these bytes costs next to nothing. A
    `hint` is searched in their place where no bytes are common to all matches.
    """
    ends_line = anchors != _PRIVATE_KEY
    places = (
        [place for anchor in anchors for place in _places(lowered, anchor)] if hint is None else []
    )
    if hint is not None:
        places = [found.start() for found in hint.finditer(lowered)]
    last = 0
    for start, end in _spans(lowered, sorted(places), ends_line=ends_line):
        for found in pattern.finditer(text, max(start, last), end):
            last = found.end()
            yield found


def _places(lowered: bytes, anchor: bytes) -> Iterator[int]:
    at = lowered.find(anchor)
    while at >= 0:
        yield at
        at = lowered.find(anchor, at + 1)


def _spans(lowered: bytes, places: list[int], *, ends_line: bool) -> Iterator[tuple[int, int]]:
    """The lines around places, or as much of a long one as matters, joined where they meet."""
    reach: tuple[int, int] | None = None
    for at in places:
        if reach is not None and at < reach[1] - _AFTER // 2:
            continue  # well inside what is looked at already
        start = lowered.rfind(b"\n", max(0, at - _BEFORE), at) + 1 or max(0, at - _BEFORE)
        end = lowered.find(b"\n", at, at + _AFTER) if ends_line else -1
        end = min(len(lowered), at + _AFTER) if end < 0 else end
        if reach is not None and start <= reach[1]:
            reach = (reach[0], max(reach[1], end))
            continue
        if reach is not None:
            yield reach
        reach = (start, end)
    if reach is not None:
        yield reach


def suspects(text: bytes) -> Iterator[Suspect]:
    """Every place that looks like a secret, shape by shape."""
    lowered = text.lower()
    for shape in SHAPES:
        last, line = 0, 1
        if any(anchor in lowered for anchor in shape.anchors):
            for found in near(text, lowered, shape.pattern, shape.anchors):
                if not (found["secret"] if "secret" in found.groupdict() else found[0]).strip():
                    continue
                line += text.count(b"\n", last, found.start())
                last = found.start()
                yield Suspect(line=line, word=shape.word)


def warnings(text: bytes) -> tuple[str, ...]:
    """One sentence where a text holds what looks like secrets; lines and kinds, never the secret."""
    first: dict[int, str] = {}
    for one in suspects(text):
        first.setdefault(one.line, one.word)
    if not first:
        return ()
    told = [f"line {line}: {first[line]}" for line in sorted(first)[:MOST_NAMED]]
    more = f", and {len(first) - MOST_NAMED} more lines" if len(first) > MOST_NAMED else ""
    return (
        f"secret_in_file: this looks like a secret: {', '.join(told)}{more}; whoever gets the piece gets "
        "it too: attach the file with --redact, and have what was shown revoked",
    )
