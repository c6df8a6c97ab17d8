"""The part of the style sheets that one page needs: a rule of what the page has nothing of says nothing there.

Classes and ids are looked for where a page writes them, and in its scripts, which make elements of their own.
A rule is left out only where a name of it is in neither; one that says *not* keeps its rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_WORD = re.compile(r"[A-Za-z_][\w-]*")
# What the maker of paper marks, a moment before it lays the page out (`_paper`).
_MARKED = frozenset({"long", "piece", "whole"})


def names(page: str) -> frozenset[str]:
    """Every class and id of a page, and each word of its scripts."""
    found = set(_MARKED)
    for attribute in (" class=", " id="):
        for after in page.split(attribute)[1:]:
            if after.startswith('"'):
                found.update(after[1 : after.find('"', 1)].split())
            else:
                found.update(after.partition(">")[0].split(None, 1)[:1])
    for script in page.split("<script")[1:]:
        found.update(_WORD.findall(script.partition("</script>")[0]))
    return frozenset(found)


def fitting(rules: Sequence[Any], there: frozenset[str]) -> str:
    """A sheet of these rules, less those that no element of the page can have."""
    return _kept(rules, there, " ".join(("", *there)))


def _kept(rules: Sequence[Any], there: frozenset[str], listed: str) -> str:
    """`listed` are the names that are there, a blank before each."""
    parts: list[str] = []
    for rule in rules:
        if isinstance(rule, str):
            parts.append(rule)
        elif isinstance(rule, dict):
            if within := _kept(rule["rules"], there, listed):
                parts += [rule["media"], "{", within, "}"]
        else:
            told, needs = rule
            if selectors := [
                selector
                for selector, named, begun in needs
                if there.issuperset(named) and all(f" {each}" in listed for each in begun)
            ]:
                parts += [",".join(selectors), "{", told, "}"]
    return "".join(parts)
