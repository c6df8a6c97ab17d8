"""Which modules a configuration names to be left as they are, by name, by part of a name or by pattern.

Names come from files that may be hostile: plain names are looked up in a set, and of the patterns only
those are tried whose matching cannot run away (no repeated group, three repetitions at most).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

_LIMIT = 64
_LENGTH = 200
_REPETITIONS = 3
_SPECIAL = re.compile(r"[*+?^$\\|()\[\]{}]")
_REPEATED_GROUP = re.compile(r"\)[*+{]|[*+?}][*+]|\{")
_DIGITS = 6
_BOUNDARY = r"(?:(?<=\.)|(?=\.|$))"
# Libraries nest the language part under different names, before and after they fused it with others.
_WRAPPERS = ("model", "language_model", "transformer")


class Patterns(NamedTuple):
    """Plain names and their lengths, those of one layer, patterns that can be tried, and those that cannot.

    `numbered` maps a name with `*` for its first number to the numbers that it is written with.
    """

    plain: frozenset[str]
    lengths: tuple[int, ...]
    numbered: Mapping[str, frozenset[int]]
    tried: tuple[re.Pattern[str], ...]
    refused: tuple[str, ...]


def patterns(written: Iterable[object], *, shell: bool = False) -> Patterns:
    """Sort what a list of a configuration says.

    `re:` marks a pattern that may end anywhere (compressed-tensors); `shell` reads `*` as a shell does.
    """
    plain: set[str] = set()
    numbered: dict[str, set[int]] = {}
    tried: list[re.Pattern[str]] = []
    refused: list[str] = []
    for each in written:
        if not isinstance(each, str) or not each:
            continue
        text = each.removeprefix("re:")
        if text == each and not _SPECIAL.search(text):
            _sort(text, plain, numbered)
            continue
        sign = text if text != each else rf"(?:{_of_shell(text) if shell else text}){_BOUNDARY}"
        if (compiled := _compiled(sign)) is not None and len(tried) < _LIMIT:
            tried.append(compiled)
        else:
            refused.append(each)
    return Patterns(
        plain=frozenset(plain),
        lengths=tuple({len(text) for text in plain}),
        numbered={name: frozenset(numbers) for name, numbers in numbered.items()},
        tried=tuple(tried),
        refused=tuple(refused),
    )


def named(module: str, layers: Collection[int], among: Patterns) -> frozenset[int]:
    """The layers in which a module is one of these, lies inside one, ends like one or matches one.

    `module` is its full name with `*` for the layer.
    """
    names = {module, _bare(module)}
    if any(_is_plain(name, among) for name in names):
        return frozenset(layers)
    found = {
        layer
        for name in names
        for run in _runs(name)
        for layer in among.numbered.get(run, ())
        if layer in layers
    }
    found.update(layer for layer in layers if among.tried and _is_tried(module, layer, among))
    return frozenset(found)


def _sort(text: str, plain: set[str], numbered: dict[str, set[int]]) -> None:
    for name in {text, _bare(text)}:
        segments = name.split(".")
        place = next((i for i, each in enumerate(segments) if each.isdecimal()), None)
        if place is None:
            plain.add(name)
        elif len(segments[place]) <= _DIGITS:
            layer, segments[place] = int(segments[place]), "*"
            numbered.setdefault(".".join(segments), set()).add(layer)


def _is_plain(name: str, among: Patterns) -> bool:
    """True for a run of whole segments, or an ending, that is one of the plain names."""
    return any(name[-length:] in among.plain for length in among.lengths) or any(
        run in among.plain for run in _runs(name)
    )


def _runs(name: str) -> Iterator[str]:
    """Every run of whole segments."""
    starts = [0, *(place + 1 for place, sign in enumerate(name) if sign == ".")]
    ends = [*(start - 1 for start in starts[1:]), len(name)]
    return (name[start:end] for start in starts for end in ends if end > start)


def _is_tried(module: str, layer: int, among: Patterns) -> bool:
    name = module.replace("*", str(layer), 1)
    bare = _bare(name)
    tests = (name, bare, f"model.{bare}", f"language_model.model.{bare}")
    return any(pattern.match(test) for pattern in among.tried for test in tests)


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


def _bare(name: str) -> str:
    kept = [part for part in name.split(".") if part not in _WRAPPERS]
    return ".".join(kept) or name
