"""Walking a figure's expression: formula as text, leaves, firmness, re-evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Operand, Unknown, reapply
from fiche.kernel.origin import Assumed, Computed, Declared, Observed, Simulated, Stated
from fiche.kernel.record import replace

_SIGN = {"+": " + ", "-": " - ", "*": " x ", "/": " / ", "total": " + "}
_FACTORS = ("*", "/")
_ASSOCIATIVE = ("*", "+", "total")
_FLAT = ("either", "larger", "smaller")
# Asked of every node: whether something is a Fraction takes ten times as long to tell.
_NODES: Final = (Figure, Unknown)


def inputs(node: Operand) -> tuple[Node | int | Fraction, ...]:
    """What a node was computed from; nothing for a leaf."""
    origin = node.origin if isinstance(node, Figure) else None
    return origin.inputs if isinstance(origin, Computed) else ()


def walk(node: Operand) -> Iterator[Node]:
    """Every figure and unknown below `node`, itself first, each once (by identity)."""
    seen: set[int] = set()
    waiting: list[Operand] = [node]
    while waiting:
        here = waiting.pop()
        if id(here) in seen or not isinstance(here, _NODES):
            continue
        seen.add(id(here))
        yield here
        below = inputs(here)
        if below:
            waiting += below[::-1]


def leaves(node: Node) -> tuple[Node, ...]:
    """The figures and unknowns that nothing was computed for."""
    return tuple([n for n in walk(node) if not isinstance(n.origin, Computed)])


def conditions(node: Node) -> tuple[Condition, ...]:
    """What is missing below `node`, each once, in the order of the formula."""
    found = [leaf.condition for leaf in leaves(node) if isinstance(leaf, Unknown)]
    return tuple(dict.fromkeys(found))


def firm(node: Node) -> bool:
    """True when no guess, no simulation and no unknown stands below: only such numbers admit or exclude."""
    return all(
        not isinstance(n, Unknown) and not isinstance(n.origin, Assumed | Simulated)
        for n in leaves(node)
    )


def assumptions(node: Node) -> tuple[Figure, ...]:
    """The assumed figures below `node`."""
    return tuple(n for n in leaves(node) if isinstance(n, Figure) and isinstance(n.origin, Assumed))


def basis(node: Node) -> str:
    """One word for readers (E2): computed, observed, declared, assumed, stated or unknown."""
    if isinstance(node, Unknown):
        return "unknown"
    match node.origin:
        case Computed() | Simulated():
            return "computed"
        case Observed():
            return "observed"
        case Declared():
            return "declared"
        case Assumed():
            return "assumed"
        case Stated():
            return "stated"


def rests_on(node: Node) -> tuple[str, ...]:
    """The kinds of leaves below a computed figure, weakest first: a sum shows its guesses."""
    order = ("unknown", "assumed", "declared", "observed", "stated")
    kinds = {basis(leaf) for leaf in leaves(node)}
    return tuple(kind for kind in order if kind in kinds)


def formula(node: Operand) -> str:
    """The expression of a node in words; named inputs stand by their id.

    Written with a stack, not by recursion: a sum may be tens of thousands of terms deep.
    """
    words: list[str] = []
    waiting: list[str | _Part] = [_Part(node, "", 0)]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            words.append(here)
        else:
            waiting.extend(reversed(_words(here)))
    return "".join(words)


class _Part(NamedTuple):
    """A node in a formula, the operation around it (empty at the top) and its place in it."""

    node: Operand
    around: str
    place: int


def _words(part: _Part) -> list[str | _Part]:
    node = part.node
    if not isinstance(node, _NODES):
        return [f"({node})" if part.around in _SIGN and node.denominator != 1 else str(node)]
    if node.id and part.around:
        return [node.id]
    if isinstance(node, Unknown):
        return ["unknown"]
    if not isinstance(node.origin, Computed):
        return [_value(node)]
    return _operation(node.origin, part)


def _operation(origin: Computed, part: _Part) -> list[str | _Part]:
    if origin.operation == "bare":  # a matter of units: the number is the same
        return [_Part(origin.inputs[0], part.around, part.place)]
    sign = _SIGN.get(origin.operation)
    inner: list[str | _Part] = []
    for place, each in enumerate(origin.inputs):
        inner += [] if place == 0 else [sign or ", "]
        inner.append(_Part(each, origin.operation, place))
    if sign is None:
        if origin.operation == part.around in _FLAT:  # any number of readings in one list
            return inner
        return [f"{origin.operation}(", *inner, ")"]
    if len(origin.inputs) > 1 and _bracketed(origin.operation, part):
        return ["(", *inner, ")"]
    return inner or ["0"]


def _bracketed(operation: str, part: _Part) -> bool:
    """Brackets only where the usual order of operations would read the formula otherwise."""
    if part.around not in _SIGN:
        return False
    if (operation in _FACTORS) != (part.around in _FACTORS):
        return part.around in _FACTORS
    return part.place > 0 and not (operation in _ASSOCIATIVE and part.around in _ASSOCIATIVE)


def _value(figure: Figure) -> str:
    unit = f" {figure.unit}" if str(figure.unit) else ""
    if figure.exact:
        return f"{figure.low}{unit}"
    return f"{figure.low} to {'open' if figure.high is None else figure.high}{unit}"


def expression(node: Operand) -> object:
    """The trace as JSON-ready lists, named inputs by id, for re-evaluation outside Python."""
    done: dict[int, object] = {}
    stack: list[Operand] = [node]
    while stack:
        here = stack[-1]
        pending = [p for p in _unnamed(here, top=here is node) if id(p) not in done]
        if pending and id(here) not in done:
            stack.extend(pending)
            continue
        stack.pop()
        done[id(here)] = _entry(here, done, top=here is node)
    return done[id(node)]


def _unnamed(node: Operand, *, top: bool) -> tuple[Operand, ...]:
    """The inputs that an expression spells out; those of a named input stand under its own id."""
    return inputs(node) if top or not _name(node) else ()


def _entry(node: Operand, done: Mapping[int, object], *, top: bool) -> object:
    if isinstance(node, int):
        return node
    if isinstance(node, Fraction):
        return ["/", node.numerator, node.denominator]
    if node.id and not top:
        return node.id
    if isinstance(node, Unknown):
        return None
    if isinstance(node.origin, Computed):
        return [node.origin.operation, *(done[id(part)] for part in node.origin.inputs)]
    return [str(node.low), None if node.high is None else str(node.high)]


def reevaluate(node: Operand, changed: Mapping[str, Operand]) -> Operand:
    """The same formula with some named figures replaced: sweeps and what-if never rebuild it."""
    done: dict[int, Operand] = {}
    stack: list[Operand] = [node]
    while stack:
        here = stack[-1]
        if id(here) in done:
            stack.pop()
            continue
        pending = [p for p in inputs(here) if id(p) not in done]
        if pending and _name(here) not in changed:
            stack.extend(pending)
            continue
        done[id(here)] = _renewed(here, changed, done)
        stack.pop()
    return done[id(node)]


def _name(node: Operand) -> str:
    return node.id if isinstance(node, _NODES) else ""


def _renewed(node: Operand, changed: Mapping[str, Operand], done: Mapping[int, Operand]) -> Operand:
    name = _name(node)
    if name and name in changed:
        return changed[name]
    parts = inputs(node)
    if not isinstance(node, Figure) or not parts:
        return node
    renewed = tuple(done[id(part)] for part in parts)
    if all(new is old for new, old in zip(renewed, parts, strict=True)):
        return node
    assert isinstance(node.origin, Computed)
    again = reapply(node.origin.operation, renewed, node.origin.because)
    return replace(again, id=node.id, label=node.label, left_out=node.left_out)
