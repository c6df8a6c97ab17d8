"""Which modules a configuration names to be left as they are, by name, by part of a name or by pattern.

Names come from files that may be hostile: plain names are looked up in a set, and of the patterns only
those are tried whose matching cannot run away (no repeated group, three repetitions at most).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LIMIT = 64
_LENGTH = 200
_REPETITIONS = 3
_SPECIAL = re.compile(r"[*+?^$\\|()\[\]{}]")
_REPEATED_GROUP = re.compile(r"\)[*+{]|[*+?}][*+]|\{")
_BOUNDARY = r"(?:(?<=\.)|(?=\.|$))"
# Libraries nest the language part under different names, before and after they fused it with others.
_WRAPPERS = ("model", "language_model", "transformer")


class Patterns(NamedTuple):
    """Plain names, patterns that can be tried, and those that cannot."""

    plain: frozenset[str]
    tried: tuple[re.Pattern[str], ...]
    refused: tuple[str, ...]


def patterns(written: Iterable[object], *, shell: bool = False) -> Patterns:
    """Sort what a list of a configuration says.

    `re:` marks a pattern that may end anywhere (compressed-tensors); `shell` reads `*` as a shell does.
    """
    plain: set[str] = set()
    tried: list[re.Pattern[str]] = []
    refused: list[str] = []
    for each in written:
        if not isinstance(each, str) or not each:
            continue
        text = each.removeprefix("re:")
        if text == each and not _SPECIAL.search(text):
            plain.update((text, _bare(text)))
            continue
        sign = text if text != each else rf"(?:{_of_shell(text) if shell else text}){_BOUNDARY}"
        if (compiled := _compiled(sign)) is not None and len(tried) < _LIMIT:
            tried.append(compiled)
        else:
            refused.append(each)
    return Patterns(frozenset(plain), tuple(tried), tuple(refused))


def named(module: str, among: Patterns) -> bool:
    """True when a module's full name is one of these, lies inside one, ends like one or matches one."""
    bare = _bare(module)
    if any(part in among.plain for name in {module, bare} for part in _parts(name)):
        return True
    tests = (module, bare, f"model.{bare}", f"language_model.model.{bare}")
    return any(pattern.match(name) for pattern in among.tried for name in tests)


def _compiled(text: str) -> re.Pattern[str] | None:
    repetitions = sum(text.count(sign) for sign in "*+")
    if len(text) > _LENGTH or repetitions > _REPETITIONS or _REPEATED_GROUP.search(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what may be read in two ways is not read here
            return re.compile(text)
    except (re.error, Warning):
        return None


def _of_shell(text: str) -> str:
    return ".*".join(re.escape(part) for part in text.split("*"))


def _parts(name: str) -> Iterator[str]:
    """Every run of whole segments, and every ending."""
    segments = name.split(".")
    for start in range(len(segments)):
        for end in range(start + 1, len(segments) + 1):
            yield ".".join(segments[start:end])
    for start in range(1, len(name)):
        yield name[start:]


def _bare(name: str) -> str:
    kept = [part for part in name.split(".") if part not in _WRAPPERS]
    return ".".join(kept) or name
