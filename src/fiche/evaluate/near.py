"""Near the limit: what lies within a guard band of it is to confirm, whichever side it lies on (ILAC-G8).

The band is what the policy declares for a criterion, or what the spread of the measurements themselves asks
where that is more. A floor is arithmetic: nothing was measured that could vary, so no band keeps it from
excluding.
"""

from __future__ import annotations

from fiche.criteria import _conditions
from fiche.kernel.comparison import Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, larger
from fiche.kernel.origin import Stated
from fiche.kernel.record import replace
from fiche.kernel.requirement import Policy
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE

_ABSOLUTE = ("memory", "quality")


def guarded(comparison: Comparison, criterion: str, policy: Policy) -> Comparison:
    """The comparison with the band that its limit is kept at; unchanged where there is none."""
    declared = _declared(comparison, criterion, policy)
    spread = comparison.spread
    if declared is None or spread is None:
        band = spread if declared is None else declared
    else:
        band = larger(declared, spread).named(
            f"guard_band.{criterion}",
            tell("guard band: the declared one, or the spread where that is more"),
        )
    return comparison if band is None else replace(comparison, guard=band)


def _declared(comparison: Comparison, criterion: str, policy: Policy) -> Figure | None:
    """The declared band in the unit of what is compared; a ratio is one of the limit."""
    band = policy.guard_bands.get(criterion)
    if band is None or criterion in _ABSOLUTE:
        return band
    limit = _limit(comparison)
    if limit is None or limit.unit == ONE:
        return None
    return (band * limit).named(
        f"guard_band.{criterion}", tell("guard band: its share of the limit")
    )


def _limit(comparison: Comparison) -> Figure | None:
    """The side that the requirement states."""
    sides = (comparison.have_low, comparison.need_low)
    return next((s for s in sides if s is not None and isinstance(s.origin, Stated)), None)


def near_limit(band: Figure, spread: Figure | None) -> Condition:
    """What settles it: nearer measurements, or room enough to stay clear of the band."""
    because = band.origin.because if isinstance(band.origin, Stated) else ""
    if band is spread:
        return _conditions.near(tell("the measurements lie apart by as much"))
    if because:
        return _conditions.near(tell("the policy declares it ({because})", because=because))
    return _conditions.near(tell("the policy declares it"))
