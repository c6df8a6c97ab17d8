"""The wording of every open condition, in one place: what to provide, the threshold, the supplier."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.condition import Condition
from fiche.kernel.said import listed, tell, tell_asking

# What the author adds to the fiche itself: no piece settles it.
FICHE = "fiche"
_SELLER = tell("seller")


def context() -> Condition:
    """No tokens stated, so nothing can be run or computed for the cache (D9)."""
    return Condition(
        topic="context",
        text=tell(
            "state the context to hold: prompt and new tokens of the usual and of the limit case"
        ),
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche"),
    )


def concurrency() -> Condition:
    """No resident sequences stated (A4, D9)."""
    return Condition(
        topic="concurrency",
        text=tell(
            "state how many sequences are resident at the same time, in the usual and in the limit case"
        ),
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche"),
    )


def microbatch() -> Condition:
    """No microbatch stated for a training or an adaptation (A2)."""
    return Condition(
        topic="microbatch",
        text=tell(
            "state the microbatch, the accumulation and the tokens of a sequence in each case"
        ),
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche"),
    )


def placement(text: str) -> Condition:
    """Several cards are not one pool (D4)."""
    return Condition(
        topic="placement",
        text=text,
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche and record"),
    )


def run(
    case: str, also: tuple[str, ...], card: str, nearest: tuple[str, ...], threshold: str
) -> Condition:
    """No covering run of the whole loop: what to run, and how the nearest one falls short.

    `also` are the other open cases that this run answers for; `nearest` is a piece, then its differences.
    """
    what = tell(
        "run the whole loop of case '{case}' on {card} and import its record", case=case, card=card
    )
    if also:
        answered = listed((tell("'{case}'", case=one) for one in also), " and ")
        what = tell("{what}; it answers for case {cases} too", what=what, cases=answered)
    short = tell("; nearest piece: {nearest}", nearest=listed(nearest, "; ")) if nearest else ""
    return Condition(
        topic="need",
        text=tell("{what}{nearest}", what=what, nearest=short),
        threshold=threshold,
        supplier=tell("whoever can run it"),
        piece_kind=tell("record"),
        case=case,
    )


def ceiling(piece: str) -> Condition:
    """A covering run whose counters leave the process's whole device use open."""
    return Condition(
        topic="need",
        text=tell(
            "{piece} covers the case but shows no peak of the process's device use, nor a reserved "
            "peak with the part outside the allocator: record one of the two",
            piece=piece,
        ),
        supplier=tell("whoever can run it"),
        piece_kind=tell("record"),
    )


def memory_available(card: str, machine: str, threshold: str, elsewhere: str) -> Condition:
    """The machine has not printed its framework-visible total."""
    where = (
        tell("machine {machine}", machine=machine)
        if machine
        else tell("the machine offered{hint}", hint=tell(" (name it as `machine`)"))
    )
    seen = tell("; the same card elsewhere: {elsewhere}", elsewhere=elsewhere) if elsewhere else ""
    return Condition(
        topic="memory_available",
        text=tell_asking(
            "have {where} print the framework-visible total memory of its {card} in bytes, with ECC "
            "as delivered, and import it{seen}",
            (
                "Have {where} print the framework-visible total memory of its {card} "
                "in bytes, with ECC as delivered, and import it{seen}"
            ),
            where=where,
            card=card,
            seen=seen,
        ),
        threshold=threshold,
        supplier=tell("seller, before the order; acceptance test at delivery"),
        piece_kind=tell("record or out-of-memory message"),
    )


def tight(case: str, machine: str, most: int | Fraction) -> Condition:
    """A covering run took more, elsewhere, than this machine offers; caches and pools may shrink."""
    return Condition(
        topic="need",
        text=tell(
            "run the whole loop of case '{case}' on machine {machine}: the peak seen elsewhere, with the "
            "stated margin, is above what it offers, and caches and pools may shrink with the room",
            case=case,
            machine=machine,
        ),
        threshold=tell("peak of the process's device use <= {most} B", most=most),
        supplier=tell("whoever can run it"),
        piece_kind=tell("record"),
        case=case,
    )


