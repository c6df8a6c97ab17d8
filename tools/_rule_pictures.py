"""The one rule as pictures: bounds are drawn, and the verdict beside them is what `judge` says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from fiche.evaluate.rule import ROWS, judge
from fiche.kernel.address import Span
from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Verdict
from fiche.kernel.origin import Stated
from fiche.kernel.unit import BYTE

GIB = 2**30
WIDTH = 920
ROW = 62
TOP = 58
LEFT, SCALE = 336, Fraction(290, 32)  # where 0 GiB stands, and units of the picture to a GiB

STYLE = """
:root{--paper:#fff;--ink:#16191d;--quiet:#474e57;--rule:#c3c9d1;--need:#1f4e79;--have:#8a97a5;
--good:#0b5c3b;--warn:#704500;--bad:#9b1c31}
@media(prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#eceff3;--quiet:#b4bcc6;--rule:#454d57;--need:#7fb2e5;
--have:#9aa6b3;--good:#6cd3a0;--warn:#f0b85c;--bad:#ff8fa0}}
text{font:14px system-ui,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:var(--ink)}
.q{fill:var(--quiet);font-size:12.5px}.b{font-weight:600}.h{font-size:17px;font-weight:600}
.paper{fill:var(--paper);stroke:var(--rule)}.line{stroke:var(--rule);fill:none}
.need{fill:var(--need)}.have{fill:none;stroke:var(--have);stroke-width:2}.open{stroke-dasharray:3 4}
.needopen{fill:none;stroke:var(--need);stroke-width:2;stroke-dasharray:3 4}
.band{fill:var(--warn);opacity:.45}
.admissible{fill:var(--good)}.to_confirm{fill:var(--warn)}.exclude{fill:var(--bad)}
.x{stroke:var(--bad);stroke-width:3;fill:none}
.area{fill:var(--good);opacity:.18}.area.bad{fill:var(--bad)}
"""
WORDS = {
    Verdict.ADMISSIBLE: "Admissible",
    Verdict.TO_CONFIRM: "To confirm",
    Verdict.EXCLUDE: "Exclude",
}


@dataclass(frozen=True)
class Case:
    """One situation in GiB: what is needed, what there is (None: an open end), and what a piece says."""

    title: str
    told: str
    need: tuple[str | None, str | None]
    have: tuple[str | None, str | None]
    claims: tuple[str, ...] = ()
    conflict: bool = False
    band: str = ""
    required: bool = True


CASES = (
    Case(
        "A run in scope, on this machine",
        "peak observed, total printed",
        ("21.21", "21.21"),
        ("23.52", "23.52"),
    ),
    Case("A floor above the label", "weights and cache alone", ("27", None), (None, "24")),
    Case(
        "An estimate beside a label", "nothing measured on either side", ("18", None), (None, "24")
    ),
    Case(
        "Within, on a card not seen yet", "the label is at most", ("21.21", "21.21"), (None, "24")
    ),
    Case(
        "Two bounds that overlap", "three machines of one card differ", ("23", "24"), ("23.5", "24")
    ),
    Case(
        "Near the limit",
        "the policy keeps 0.5 GiB from it",
        ("23.2", "23.2"),
        ("23.52", "23.52"),
        band="0.5",
    ),
    Case(
        "A proven failure that covers the case",
        "alone on the card, less free than asked for",
        ("18", None),
        ("15.67", "15.67"),
        claims=("failure",),
    ),
    Case(
        "One run failed, one succeeded",
        "in one scope: both are shown",
        ("21.21", "21.21"),
        ("23.52", "23.52"),
        claims=("failure", "yes"),
        conflict=True,
    ),
    Case(
        "Nothing is required",
        "no threshold: nothing to be within",
        ("21.21", "21.21"),
        ("23.52", "23.52"),
        required=False,
    ),
)


def bounds() -> str:
    """Every kind of answer, each with its two intervals."""
    found = [(case, judge(_comparison(case))) for case in CASES]
    height = TOP + ROW * len(found) + 52
    told = "; ".join(f"{case.title}: {WORDS[row.verdict]}, {row.text}" for case, row in found)
    body = [*_head("What is needed, what there is, and the answer"), *_axis(TOP + ROW * len(found))]
    for index, (case, row) in enumerate(found):
        body += _row(TOP + ROW * index, case, row.verdict, str(row.text))
    body += _legend(height - 16)
    return _svg(height, "Nine situations and the answer of the rule", told, body)


def order() -> str:
    """The questions of the rule in their order: the first yes answers."""
    step, height = 42, TOP + 42 * len(ROWS) + 20
    body = [*_head("Ten questions, in this order: the first yes answers")]
    for index, row in enumerate(ROWS):
        y = TOP + step * index
        last = index == len(ROWS) - 1
        body.append(f'<path class="line" d="M24 {y + 30}H{WIDTH - 24}"/>')
        body.append(_text(34, y + 18, f"{index + 1}", "b"))
        words = str(row.text)
        body.append(_text(64, y + 18, words[0].upper() + words[1:] + ("" if last else "?")))
        body += _mark(640, y + 13, row.verdict)
        shown = WORDS[row.verdict] + (f", as {_aside(row.reason)}" if _aside(row.reason) else "")
        body.append(_text(660, y + 18, shown, f"b {row.verdict.value}"))
    told = "; ".join(f"{row.text}: {WORDS[row.verdict]}" for row in ROWS)
    return _svg(height, "The one rule as questions in order", told, body)


def scope() -> str:
    """Which cases a run speaks of, by its dimensions: a success of smaller ones, a failure of larger ones."""
    height = 396
    body = [*_head("Which cases a run speaks of")]
    for left, title, verdict in (
        (40, "It succeeded: it covers what is no larger", Verdict.ADMISSIBLE),
        (490, "It failed: it covers what is no smaller", Verdict.EXCLUDE),
    ):
        body += _plane(left, title, verdict)
    told = (
        "On a plane of tokens and sequences, a run that succeeded answers for every case that is smaller or"
        " equal in both; a run that failed for every case that is larger or equal in both; others stay open."
    )
    return _svg(height, "Which cases a run speaks of", told, body)


PICTURES = {"rule-bounds.svg": bounds, "rule-order.svg": order, "rule-scope.svg": scope}

# --- What is judged ---------------------------------------------------------------------------


def _comparison(case: Case) -> Comparison:
    return Comparison(
        need_low=_figure(case.need[0]),
        need_high=_figure(case.need[1]),
        have_low=_figure(case.have[0]),
        have_high=_figure(case.have[1]),
        claims=tuple(Claim(piece="run", answer=answer) for answer in case.claims),
        conflicts=(("run", "other"),) if case.conflict else (),
        guard=_figure(case.band) if case.band else None,
        required=case.required,
    )


def _figure(gib: str | None) -> Figure | None:
    if gib is None:
        return None
    amount = int(Fraction(gib) * GIB)
    origin = Stated(span=Span(file="picture", line=1, column=1))
    return Figure(low=amount, high=amount, unit=BYTE, origin=origin, id="drawn", label="drawn")


def _aside(reason: str) -> str:
    return {"conflict": "a conflict", "near_limit": "near the limit"}.get(reason, "")


# --- What is drawn ----------------------------------------------------------------------------


def _svg(height: int, title: str, told: str, body: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img" aria-labelledby="t d">\n<title id="t">{escape(title)}</title>\n'
        f'<desc id="d">{escape(told)}</desc>\n<style>{STYLE.strip()}</style>\n'
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _text(x: int, y: int, words: str, name: str = "", anchor: str = "") -> str:
    extra = (f' class="{name}"' if name else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x}" y="{y}"{extra}>{escape(words)}</text>'


def _head(words: str) -> Iterator[str]:
    yield _text(24, 34, words, "h")


def _axis(bottom: int) -> Iterator[str]:
    for gib in range(0, 33, 8):
        x = _x(str(gib))
        yield f'<path class="line" d="M{x} {TOP - 4}V{bottom}"/>'
        yield _text(x, bottom + 16, f"{gib}" if gib < 32 else "32 GiB", "q", "middle")


def _x(gib: str) -> int:
    return round(LEFT + Fraction(gib) * SCALE)


def _row(y: int, case: Case, verdict: Verdict, told: str) -> Iterator[str]:
    yield f'<path class="line" d="M24 {y + ROW - 6}H{WIDTH - 24}"/>'
    yield _text(24, y + 20, case.title, "b")
    yield _text(24, y + 40, case.told, "q")
    yield from _bar(y + 10, case.need, "need")
    yield from _bar(y + 32, case.have, "have")
    if case.band:
        x = _x(str(Fraction(case.have[0] or 0) - Fraction(case.band)))
        yield f'<rect class="band" x="{x}" y="{y + 6}" width="{_x(case.have[0] or "0") - x}" height="40"/>'
    if "failure" in case.claims:
        yield from _cross(_x("13"), y + 39)
    yield from _mark(652, y + 15, verdict)
    yield _text(672, y + 20, WORDS[verdict], f"b {verdict.value}")
    for number, line in enumerate(_broken(told, 31)):
        yield _text(672, y + 36 + 14 * number, line, "q")


def _bar(y: int, ends: tuple[str | None, str | None], name: str) -> Iterator[str]:
    """From nothing to the near end solid, to the far end hollow; dots where an end is open."""
    low, high = ends
    known = _x(low) if low else LEFT
    if name == "need" and low:
        yield f'<rect class="need" x="{LEFT}" y="{y}" width="{known - LEFT}" height="14"/>'
    if name == "have" and low:
        yield f'<rect class="have" x="{LEFT}" y="{y}" width="{known - LEFT}" height="14"/>'
    if high is None:
        yield f'<path class="{name}open open" d="M{known} {y + 7}H{known + 44}"/>'
    elif high != low:
        kind = "needopen" if name == "need" else "have open"
        yield f'<rect class="{kind}" x="{known}" y="{y}" width="{_x(high) - known}" height="14"/>'


def _cross(x: int, y: int) -> Iterator[str]:
    yield f'<path class="x" d="M{x - 6} {y - 6}l12 12m0 -12l-12 12"/>'


def _mark(x: int, y: int, verdict: Verdict) -> Iterator[str]:
    if verdict is Verdict.ADMISSIBLE:
        yield f'<circle class="admissible" cx="{x}" cy="{y}" r="6"/>'
    elif verdict is Verdict.TO_CONFIRM:
        yield f'<path class="to_confirm" d="M{x - 7} {y + 6}L{x} {y - 7}L{x + 7} {y + 6}Z"/>'
    else:
        yield from _cross(x, y)


def _legend(y: int) -> Iterator[str]:
    yield f'<rect class="need" x="24" y="{y - 12}" width="26" height="12"/>'
    yield _text(58, y - 1, "needed", "q")
    yield f'<rect class="have" x="124" y="{y - 12}" width="26" height="12"/>'
    yield _text(158, y - 1, "there, at least", "q")
    yield f'<rect class="have open" x="272" y="{y - 12}" width="26" height="12"/>'
    yield _text(306, y - 1, "at most: a label, a document", "q")
    yield f'<path class="needopen" d="M504 {y - 6}h26"/>'
    yield _text(538, y - 1, "no end known", "q")
    yield f'<rect class="band" x="644" y="{y - 12}" width="14" height="12"/>'
    yield _text(666, y - 1, "guard band", "q")
    yield from _cross(766, y - 6)
    yield _text(782, y - 1, "a run failed", "q")


def _broken(words: str, width: int) -> Iterator[str]:
    line = ""
    for word in words.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


RUN = (4, 5)  # the run: sequences and thousands of tokens
ASKED = ((2, 3), (4, 5), (6, 3), (2, 7), (6, 7))


def _plane(left: int, title: str, verdict: Verdict) -> Iterator[str]:
    x0, y0, step = left + 36, 330, 32
    yield _text(left, 76, title, "b")
    run_x, run_y = x0 + RUN[0] * step, y0 - RUN[1] * step
    if verdict is Verdict.ADMISSIBLE:
        yield f'<rect class="area" x="{x0}" y="{run_y}" width="{run_x - x0}" height="{y0 - run_y}"/>'
    else:
        far, top = x0 + 9 * step, y0 - 7 * step - 14
        yield f'<rect class="area bad" x="{run_x}" y="{top}" width="{far - run_x}" height="{run_y - top}"/>'
    yield f'<path class="line" d="M{x0} {y0 - 7 * step - 14}V{y0}H{x0 + 9 * step}"/>'
    yield _text(x0 + 9 * step, y0 + 20, "sequences at once", "q", "end")
    yield _text(x0 - 6, 96, "tokens", "q", "start")
    for asked in ASKED:
        x, y = x0 + asked[0] * step, y0 - asked[1] * step
        yield from _mark(x, y, _answer(asked, verdict))
        if asked == RUN:
            yield f'<circle class="line" cx="{x}" cy="{y}" r="13"/>'
            yield _text(x + 18, y + 22, "the run", "q")
    yield from _mark(x0 + 10, y0 + 45, verdict)
    yield _text(x0 + 26, y0 + 50, "answered by it", "q")
    yield from _mark(x0 + 160, y0 + 45, Verdict.TO_CONFIRM)
    yield _text(x0 + 176, y0 + 50, "left open", "q")


def _answer(asked: tuple[int, int], verdict: Verdict) -> Verdict:
    pairs = list(zip(asked, RUN, strict=True))
    if verdict is Verdict.ADMISSIBLE:
        return verdict if all(one <= ran for one, ran in pairs) else Verdict.TO_CONFIRM
    return verdict if all(one >= ran for one, ran in pairs) else Verdict.TO_CONFIRM
