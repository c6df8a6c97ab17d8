"""The part of the style sheets that one page needs: a rule of what the page has nothing of says nothing there.

Classes and ids are looked for where a page writes them, and in its scripts, which make elements of their own.
A rule is left out only where a name of it is in neither; one that says *not* keeps its rule.
"""

from __future__ import annotations

import re

# A rule that holds no other, an `@media` without one, and what no element need be named by.
_RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
_EMPTY = re.compile(r"@media[^{}]*\{\}")
_ASIDE = re.compile(r'"[^"]*"|\([^()]*\)')
_NAME = re.compile(r"[.#]([A-Za-z_][\w-]*)")
_BEGINNING = re.compile(r'\[id\^="([^"]*)"\]')
# One pattern each: what begins with letters is found faster.
_WRITTEN = tuple(
    re.compile(rf' {attribute}=(?:"([^"]*)"|([^\s>]+))') for attribute in ("class", "id")
)
_WORD = re.compile(r"[A-Za-z_][\w-]*")
# What the maker of paper marks, a moment before it lays the page out (`_paper`).
_MARKED = frozenset({"long", "piece", "whole"})


def names(page: str) -> frozenset[str]:
    """Every class and id of a page, and each word of its scripts."""
    found = set(_MARKED)
    for written in _WRITTEN:
        for quoted, bare in written.findall(page):
            found.update((quoted or bare).split())
    for script in page.split("<script")[1:]:
        found.update(_WORD.findall(script.partition("</script>")[0]))
    return frozenset(found)


def fitting(sheet: str, there: frozenset[str]) -> str:
    """A sheet without blanks and comments, less the rules that no element of the page can have."""
    listed = " ".join(("", *there))
    return _EMPTY.sub("", _RULE.sub(lambda rule: _kept(rule, there, listed), sheet))


def _kept(rule: re.Match[str], there: frozenset[str], listed: str) -> str:
    if rule[1].startswith("@") or _applies(rule[1], there, listed):
        return rule[0]
    selectors = [each for each in _parted(rule[1]) if _applies(each, there, listed)]
    return f"{','.join(selectors)}{{{rule[2]}}}" if selectors else ""


def _parted(selectors: str) -> list[str]:
    """Selectors at their commas, those within brackets excepted."""
    parts = selectors.split(",")
    if "(" not in selectors:
        return parts
    for place in range(len(parts) - 1, 0, -1):
        before = ",".join(parts[:place])
        if before.count("(") != before.count(")"):
            parts[place - 1 : place + 1] = [f"{parts[place - 1]},{parts[place]}"]
    return parts


def _applies(selector: str, there: frozenset[str], listed: str) -> bool:
    """Whether a page has all that a selector names; `listed` are the same names, a blank before each."""
    if not any(sign in selector for sign in (".", "#", "[id")):
        return True
    named = _NAME.findall(_ASIDE.sub("", selector))
    return there.issuperset(one for one in named if len(one) > 1) and all(
        f" {beginning}" in listed for beginning in _BEGINNING.findall(selector)
    )
