"""The words of a condition, which speak to the author, said to the seller as one sentence."""

from __future__ import annotations

from fiche.kernel.said import Listed, Said, tell

# A text that was not told with what it asks: plain English.
_HEADS = (
    ("have the seller put ", "Put "),
    ("have the seller state ", "State "),
    ("have the seller attest ", "Attest "),
    ("have the seller offer ", "Offer "),
    ("have the seller ", ""),
    ("get a quote that states ", "Send a quote that states "),
    ("get an offer for ", "Send an offer for "),
    ("ask the seller to ", ""),
)


def to_the_seller(text: str) -> str:
    """A condition's own words, said to the seller: a sentence."""
    plain = _plainly(text)
    said = _asked(text)
    if said != plain:
        said = tell("{sentence}.", sentence=said)
    return said if said == plain else plain


def renamed(text: str, name: str, instead: str) -> str:
    """A text with another name for something, in whatever fills it."""
    if isinstance(text, Listed):
        return Listed((renamed(item, name, instead) for item in text.items), text.between)
    if not isinstance(text, Said) or name in text.template:
        return text.replace(name, instead) if name in text else text
    filled = {
        key: renamed(told, name, instead) if isinstance(told, str) else told
        for key, told in text.fillings.items()
    }
    return text.filled(filled)


def _asked(text: str) -> str:
    if not isinstance(text, Said):
        return text
    if text.asked:
        return Said(text.asked, text.fillings)
    # A reason that stands behind what is asked for.
    filled = {
        key: _asked(told) if isinstance(told, str) else told for key, told in text.fillings.items()
    }
    return text.filled(filled)


def _plainly(text: str) -> str:
    for words, instead in _HEADS:
        if text.startswith(words):
            text = instead + text[len(words) :]
            break
    text = text.replace(" have the seller ", " ")
    first = text.partition(" ")[0]
    text = text[:1].upper() + text[1:] if first.isalpha() else text  # an id keeps its letters
    return text if text.endswith((".", "?")) else f"{text}."