def other_users(card: str, threshold: str) -> Condition:
    """Nobody says whether the card is shared."""
    return Condition(
        topic="memory_available",
        text=tell_asking(
            "show that nothing else uses the {card}: a reading of other processes, or the seller's "
            "guarantee as `other_users: none`",
            (
                "Show that nothing else uses the {card}: a reading of other processes, "
                "or the seller's guarantee as `other_users: none`"
            ),
            card=card,
        ),
        threshold=threshold,
        supplier=tell("operator or seller"),
        piece_kind=tell("record or quote"),
    )


def failure(piece: str, causes: tuple[str, ...], case: str = "") -> Condition:
    """A failure that excludes nothing yet, with the reasons named; `case` where they hold of one alone."""
    of = tell(" for case '{case}'", case=case) if case else ""
    return Condition(
        topic="failure",
        text=tell(
            "{piece} failed, which excludes nothing yet{of}: {causes}",
            piece=piece,
            of=of,
            causes=listed(causes, "; "),
        ),
        supplier=tell("whoever ran it"),
        piece_kind=tell("record or log"),
    )


def conflict(text: str) -> Condition:
    """Two pieces, or a piece and the fiche, say things that cannot both hold."""
    return Condition(
        topic="conflict",
        text=tell("settle the contradiction: {text}", text=text),
        supplier=tell("author of the fiche"),
        piece_kind=tell("a new run, or a corrected scope"),
    )


def document(topic: str, text: str, threshold: str = "", supplier: str = _SELLER) -> Condition:
    """A document that would attest a named fact."""
    return Condition(
        topic=topic, text=text, threshold=threshold, supplier=supplier, piece_kind=tell("document")
    )


def compatibility(text: str, supplier: str, threshold: str = "") -> Condition:
    """That the software, or a format, works on this card: the record of any run shows it too."""
    return Condition(
        topic="compatibility",
        text=text,
        threshold=threshold,
        supplier=supplier,
        piece_kind=tell("record or document"),
    )


def unstated(topic: str, needs: tuple[tuple[str, ...], ...]) -> Condition:
    """A want that states nothing to compare with."""
    keys = listed((listed((f"`{key}`" for key in group), " or ") for group in needs), " and ")
    return Condition(
        topic=topic,
        text=tell("state what is wished for, as {keys}, with its unit", keys=keys),
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche"),
    )


def narrower() -> Condition:
    """Both sides are told but overlap: a reading in bytes would settle it."""
    return Condition(
        topic="precision_of_reading",
        text=tell(
            "the two intervals overlap: provide an exact reading of what is needed and of what there is"
        ),
        supplier=tell("whoever can run it"),
        piece_kind=tell("record"),
    )


def traffic() -> Condition:
    """Neither a concurrency nor a request rate stated: no rate and no latency means anything without (A2)."""
    return Condition(
        topic="concurrency",
        text=tell(
            "state how many requests run beside each other (concurrent_requests of the case, or "
            "concurrency of the requirement), or at which rate they come (request_rate)"
        ),
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche"),
    )


def measured(topic: str, text: str, threshold: str) -> Condition:
    """No measurement in scope: no price, label or sheet stands for one (D3, D8)."""
    return Condition(
        topic=topic,
        text=text,
        threshold=threshold,
        supplier=tell("whoever can run it"),
        piece_kind=tell("result"),
    )


def near(why: str) -> Condition:
    """Within the guard band of the limit, a measured value settles nothing (ILAC-G8)."""
    return Condition(
        topic="near_limit",
        text=tell(
            "measure again in fresh processes, or keep clear of the limit by the guard band: {why}",
            why=why,
        ),
        supplier=tell("whoever can run it"),
        piece_kind=tell("record or result"),
    )


def stale(piece: str, why: tuple[str, ...]) -> Condition:
    """A piece, or the catalog, that is out of date at the decision's date."""
    what = piece or tell("the catalog's facts")
    return Condition(
        topic="stale",
        text=tell_asking(
            "renew {what}, or show that it still holds: {why}",
            "Renew {what}, or show that it still holds: {why}",
            what=what,
            why=listed(why, "; "),
        ),
        supplier=tell("whoever made it"),
        piece_kind=tell("a new piece of the same kind"),
    )
