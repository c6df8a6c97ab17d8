"""The words of a condition, which speak to the author, said to the seller as one sentence."""

from __future__ import annotations

from fiche.kernel.said import Listed, Said, tell

# What a condition has somebody do, and the same asked of who can do it.
_ASKED = {
    "have the seller state how many hours {offer} pays for{told}": tell(
        "State how many hours {offer} pays for{told}"
    ),
    "have the seller state what the price of {offer} covers, and the cards of a lot": tell(
        "State what the price of {offer} covers, and the cards of a lot"
    ),
    "have the seller state what {name} costs for the whole package of {offer}": tell(
        "State what {name} costs for the whole package of {offer}"
    ),
    "have the seller state whether a month of {name} that has begun is paid whole": tell(
        "State whether a month of {name} that has begun is paid whole"
    ),
    "have the seller state how {offer} is extended: by lots or by hours": tell(
        "State how {offer} is extended: by lots or by hours"
    ),
    "have the seller state in hours what '{bound}' binds the buyer of {offer} to pay": tell(
        "State in hours what '{bound}' binds the buyer of {offer} to pay"
    ),
    "have the seller state whether {offer} includes tax": tell(
        "State whether {offer} includes tax"
    ),
    "have the seller state the tax rate of {offer}": tell("State the tax rate of {offer}"),
    "have the seller state until when {offer} holds (decision of {date})": tell(
        "State until when {offer} holds (decision of {date})"
    ),
    "{offer} has {most} lots at most: have the seller offer {lots}": tell(
        "{offer} has {most} lots at most: offer {lots}"
    ),
    "{offer} shows {seen}: have the seller confirm {plain} for the order": tell(
        "{offer} shows {seen}: confirm {plain} for the order"
    ),
    "renew {offer}: it does not hold on {date} ({valid})": tell(
        "Renew {offer}: it does not hold on {date} ({valid})"
    ),
    "renew {what}, or show that it still holds: {why}": tell(
        "Renew {what}, or show that it still holds: {why}"
    ),
    "get a quote that states the price of offer {offer}": tell(
        "Send a quote that states the price of offer {offer}"
    ),
    "get an offer for {gpu}: price, tax, validity": tell(
        "Send an offer for {gpu}: price, tax, validity"
    ),
    "have the seller put the earliest delivery date of {gpu} in writing{order}{apart}": tell(
        "Put the earliest delivery date of {gpu} in writing{order}{apart}"
    ),
    "have the seller put in writing that '{wanted}' comes with the offer: a card's sheet does not": tell(
        "Put in writing that '{wanted}' comes with the offer: a card's sheet does not"
    ),
    "have the seller attest the {kind} of the machine as delivered, or its operator provide what the machine "
    "prints of it": tell(
        "Attest the {kind} of the machine as delivered, or its operator provide what the machine prints of it"
    ),
    "have the seller attest the machine's host memory{told}": tell(
        "Attest the machine's host memory{told}"
    ),
    "have the seller attest the {wanted} of the machine as delivered: the sheet of {gpu} alone does "
    "not{apart}": tell(
        "Attest the {wanted} of the machine as delivered: the sheet of {gpu} alone does not{apart}"
    ),
    "have the provider attest the {kind} where the machine stands{codes}{label}": tell(
        "Have the provider attest the {kind} where the machine stands{codes}{label}"
    ),
    "have the support put in writing: {what}{apart}": tell(
        "Have the support put in writing: {what}{apart}"
    ),
    "have the warranty of {gpu} put in writing: how many months from delivery{beside}": tell(
        "Have the warranty of {gpu} put in writing: how many months from delivery{beside}"
    ),
    "have {where} print the ECC state of its {gpu} (nvidia-smi -q, or a record), or its seller attest it as "
    "delivered{can}": tell(
        "Have {where} print the ECC state of its {gpu} (nvidia-smi -q, or a record), or its seller attest it "
        "as delivered{can}"
    ),
    "have {where} print its version of {wanted}, or a document of it attest one{apart}": tell(
        "Have {where} print its version of {wanted}, or a document of it attest one{apart}"
    ),
    "have {where} print the framework-visible total memory of its {card} in bytes, with ECC as delivered, and "
    "import it{seen}": tell(
        "Have {where} print the framework-visible total memory of its {card} in bytes, with ECC as delivered, "
        "and import it{seen}"
    ),
    "show that nothing else uses the {card}: a reading of other processes, or the seller's guarantee as "
    "`other_users: none`": tell(
        "Show that nothing else uses the {card}: a reading of other processes, or the seller's guarantee as "
        "`other_users: none`"
    ),
    "show that {wanted} works on {gpu}: a run on {where}, or the software's own document": tell(
        "Show that {wanted} works on {gpu}: a run on {where}, or the software's own document"
    ),
    "show {wanted} on {gpu} with this engine and version ({says}): a run, or the engine's own document": tell(
        "Show {wanted} on {gpu} with this engine and version ({says}): a run, or the engine's own document"
    ),
    "provide the document '{title}'{beside}{near}": tell(
        "Provide the document '{title}'{beside}{near}"
    ),
    "quote the terms that permit the {asked}: document, version and clause{trap}": tell(
        "Quote the terms that permit the {asked}: document, version and clause{trap}"
    ),
}
# The same for a text that has no entry: plain English.
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
    return Said(text.template, filled, text.plural, text.number)


def _asked(text: str) -> str:
    if not isinstance(text, Said):
        return text
    if text.template in _ASKED:
        return Said(str(_ASKED[text.template]), text.fillings)
    # A reason that stands behind what is asked for.
    filled = {
        key: _asked(told) if isinstance(told, str) else told for key, told in text.fillings.items()
    }
    return Said(text.template, filled, text.plural, text.number)


def _plainly(text: str) -> str:
    for words, instead in _HEADS:
        if text.startswith(words):
            text = instead + text[len(words) :]
            break
    text = text.replace(" have the seller ", " ")
    first = text.partition(" ")[0]
    text = text[:1].upper() + text[1:] if first.isalpha() else text  # an id keeps its letters
    return text if text.endswith((".", "?")) else f"{text}."
