"""Rules that changed with a version of an engine: one of them where it is told, both where it is not."""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.kernel.figure import Node, either
from fiche.kernel.record import record
from fiche.kernel.version import Version, parse_version
from fiche.kernel.workload import Workload


@record(kw_only=False)
class Covered:
    """Versions that an engine's rules were read in: from `oldest`, before `beyond`."""

    oldest: str
    beyond: str

    def since(
        self, workload: Workload, first: str, before: Node, after: Node, because: str
    ) -> Node:
        """`before` below version `first`, `after` from it on.

        The hull where the version is untold or outside what was read; `because` is the rule between
        its ends.
        """
        told = parse_version(word(workload, "engine.version"))
        if isinstance(told, Version) and self._holds(told):
            return before if told < _version(first) else after
        return either(before, after, because)

    def _holds(self, told: Version) -> bool:
        return _version(self.oldest) <= told < _version(self.beyond)


def _version(text: str) -> Version:
    parsed = parse_version(text)
    assert isinstance(parsed, Version)
    return parsed
