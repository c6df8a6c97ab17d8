"""English sentences of the record of a choice."""

from __future__ import annotations

CHOICE: dict[str, str] = {
    # Page one
    "choice_cheaper": " Retained at less: {others}.",
    "choice_cheaper_by": "{candidate} costs {difference} less",
    "choice_conditional_lead": (
        "{candidate} is chosen and is not retained ({state}). The choice holds only if every "
        "acceptance condition below is met."
    ),
    "choice_to_order": "To order: ",
    "choice_comes_to": "{after} with tax ({before} before tax)",
    "choice_borne": ", {payable} after what the buyer recovers",
    "choice_to_place": "; to be placed on {day}",
    "choice_price_until": "; the price holds until {day}",
    "choice_price_no_day": "nobody says until when the price holds",
    "choice_before_order": "Before the order",
    "choice_order_day": " of {day}",
    "choice_at_delivery": "At delivery",
    "choice_delivery_day": ", on {day} at the earliest",
    "choice_excluded_title": "An excluded candidate is chosen",
    "choice_excluded_lead": (
        "{candidate} is chosen although it is excluded ({state}): no acceptance condition can mend "
        "that, whatever else is supplied. It fails on:"
    ),
    "choice_fails": "{requirement}: {reason}",
    "choice_day_title": "Open on the day of the order",
    "choice_day_lead": (
        "{candidate} is retained on {date}. The order is of {day}, and on that day this is open:"
    ),
    "choice_apart_title": "A contradiction to settle",
    "choice_apart": (
        "The order says {ordered} {what}, and the need computes {computed}. One of the two is wrong, "
        "or what makes the difference is not written down."
    ),
    "lots_of": "lot|lots",
    "cards_of": "card|cards",
    "accept_again": "the same, shown on the machine as delivered",
    "accept_test": "; test: {test}",
    "accept_show": "print its total memory with `fiche environment` and import what it prints",
    "accept_run": "run the case on the machine as delivered and import its record",
    # The section
    "choice_title": "The choice on record",
    "choice_caption": "What is to be ordered, of whom, and what it comes to",
    "choice_what": "What",
    "choice_told": "On record",
    "choice_candidate": "Candidate",
    "choice_offer": "Offer",
    "choice_quantity": "Quantity",
    "choice_hours": "Hours to be paid",
    "choice_costs": "Package cost",
    "choice_documents": "Documents",
    "choice_delivery": "Delivery, earliest",
    "choice_validity": "Price holds until",
    "choice_order": "Order",
    "choice_order_early": "before the day of the decision",
    "choice_buyer": "Buyer",
    "choice_line": "Budget line",
    "choice_holder": "Budget holder",
    "choice_decided": "Decided",
    "choice_because": "Because",
    "choice_replaces": "Replaces",
    "choice_offer_of": "{offer}, of {seller}",
    "choice_no_offer": "no offer: nothing is to be bought",
    "choice_as_needed": "as the need computes: {told}",
    "choice_as_ordered": "as ordered: {told}",
    "choice_cards": "{n} × {card}",
    "choice_of_day": "of {day}",
    "choice_number": "number {number}",
    "choice_placed_by": "placed by {buyer}",
    "choice_no_day": "no date of an order on record",
    "choice_role": " ({role})",
    "choice_on_day": ", {day}",
    "choice_replaced": "{what}",
    "choice_digest": "decision.json sha256 {digest}",
    "choice_no_validity": "nobody says until when",
    "choice_conditions_above": "It is a conditional choice: its acceptance conditions stand on page one.",
    "choice_unused": "An acceptance of {topics} is written, and nothing is open there.",
    "choice_none_yet": "Nothing is chosen yet.",
    # Opinions and interests
    "opinions_caption": "Opinions, as each person gave theirs",
    "opinion_by": "Who",
    "opinion_role": "Role",
    "opinion_kind": "Kind",
    "opinion_says": "What they say",
    "reservation": "reservation",
    "agreement": "no reservation",
    "opinion_untold": "not said whether it is a reservation",
    "no_role": "no role stated",
    "interests_caption": "Interests, as each person of the decision disclosed theirs",
    "interest_says": "Statement",
    "no_statement": "no statement on record",
    # Price
    "price_title": "Price reasonableness: ",
    "price_none": "no price reasonableness on record.",
    "price_comparison": "{n} offers were compared: {offers}.",
    "price_offer": "{offer} ({seller}) {cost}",
    "price_over": ", which held until {until}",
    "price_offer_bare": "{offer}",
    "price_list": "the list price is {listed}, by {piece}; {discount}.",
    "price_discount": "the offer is {amount} below it",
    "price_share": "the offer is {amount} below it ({share})",
    "price_above": "less the price of the offer: {amount}",
    "price_no_discount": "no discount can be computed from it",
    "price_list_none": "{piece} is named for a list price, and attests none.",
    "price_statement": "the seller states it in writing, in {piece}.",
    "price_because": " {because}",
    # Looked at
    "looked_caption": (
        "What else was looked at, and why it was not chosen; every requirement that excludes is named"
    ),
    "looked_why": "Why not",
    "looked_need": "Needed",
    "looked_have": "Available",
    "looked_distance": "Distance",
    "looked_source": "Source",
    "looked_open": "open: {topics}",
    "looked_retained": "retained, and not chosen",
    "looked_ranked": "retained, ranked {rank}, and not chosen",
    "looked_no_distance": "–",
    # Signatures
    "signatures_caption": "Signatures, on paper: nothing here fills these lines",
    "signature_name": "Name",
    "signature_role": "Role",
    "signature_date": "Date",
    "signature_line": "Signature",
    "signature_to_name": "to be named",
    "signature_blank": "",
    # Thresholds
    "procedure_title": "The need's total, beside the policy's thresholds",
    "procedure_lead": (
        "As one need, as the fiche puts these orders together: this order {order}, with similar orders "
        "{total}, before tax."
    ),
    "procedure_alone": "This order before tax: {order}. No similar order is on record.",
    "procedure_open": "Open: {what}.",
    "procedure_assumed": (
        "The total rests on assumptions, as its mark says: where it stands is told as if they held."
    ),
    "similar_caption": "Similar orders on record",
    "similar_order": "Order",
    "similar_date": "Date",
    "similar_seller": "Seller",
    "similar_for": "For",
    "similar_amount": "Amount",
    "similar_counts": "In the total",
    "similar_yes": "counted",
    "similar_too_old": "not counted: before that period",
    "similar_within": "The policy counts orders of {period} before this one: {source}.",
    "similar_no_amount": "no amount stated",
    "similar_other_currency": "in another currency, and no rate is told",
    "similar_unattested": "{piece} attests no such amount",
    "similar_no_basis": "whether before tax is untold",
    "similar_with_tax": "with tax, and its amount before tax is untold",
    "similar_no_date": "no date stated",
    "no_date_told": "no date stated",
    "no_seller": "no seller stated",
    "nothing_told": "not stated",
    "bands_caption": (
        "Thresholds of the policy {policy}, each as its source words it: which of them holds is "
        "the purchasing office's to say"
    ),
    "band": "Procedure",
    "band_amounts": "Threshold",
    "band_rule": "Rule",
    "band_need": "The need's total",
    "band_order": "This order alone",
    "band_confirm": "Standing",
    "band_from": "from {amount}",
    "band_below": "below {amount}",
    "band_any": "any amount",
    "band_excluded": "before tax",
    "band_included": "with tax",
    "band_since": "as of {date}",
    "band_whom": "for {whom}",
    "place_within": "within",
    "place_below": "below it",
    "place_above": "above it",
    "place_open": "cannot be told",
    "no_bands": "The policy {policy} states no thresholds.",
    "splitting_title": "One need in several orders",
    "splitting": (
        "This order alone stays below the threshold of {names}, and the need's total reaches it. "
        "Have the purchasing office say whether these orders are one need, how its total is to be "
        "counted, and what follows from it."
    ),
    "quotes_asked": (
        "From {amount} {basis} on, {quotes} are asked for ({source}); {standing}. On record: {sellers}."
    ),
    "quotes_within": "the need's total reaches that",
    "quotes_below": "the need's total stays below that",
    "quotes_open": "whether the need's total reaches that cannot be told",
    "quotes_none": "no quote of any seller that holds on the day",
    "quotes_of": "quotes that hold on the day, of {n} sellers: {names}",
    "quote_noun": "quote|quotes",
}
