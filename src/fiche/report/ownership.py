"""Buying against renting: figures, break-evens, what flips the answer, and cost against hours (catalog 6)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure, Node
from fiche.kernel.ownership import CostLine, Flip, Ownership, Rental
from fiche.kernel.record import replace
from fiche.report import numbers
from fiche.report._costed import never, share, threshold, valued, years
from fiche.report._left_out import left_out, rested_on
from fiche.report.crossing import costs
from fiche.report.desk import Desk, cell, columns, group, joined, row
from fiche.report.parts import Block, Cell, Code, Paragraph, Part, Parts, Row, Section, Table, Words


def section(desk: Desk) -> Section | None:
    """Every plan of the fiche, in its order; None where there is none."""
    plans = desk.decision.ownerships
    if not plans:
        return None
    blocks: list[Block] = [Paragraph((Words(desk.word("own_note")),), "note")]
    for place, told in enumerate(plans, 1):
        blocks += _plan(desk, told, place)
    return Section(id="ownership", title=desk.word("own_title"), blocks=tuple(blocks))


def drawn(desk: Desk) -> Section | None:
    """Cost against hours of use of every plan, for the pages that are signed; the tables stand in the annex."""
    plans = enumerate(desk.decision.ownerships, 1)
    pictures = [costs(desk, told, place) for place, told in plans if told.owned is not None]
    found: tuple[Block, ...] = tuple(one for one in pictures if one is not None)
    return Section(id="owning", title=desk.word("own_drawn"), blocks=found) if found else None


def page_one(desk: Desk) -> Iterator[Parts]:
    """One sentence a plan: what it says against each rental that it could be compared with."""
    for told in desk.decision.ownerships:
        lead = desk.say("own_page_one", plan=Code(told.plan.id), own=Code(told.plan.buy))
        answers = [_against(desk, told, rent) for rent in told.rentals]
        answers += [desk.say("own_no_rent", rent=Code(name)) for name in told.missing]
        if told.owned is None:
            answers = [desk.say("own_no_price", own=Code(told.plan.buy))]
        yield (Words(desk.word("own_lead"), strong=True), *lead, *joined(answers, " "))


def _plan(desk: Desk, told: Ownership, place: int) -> Iterator[Block]:
    yield Paragraph(_lead(desk, told), "plain")
    if told.owned is None:
        yield Paragraph(desk.say("own_no_price", own=Code(told.plan.buy)), "plain")
        yield from left_out(desk, told)
        return
    for rent in told.rentals:
        yield Paragraph(_answer(desk, told, rent), "lead")
    for name in told.missing:
        yield Paragraph(desk.say("own_no_rent", rent=Code(name)), "plain")
    yield _cost_table(desk, told, place)
    if told.rentals:
        yield _even_table(desk, told, place)
    for number, rent in enumerate(told.rentals, 1):
        if rent.flips:
            yield _flip_table(desk, told, rent, f"flips-{place}-{number}")
    yield from left_out(desk, told)
    yield rested_on(desk, told, place)


def _lead(desk: Desk, told: Ownership) -> Parts:
    kept = told.plan.figures.get("years")
    return desk.say(
        "own_plan",
        plan=Code(told.plan.id),
        own=Code(told.plan.buy),
        years=desk.word("own_years_untold") if kept is None else valued(desk, "years", kept),
        rent=joined([Code(name) for name in told.plan.rent]),
        rented=desk.word(f"own_{_rented(told)}"),
    )


def _rented(told: Ownership) -> str:
    facts = told.plan.facts
    return facts["rented"].value if "rented" in facts else "as_used"


# --- The answer -----------------------------------------------------------------------------------


def _answer(desk: Desk, told: Ownership, rent: Rental) -> Parts:
    return _against(desk, told, rent) + _hangs(desk, rent)


def _against(desk: Desk, told: Ownership, rent: Rental) -> Parts:
    found = desk.say(
        "own_against", rent=Code(rent.candidate), first=_cheaper(desk, rent.answer, rent.more)
    )
    rate = told.plan.figures.get("discount_rate")
    if rate is None or not rent.answer_discounted:
        found += desk.say("own_no_rate")
    else:
        second = _cheaper(desk, rent.answer_discounted, rent.more_discounted)
        told_rate = valued(desk, "discount_rate", rate)
        found += desk.say("own_discounted_at", rate=told_rate, second=second)
    if {rent.answer, rent.answer_discounted} == {"buy", "rent"}:
        found += (Words(desk.word("own_signs"), strong=True),)
    return found


def _cheaper(desk: Desk, answer: str, more: Figure | None) -> Parts:
    if answer in ("buy", "rent"):
        if more is None:
            return (Words(desk.word(f"own_cheaper_{answer}")),)
        return desk.say(f"own_{answer}", less=desk.amount(more, _unsigned(desk, more)))
    return (Words(desk.word(f"own_{answer}")),)


def _unsigned(desk: Desk, more: Figure) -> str:
    """What is below zero the other way round: it is said to be less."""
    if more.low >= 0 or more.high is None:
        return numbers.amount(more, desk.style)
    return numbers.amount(replace(more, low=-more.high, high=-more.low), desk.style)


def _hangs(desk: Desk, rent: Rental) -> Parts:
    if rent.headroom is not None:
        return desk.say("own_headroom", headroom=desk.amount(rent.headroom))
    first = next(iter(rent.flips), None)
    if first is None:
        return ()
    if first.distance is None:
        return desk.say("own_hangs_on_nothing")
    value = first.discounted if rent.answer_discounted else first.undiscounted
    assert value is not None
    assert value.value is not None
    inside = first.distance.low == 0 and not value.value.exact
    return desk.say(
        "own_hangs_inside" if inside else _hanging(first.name, value.value, rent),
        input=desk.word(f"own_in_{first.name}"),
        used=valued(desk, first.name, first.used),
        value=valued(desk, first.name, value.value),
        distance=desk.amount(first.distance, share(desk, first.distance, 1)),
    )


def _hanging(name: str, value: Figure, rent: Rental) -> str:
    """Years are tried one by one, and rent by whole periods jumps: no cost is the same there."""
    if name == "years" and not value.exact:
        return "own_hangs_years"
    jumps = name == "utilisation" and rent.steps is not None and rent.steps.whole
    return "own_hangs_turn" if jumps else "own_hangs"


# --- Costs ----------------------------------------------------------------------------------------


def _cost_table(desk: Desk, told: Ownership, place: int) -> Table:
    own = told.owned
    assert own is not None
    rows = [group(*desk.say("own_owning", own=Code(own.candidate)))]
    rows += [_line(desk, line) for line in own.lines]
    rows.append(
        _money(desk, "own_sum", own.per_year, own.undiscounted, own.discounted, strong=True)
    )
    rows.append(_money(desk, "own_hour", own.per_hour))
    for rent in told.rentals:
        rows.append(group(*desk.say("own_renting", rent=Code(rent.candidate))))
        sums = (rent.per_year, rent.undiscounted, rent.discounted)
        rows.append(_money(desk, "own_rent_sum", *sums, strong=True))
        rows.append(_money(desk, "own_hour", rent.per_hour))
        rows.append(_row(desk, "own_rent_less", (rent.more, rent.more_discounted)))
    return Table(
        id=f"own-costs-{place}",
        caption=desk.word("own_costs_caption").format(plan=told.plan.id),
        columns=columns(
            desk, "own_cost", "own_a_year:number", "own_all_years:number", "own_discounted:number"
        ),
        rows=tuple(rows),
        notes=(*_cards(desk, told), (Words(desk.word("own_costs_note")),)),
    )


def _cards(desk: Desk, told: Ownership) -> Iterator[Parts]:
    own = told.owned
    for rent in told.rentals:
        if own is not None and rent.cards.low != own.cards.low:
            yield desk.say(
                "own_cards_differ",
                own=Code(own.candidate),
                cards=desk.amount(own.cards),
                rent=Code(rent.candidate),
                others=desk.amount(rent.cards),
            )


def _line(desk: Desk, line: CostLine) -> Row:
    return _money(desk, f"own_line_{line.name}", line.per_year, line.undiscounted, line.discounted)


def _money(desk: Desk, key: str, *nodes: Node | None, strong: bool = False) -> Row:
    cells = [_cell(desk, node) for node in nodes]
    cells += [cell((), numeric=True)] * (3 - len(cells))
    return row(cell((Words(desk.word(key), strong=strong),)), *cells)


def _row(desk: Desk, key: str, nodes: tuple[Node | None, ...]) -> Row:
    told = [cell((), numeric=True), *(_cell(desk, node) for node in nodes)]
    return row(cell((Words(desk.word(key)),)), *told)


def _cell(desk: Desk, node: Node | None) -> Cell:
    if node is None:
        return cell((Words(desk.word("own_far")),), numeric=True)
    text = valued(desk, "rent", node) if str(node.unit).endswith("/h") else desk.amount(node)
    return cell(text, numeric=True)


# --- Break-evens ----------------------------------------------------------------------------------


def _even_table(desk: Desk, told: Ownership, place: int) -> Table:
    return Table(
        id=f"own-even-{place}",
        caption=desk.word("own_even_caption"),
        columns=columns(
            desk,
            "own_against_short",
            "own_even_use:number",
            "own_even_plain:number",
            "own_even_time",
            "own_even_discounted",
        ),
        rows=tuple(_even(desk, told, rent) for rent in told.rentals),
        notes=((Words(desk.word("own_even_note")),),),
    )


def _even(desk: Desk, told: Ownership, rent: Rental) -> Row:
    plain = rent.at_stated_energy
    return row(
        cell((Code(rent.candidate),)),
        cell(threshold(desk, "utilisation", rent.break_even), numeric=True),
        _cell(desk, None)
        if plain is None
        else cell(valued(desk, "utilisation", plain), numeric=True),
        _when(desk, rent),
        cell(_first_year(desk, told, rent)),
    )


def _when(desk: Desk, rent: Rental) -> Cell:
    crossed = rent.crossing
    if crossed is None:
        return cell(never(desk, "years", rent.crossing_never))
    shown: Part = desk.amount(crossed.years, years(desk, crossed.years))
    return cell(
        desk.say("own_even_at", hours=desk.amount(crossed.used_hours)),
        desk.say("own_even_years", years=shown),
    )


def _first_year(desk: Desk, told: Ownership, rent: Rental) -> Parts:
    found = rent.first_year
    if "discount_rate" not in told.plan.figures:
        return (Words(desk.word("own_not_asked")),)
    if found.value is None:
        return never(desk, "years", found.never)
    return desk.say("own_even_first", year=desk.count(found.value))


# --- What flips -----------------------------------------------------------------------------------


def _flip_table(desk: Desk, told: Ownership, rent: Rental, name: str) -> Table:
    fills = {"own": told.plan.buy, "rent": rent.candidate}
    return Table(
        id=f"own-{name}",
        caption=desk.word("own_flip_caption").format(**fills),
        columns=columns(
            desk,
            "own_input",
            "own_used:number",
            "own_flips_plain:number",
            "own_flips_discounted:number",
            "own_distance:number",
        ),
        rows=tuple(_flip(desk, each) for each in rent.flips),
        notes=((Words(desk.word(f"own_distance_note_{told.basis}")),),),
    )


def _flip(desk: Desk, told: Flip) -> Row:
    far = told.distance
    return row(
        cell((Words(desk.word(f"own_in_{told.name}")),)),
        cell(valued(desk, told.name, told.used), numeric=True),
        cell(threshold(desk, told.name, told.undiscounted), numeric=True),
        cell(threshold(desk, told.name, told.discounted), numeric=True),
        _cell(desk, None)
        if far is None
        else cell(desk.amount(far, share(desk, far, 1)), numeric=True),
    )
