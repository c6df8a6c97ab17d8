"""How redaction finds what it replaces: a shape, and a second look at what a pattern alone cannot tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from fiche.kernel.lazy import lazy


class Rule(NamedTuple):
    """One shape. `learned` names are replaced wherever else they stand as a word of their own.

    `anchors` in lower case: without any of them in the text the pattern is not tried. `accepts` looks at a
    match once more, where a pattern alone cannot tell. `hint` takes the place of anchors where no bytes are
    common to all matches.
    """

    kind: str
    pattern: re.Pattern[bytes]
    anchors: tuple[bytes, ...] = ()
    learned: bool = False
    accepts: Callable[[re.Match[bytes]], bool] | None = None
    hint: re.Pattern[bytes] | None = None


NAME = rb"[A-Za-z0-9_\x80-\xff][A-Za-z0-9_.$\x80-\xff-]{0,63}"
HOST = rb"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}"
UUID = rb"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
IS = rb"\\?[\"']?[ \t]{0,20}[=:][ \t]{0,8}(?:b(?=\\?[\"']))?\\?[\"']?"
# Sites that everybody may read: their names in a log tell nothing about who ran it.
_PUBLIC = lazy(
    rb"(?i)(?:[\w-]+\.){0,6}(?:pytorch\.org|github\.com|githubusercontent\.com|github\.io|huggingface\.co|hf\.co|"
    rb"nvidia\.com|amd\.com|intel\.com|python\.org|pypi\.org|readthedocs\.io|vllm\.ai|sglang\.ai|wandb\.ai|"
    rb"tensorflow\.org|deepspeed\.ai|ollama\.com|ollama\.ai|kernel\.org|w3\.org|apache\.org|mlflow\.org|ray\.io|"
    rb"anaconda\.(?:com|org)|lightning\.ai|arxiv\.org|stackoverflow\.com|docker\.(?:com|io)|ghcr\.io|localhost)\.?"
)
_NOBODY = (b"0.0.0.0", b"127.0.0.1", b"255.255.255.255", b"::", b"::1", b"localhost")
# A path of a public site holds no person of ours.
_SITE = lazy(rb"://([^\s/:]{1,200})[^\s]*$")
_NEAR = 300
_OF_ALL = (b"public", b"default", b"all users", b"shared", b"lost+found")
_MORE_WORDS = lazy(rb"(?i)(?:none|null|true|false|unknown|localhost|n/a|n)$")
# A number of four parts behind these is a version: `cudnn 9.1.0.70`, `nvidia-cublas-cu12==12.4.5.8`.
_VERSION = lazy(
    rb"(?i)(?:version|release|revision|driver|cudnn|cublas|cuda|nccl|cufft|cusparse|curand|cusolver|runtime|"
    rb"firmware|vbios|nvidia-[a-z0-9-]{1,40}|[a-z][a-z0-9_.-]{0,60}==|[a-z0-9_-]{1,60}-cu[0-9]{2}|\bv)"
    rb"[\"']?[ \t]{0,60}[:=(]?[ \t]{0,60}[\"']?v?$"
)


def is_host(found: re.Match[bytes]) -> bool:
    """True for the name of a machine: no public site, no number, no word for nothing."""
    name = found["it"].rstrip(b".")
    return not (_PUBLIC.fullmatch(name) or _MORE_WORDS.match(name) or _is_number(name))


def _is_number(name: bytes) -> bool:
    return not re.search(rb"[A-Za-z]", name)


def is_person(found: re.Match[bytes]) -> bool:
    """True for the folder of one person."""
    name = found["it"].lower()
    before = found.string[max(0, found.start() - _NEAR) : found.start()]
    site = _SITE.search(before)
    if site is not None and _PUBLIC.fullmatch(site[1]):
        return False
    return name not in _OF_ALL and not name.startswith((b".", b"<", b"$"))


def is_login(found: re.Match[bytes]) -> bool:
    """True for the name of an account."""
    return is_person(found) and not _MORE_WORDS.match(found["it"])


def is_ipv4(found: re.Match[bytes]) -> bool:
    """True for an address that is somebody's, and is no version of four parts."""
    if found["it"] in _NOBODY:
        return False
    return not _VERSION.search(found.string[max(0, found.start() - 130) : found.start()])


def is_ipv6(found: re.Match[bytes]) -> bool:
    """True for what reads as an address, and not as a time or a C++ name."""
    import ipaddress

    text = found["it"].partition(b"%")[0]
    if text.count(b":") < 2 or text in _NOBODY:
        return False
    try:
        ipaddress.IPv6Address(text.decode("ascii"))
    except ValueError:
        return False
    return True


def is_mac(found: re.Match[bytes]) -> bool:
    """True for a hardware address, and not for a date."""
    return b":" in found["it"] or bool(re.search(rb"[A-Fa-f]", found["it"]))


def rule(
    kind: str,
    pattern: bytes,
    *anchors: bytes,
    learned: bool = False,
    accepts: Callable[[re.Match[bytes]], bool] | None = None,
    hint: bytes | None = None,
) -> Rule:
    """A rule of one pattern; see `Rule`."""
    sign = lazy(hint) if hint is not None else None
    return Rule(kind, lazy(pattern), anchors, learned, accepts, sign)
