"""What owning and renting of one plan share: its inputs, its hours, its currency, its discounting."""

from __future__ import annotations

from fiche.evaluate._money import Money
from fiche.evaluate._worths import HOURS_IN_YEAR, Worths, plain_worths, worths
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Unknown, larger, smaller
from fiche.kernel.ownership import Plan
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import ONE, Unit, count_of


@record
class Frame:
    """One plan under way; `by_worth` is None where no discount rate or no years are told."""

    owner: str
    plan: Plan
    money: Money
    used_hours: Figure
    undiscounted: Worths
    by_worth: Worths | None

    @classmethod
    def of(cls, plan: Plan, money: Money) -> Frame:
        """Set up for one plan."""
        owner = f"ownership.{plan.id}"
        part, years = plan.figures.get("utilisation"), plan.figures.get("years")
        rate = plan.figures.get("discount_rate")
        used = HOURS_IN_YEAR * (
            smaller(hole(plan, "utilisation", ONE), 1) if part is None else part
        )
        kept = larger(hole(plan, "years", count_of("years")), 1) if years is None else years
        return cls(
            owner=owner,
            plan=plan,
            money=money,
            used_hours=used.named(f"{owner}.used_hours", tell("hours of useful work in a year")),
            undiscounted=plain_worths(kept),
            by_worth=None if years is None or rate is None else worths(owner, rate, years),
        )

    def told(self, name: str, unit: Unit) -> Node:
        """What the plan tells in its own currency, or the hole it leaves."""
        found = self.plan.figures.get(name)
        amount = None if found is None else self.money.converted(found)
        if not isinstance(amount, Figure):
            return hole(self.plan, name, unit)
        if amount is found:
            return amount
        label = tell("{name}, in {currency}", name=spoken(name), currency=self.money.currency)
        return amount.named(f"{self.owner}.{name}_converted", label)

    @property
    def always(self) -> bool:
        """Rented without a break, whether used or not."""
        return self.word("rented", "as_used") == "without_break"

    @property
    def rented_hours(self) -> Figure:
        """Hours of a year that are paid for where they are rented."""
        return HOURS_IN_YEAR if self.always else self.used_hours

    def word(self, name: str, otherwise: str) -> str:
        """A word of the plan, or how it is read where it says nothing."""
        return self.plan.facts[name].value if name in self.plan.facts else otherwise


def hole(plan: Plan, name: str, unit: Unit) -> Unknown:
    """What is untold is never zero: it opens what is made of it, and says what to add."""
    condition = Condition(
        topic="ownership",
        text=tell(
            "state '{name}' of plan '{plan}', with its reason or its piece", name=name, plan=plan.id
        ),
        supplier=tell("author of the fiche"),
        piece_kind="fiche",
    )
    return Unknown(
        condition=condition,
        unit=unit,
        id=f"ownership.{plan.id}.{name}",
        label=tell("{name}, untold", name=spoken(name)),
    )
