"""What to do next: steps, the sets of them that turn a candidate, letters, and where the decision turns."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.said import Said, listed, tell_again
from fiche.kernel.settling import (
    DOCUMENT,
    ENTRY,
    MEASUREMENT,
    Flips,
    Letter,
    Request,
    Settles,
    Settling,
    Step,
)
from fiche.report import numbers
from fiche.report._turns import turns
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)


def section(desk: Desk) -> Section | None:
    """None where the decision has nothing of it."""
    found = desk.decision.settling
    if found is None:
        return None
    blocks: list[Block] = []
    if found.steps:
        lead = desk.say("settling_lead", missing=desk.word("missing_title"))
        mixed = desk.say("settling_mixed") if found.is_mixed else ()
        blocks.append(Paragraph((*lead, *((Words(" "), *mixed) if mixed else ()))))
        blocks += _steps(desk, found)
        blocks += [_letter(desk, letter) for letter in found.letters]
    blocks += _flips(desk, found)
    blocks += turns(desk, found.sensitivities)
    return Section(id="settling", title=desk.word("settling_title"), blocks=tuple(blocks))


def next_line(desk: Desk) -> Iterator[Parts]:
    """The one sentence of page one: the cheapest next step towards certainty."""
    found = desk.decision.settling
    step = None if found is None else next((s for s in found.steps if s.id == found.next), None)
    if step is None:
        return
    topics, who = _topics(desk, step.settles), _who(desk, step.settles)
    seller = Quoted(step.seller or step.supplier)
    told = desk.say(
        f"settling_next_{_verb(step)}",
        case=Code(_case(step)),
        machine=Code(step.machine),
        topics=topics,
        who=who,
        seller=seller,
    )
    yield desk.say("settling_next", step=told, cost=_price(desk, step))


# --- Steps ----------------------------------------------------------------------------------------


def _steps(desk: Desk, found: Settling) -> Iterator[Block]:
    """What to do, in order; then what to copy, which wants the width of the page."""
    numbers = _numbers(found)
    keys = ("settling_what", "settling_answers", "settling_who:narrow", "settling_cost:narrow")
    yield Table(
        id="steps",
        caption=desk.word("settling_caption"),
        columns=columns(desk, *keys),
        rows=tuple(_row(desk, step, numbers) for step in found.steps),
        notes=(desk.say("settling_unused", topics=joined(map(Code, found.unused))),)
        if found.unused
        else (),
    )
    copied = [step for step in found.steps if step.commands]
    if copied:
        yield Table(
            id="commands",
            caption=desk.word("settling_commands_caption"),
            columns=columns(desk, "settling_step:narrow", "settling_copy"),
            rows=tuple(
                row(_numbered(numbers[step.id], _title(desk, step)), cell(*_copied(desk, step)))
                for step in copied
            ),
            notes=tuple(
                (Quoted(note),) for note in dict.fromkeys(n for s in copied for n in s.notes)
            ),
        )


def _numbers(found: Settling) -> dict[str, str]:
    """Steps are called by their place: an id says more than a cell has room for."""
    return {step.id: str(place) for place, step in enumerate(found.steps, 1)}


def _numbered(number: str, told: Parts) -> Cell:
    return cell((Words(f"{number}. ", strong=True), *told))


def _row(desk: Desk, step: Step, numbers: dict[str, str]) -> Row:
    cost = [desk.amount(told) for told in (step.cost, step.hours) if told is not None]
    because = (Quoted(step.because),) if step.because else None
    first = ", ".join(sorted((numbers[name] for name in step.after), key=int))
    what = (Words(f"{numbers[step.id]}. ", strong=True), *_title(desk, step))
    return row(
        cell(what, desk.say("settling_after", steps=first) if first else None),
        cell(*_answers(desk, step)),
        cell(Quoted(step.supplier)),
        cell(*cost, because) if cost else cell(Missing(desk.word("not_known"))),
    )


def _copied(desk: Desk, step: Step) -> Iterator[Parts]:
    """Commands and lines stand alone, to be copied whole."""
    if not step.is_ready:
        yield desk.say("settling_wrapped", why=Quoted(listed(step.why[:2], "; ")))
    yield from ((Code(command),) for command in step.commands)
    if step.lines:
        yield desk.say("settling_add" if step.is_ready else "settling_add_import")
    yield from ((Code(line),) for line in step.lines)


def _title(desk: Desk, step: Step) -> Parts:
    verb = _verb(step)
    topics, machine = _topics(desk, step.settles), Code(step.machine)
    who = _who(desk, step.settles)
    if verb == "run":
        if not step.commands:
            return desk.say("settling_unstated", who=who)
        return desk.say("settling_run", case=Code(_case(step)), who=who, machine=machine)
    if verb == "ask":
        seller = Quoted(step.seller or step.supplier)
        return desk.say("settling_ask", seller=seller, text=desk.legible(_sentence(desk, step)))
    text = desk.legible(_short(desk, step.text))
    return desk.say(f"settling_{verb}", machine=machine, topics=topics, text=text)


def _short(desk: Desk, text: str) -> str:
    """A sentence that starts as one, without what falls short so far: that stands with the open point."""
    if isinstance(text, Said) and "nearest" in text.fillings:
        text = tell_again(text, nearest="")
    text = desk.told(text).partition("; nearest piece:")[0]
    return desk.language.sentence(text) if _is_word(text.partition(" ")[0]) else text


def _is_word(start: str) -> bool:
    """True for a word of a language, elided ones too (`l'accord`), and not for an identifier."""
    return start.replace("’", "").replace("'", "").isalpha()


def _sentence(desk: Desk, step: Step) -> str:
    """What is asked, as the letter says it."""
    found = desk.decision.settling
    letters = () if found is None else found.letters
    asked = (one.text for letter in letters for one in letter.requests if one.step == step.id)
    return next(asked, _short(desk, step.text))


def _verb(step: Step) -> str:
    """How a step begins, by its kind and its command."""
    if step.kind == DOCUMENT:
        return "ask"
    if step.kind == ENTRY:
        return "state"
    return step.id.partition(":")[0]


def _case(step: Step) -> str:
    """The case that is run: the one that its command names."""
    words = step.commands[0].split() if step.commands else []
    return words[words.index("--case") + 1] if "--case" in words else ""


def _answers(desk: Desk, step: Step) -> Iterator[Parts]:
    """Topics by weight, and of whom: what decides, what is a preference, what only orders."""
    groups: dict[tuple[str, str], list[Settles]] = {}
    for one in step.settles:
        groups.setdefault((_weight(one), one.candidate), []).append(one)
    alike: dict[tuple[str, Parts], list[Settles]] = {}
    for (weight, _), told in groups.items():
        alike.setdefault((weight, _topics(desk, tuple(told))), []).extend(told)
    for (weight, topics), told in alike.items():
        parts = desk.say("settling_of", topics=topics, who=_who(desk, tuple(told)))
        yield (*parts, *(desk.say(f"settling_{weight}") if weight else ()))


def _weight(one: Settles) -> str:
    if one.decides:
        return ""
    return one.level if one.level in ("want", "order") else "beside"


def _topics(desk: Desk, told: tuple[Settles, ...]) -> Parts:
    return (Words(", ".join(dict.fromkeys(desk.topic(one.topic) for one in told))),)


def _who(desk: Desk, told: tuple[Settles, ...]) -> Parts:
    names = dict.fromkeys(one.candidate for one in told)
    if "" in names:
        return (Words(desk.word("settling_everyone")),)
    return joined([Code(name) for name in names])


def _price(desk: Desk, step: Step) -> Parts:
    told = [desk.amount(one) for one in (step.cost, step.hours) if one is not None]
    if not told:
        return desk.say("settling_unknown")
    return desk.say("settling_known", cost=joined(told, desk.word("settling_and")))


# --- Sets that turn a candidate -------------------------------------------------------------------


def _flips(desk: Desk, found: Settling) -> Iterator[Block]:
    numbers = _numbers(found)
    told = [one for one in found.flips if one.status != "retained"]
    if told:
        yield Table(
            id="flips",
            caption=desk.word("settling_flips_caption"),
            columns=columns(desk, "candidate", "settling_retained_by", "settling_excluded_by"),
            rows=tuple(_flip(desk, one, numbers) for one in told),
        )


def _flip(desk: Desk, one: Flips, numbers: dict[str, str]) -> Row:
    if one.excluded_by:
        return row(Code(one.candidate), cell(_wrong(desk, one)), _nothing(desk))
    sets = [(Words(_series(desk, names, numbers, "settling_and")),) for names in one.retain]
    more = (Words(desk.word("settling_cut")),) if one.is_cut else None
    either = _alternatives(desk, one.exclude, numbers)
    return row(
        Code(one.candidate),
        cell(*sets, more) if sets else _nothing(desk),
        cell(Words(either)) if either else _nothing(desk),
    )


def _nothing(desk: Desk) -> Cell:
    return cell(Missing(desk.word("settling_never")))


def _series(desk: Desk, names: tuple[str, ...], numbers: dict[str, str], last: str) -> str:
    """1, 2 and 5."""
    *more, end = sorted((numbers[name] for name in names), key=int) or [""]
    return f"{', '.join(more)}{desk.word(last)}{end}" if more else end


def _alternatives(desk: Desk, sets: tuple[tuple[str, ...], ...], numbers: dict[str, str]) -> str:
    """1, 3 or (4 and 5)."""
    told = [_series(desk, names, numbers, "settling_and") for names in sets]
    *more, end = [
        f"({each})" if len(names) > 1 else each for each, names in zip(told, sets, strict=True)
    ] or [""]
    return f"{', '.join(more)}{desk.word('settling_or')}{end}" if more else end


def _wrong(desk: Desk, one: Flips) -> Parts:
    requirements = joined([Code(name) for name, _ in one.excluded_by])
    pieces = tuple(dict.fromkeys(piece for _, told in one.excluded_by for piece in told))
    if not pieces:
        return desk.say("settling_wrong_any", requirements=requirements)
    return desk.say("settling_wrong", pieces=desk.references(pieces), requirements=requirements)


# --- Letters --------------------------------------------------------------------------------------


def _letter(desk: Desk, letter: Letter) -> Table:
    """All that is asked of one seller, ready to be copied; long, so a screen folds it."""
    caption = desk.word("settling_letter_caption").format(
        seller=letter.seller,
        offers=", ".join(letter.offers),
        date=numbers.dated(letter.date, desk.style),
    )
    return Table(
        id=f"letter-{_anchor(letter.seller)}",
        caption=caption,
        columns=columns(desk, "settling_request", "settling_wanted:narrow"),
        rows=tuple(_request(desk, str(place), one) for place, one in enumerate(letter.requests, 1)),
        folded=True,
    )


def _request(desk: Desk, number: str, one: Request) -> Row:
    wish = desk.say("settling_want") if one.level == "want" else ()
    return row(_numbered(number, (Quoted(one.text), *wish)), cell(_wanted(desk, one)))


def _wanted(desk: Desk, one: Request) -> Parts:
    """The number that is asked for; where there is none, in which form an answer settles it."""
    if one.threshold:
        return desk.legible(one.threshold)
    found = desk.decision.settling
    kinds = {step.id: step.kind for step in found.steps} if found is not None else {}
    measured = kinds.get(one.step) == MEASUREMENT
    return desk.say("settling_wanted_record" if measured else "settling_wanted_written")


def _anchor(seller: str) -> str:
    return "".join(each if each.isalnum() and each.isascii() else "-" for each in seller.lower())
