"""The shapes of secrets, as the services that issue them publish: tokens, keys, passwords."""

from __future__ import annotations

import re

from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

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
    return Shape(kind="token", word=word, anchors=anchors, pattern=lazy(EDGE + pattern + _END))


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

PRIVATE_KEY = (b"private key",)
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
        anchors=PRIVATE_KEY,
        pattern=lazy(
            rb"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            rb"(?P<secret>(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!-)){0,16384})"
            rb"(?:-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    Shape(
        kind="password",
        word="a password in a URL",
        anchors=(b"://",),
        pattern=lazy(
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
        pattern=lazy(
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
        pattern=lazy(
            rb"(?i)wandb[ \t]{1,4}login[ \t]{1,4}(?:--\S{1,40}[ \t]{1,4}){0,4}(?P<secret>[0-9a-f]{40})\b"
        ),
    ),
    Shape(
        kind="password",
        word="a password",
        anchors=(b"passw", b"pwd", b"passphrase"),
        pattern=lazy(
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
        pattern=lazy(
            rb"(?i)" + _START + _KEY_PARTS + rb"(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|"
            rb"secret[_-]?(?:access[_-]?)?key|private[_-]?key|account[_-]?key)" + _value(6)
        ),
    ),
    Shape(
        kind="token",
        word="a token",
        anchors=_NAMED,
        pattern=lazy(
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
        pattern=lazy(
            rb"(?i)"
            + EDGE
            + rb"--(?:[a-z0-9]{1,32}-){0,4}(?:api-key|token|password|secret)[ \t]{1,4}"
            rb"[\"']?(?!-)" + _NOTHING + rb"(?P<secret>[^\s\"'`\\,;&<>()\[\]{}]{4,512})"
        ),
    ),
)
