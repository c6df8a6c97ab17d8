"""The way through a language's record: every text of it under the name that its message has in catalogs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fiche.kernel.record import replace
from fiche.report.style import SIGNS, Style
from fiche.report.words._language import Language

# What is no text, or is the same in every language.
_CODES = frozenset({"tag", "plural", "message"})


def retold(language: Language, say: Callable[[str, str], str]) -> Language:
    """The same record, each text as `say(name, text)` has it; two forms stand as `one|many`."""
    made = {
        name: _within(name, getattr(language, name), say)
        for name in type(language).__fields__  # type: ignore[attr-defined]
        if name not in _CODES
    }
    return replace(language, **made)


def _within(path: str, thing: Any, say: Callable[[str, str], str]) -> Any:  # noqa: ANN401 - any part
    if isinstance(thing, str):
        return say(path, thing) if thing else thing
    if isinstance(thing, Mapping):
        return {key: _within(f"{path}.{key}", value, say) for key, value in thing.items()}
    if isinstance(thing, tuple):
        # The first of an item's lever is the name of the item.
        kept = 1 if path.startswith("item_levers.") else 0
        told = (_within(f"{path}.{n}", value, say) for n, value in enumerate(thing[kept:], kept))
        return (*thing[:kept], *told)
    if isinstance(thing, Style):
        texts = [name for name in Style.__fields__ if name not in SIGNS]  # type: ignore[attr-defined]
        made = {name: _within(f"{path}.{name}", getattr(thing, name), say) for name in texts}
        return replace(thing, **made)
    return thing
