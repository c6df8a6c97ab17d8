"""Version specifiers of PEP 440: `>=2.4,<3,!=2.5.0`, judged on versions as programs print them.

A build behind `+` (`2.11.0+cu128`) does not count against a specifier that names none. A pre-release
that is installed is judged by its place in the order: what is there was not to be chosen first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiche.kernel.number import MAX_LENGTH, Misread, quoted
from fiche.kernel.record import record

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

_LOWER, _UPPER = frozenset({">=", ">", "~=", "=="}), frozenset({"<=", "<", "=="})
_OPEN = frozenset({">", "<"})


@record(kw_only=False)
class Specifier:
    """A specifier as written, and as `packaging` reads it."""

    text: str

    def holds(self, version: str) -> bool | None:
        """Whether a version is one of those; None where PEP 440 cannot place it (`610.62-open`)."""
        from packaging.version import InvalidVersion, Version

        try:
            told = Version(version)
        except InvalidVersion:
            return None
        return _read(self.text).contains(told, prereleases=True)


def parse_specifier(text: str) -> Specifier | Misread:
    """Read a specifier; one that is malformed (F380), or that no version meets (F381), is refused."""
    from packaging.specifiers import InvalidSpecifier

    try:
        asked = _read(text) if len(text) <= MAX_LENGTH else None
    except InvalidSpecifier:
        asked = None
    if asked is None or not len(asked):
        return Misread(
            code="F380",
            message=f"{quoted(text)} is no version specifier",
            hint='write an operator before each version, parted by commas: ">=2.4,<3,!=2.5.0"',
        )
    return _nothing(text) if _empty(asked) else Specifier(text)


def _nothing(text: str) -> Misread:
    hint = "a requirement that nothing meets excludes everything: mend one of its bounds"
    return Misread(code="F381", message=f"no version meets {quoted(text)}", hint=hint)


def _read(text: str) -> SpecifierSet:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(text)


def _empty(asked: SpecifierSet) -> bool:
    """A lower bound above an upper one; of the same version, both must let it in."""
    lows, highs = _ends(asked, _LOWER), _ends(asked, _UPPER)
    return any(
        low > high or (low == high and (above or below))
        for low, above in lows
        for high, below in highs
    )


def _ends(asked: SpecifierSet, operators: frozenset[str]) -> list[tuple[Version, bool]]:
    """(version, left out itself) of each bound of one side; a `.*` bounds by its release."""
    from packaging.version import Version

    return [
        (Version(one.version.removesuffix(".*")), one.operator in _OPEN)
        for one in asked
        if one.operator in operators and not one.version.endswith(".*")
    ]
