"""English sentences of buying against renting."""

from __future__ import annotations

OWNERSHIP: dict[str, str] = {
    "own_title": "Buying against renting",
    "own_lead": "Buying or renting: ",
    "own_drawn": "Cost against hours of use, bought and rented",
    "own_page_one": "plan {plan}, buying {own}. ",
    "own_note": (
        "Compared before tax. Nothing here admits or excludes a candidate: it is about money among those that "
        "answer the need."
    ),
    "own_plan": "Plan {plan}: {own} bought and kept {years}, against {rent}, rented {rented}.",
    "own_years_untold": "for an untold time",
    "own_as_used": "for the hours of use alone, year by year",
    "own_without_break": "without a break",
    "own_against": "Against {rent}: undiscounted, {first}",
    "own_discounted_at": "; discounted at {rate} a year, {second}.",
    "own_no_rate": ". No discount rate is told.",
    "own_buy": "buying costs {less} less",
    "own_rent": "renting costs {less} less",
    "own_equal": "both cost the same",
    "own_open": "the answer is open",
    "own_cheaper_buy": "buying is cheaper, though not all is told",
    "own_cheaper_rent": "renting is cheaper, though not all is told",
    "own_signs": " The two answers differ in sign.",
    "own_hangs": (
        " The answer hangs first on {input}: {used} is used, and at {value} both cost the same, {distance} "
        "away."
    ),
    "own_hangs_years": (
        " The answer hangs first on {input}: {used} is used, and between {value} it changes, {distance} away."
    ),
    "own_hangs_turn": (
        " The answer hangs first on {input}: {used} is used, and at {value} it changes, {distance} away."
    ),
    "own_hangs_inside": (
        " The answer hangs first on {input}: {used} lies within {value}, where it depends on how the last "
        "period is filled."
    ),
    "own_hangs_on_nothing": " No input alone turns it within its range.",
    "own_headroom": " All that is untold may come to {headroom} a year before renting is cheaper.",
    "own_no_price": "Nothing is compared: the price of {own} before tax is not known.",
    "own_no_rent": "The price of {rent} before tax is not known: it is not compared.",
    # --- Costs
    "own_costs_caption": "What {plan} costs: owning line by line, and each rental",
    "own_cost": "Cost",
    "own_a_year": "A year",
    "own_all_years": "All years",
    "own_discounted": "Discounted",
    "own_owning": "Owning {own}",
    "own_renting": "Renting {rent}",
    "own_line_purchase": "purchase",
    "own_line_residual": "less the value at the end",
    "own_line_energy": "energy",
    "own_line_hosting": "hosting",
    "own_line_support": "support",
    "own_line_staff": "staff",
    "own_line_spares": "spares",
    "own_line_licences": "licences",
    "own_sum": "owning",
    "own_rent_sum": "renting",
    "own_against_short": "Against renting",
    "own_rent_less": "renting less owning",
    "own_hour": "per card and useful hour",
    "own_cards_differ": (
        "{own} has {cards} and {rent} has {others}: an hour of a card is no common measure of them, the sums "
        "are."
    ),
    "own_costs_note": (
        "Discounted: payments at the end of each year, the purchase at the start, the value at the end with "
        "the last year. What is untold keeps a sum open; it is never zero."
    ),
    # --- Break-evens
    "own_even_caption": "From which use, and from when, buying has paid",
    "own_even_use": "Break-even utilisation",
    "own_even_plain": "Energy as stated",
    "own_even_time": "Rent paid exceeds owning",
    "own_even_discounted": "The same, discounted",
    "own_even_at": "after {hours} rented",
    "own_even_years": "{years} from the start",
    "own_even_first": "at the end of year {year}",
    "own_even_note": (
        "Utilisation: above it buying costs less, undiscounted, with energy that follows use; beside it, "
        "owning a year / (cards x 8760 h x rent an hour), whose energy is that of the stated use. Where rent "
        "is paid by whole periods it turns as one begins; an interval is where it turns more than once. Time: "
        "purchase and running costs against rent paid, before any resale."
    ),
    "own_never_open": "open",
    "own_never_none": "never ({range})",
    "own_never_rent": "never: an hour of rent costs no more than an hour of owning adds",
    "own_never_below": "never: buying costs less from the shortest rental on",
    "own_never_above": "never: {value} of a year's hours would be needed",
    "own_never_within": "not within the plan's years",
    "own_never_flat": "none: rent is paid whether used or not",
    "own_not_asked": "–",
    # --- What flips
    "own_flip_caption": (
        "Where each input would make buying {own} and renting {rent} cost the same, all others held; the "
        "nearest first"
    ),
    "own_input": "Input",
    "own_used": "Used",
    "own_flips_plain": "Same cost at, undiscounted",
    "own_flips_discounted": "Same cost at, discounted",
    "own_distance": "Distance",
    "own_distance_note_undiscounted": "Distance: from the value used, as a part of it, undiscounted.",
    "own_distance_note_discounted": "Distance: from the value used, as a part of it, discounted.",
    "own_far": "–",
    "own_in_capex": "purchase price",
    "own_in_rent": "rent of a card and useful hour",
    "own_in_years": "years kept",
    "own_in_utilisation": "utilisation",
    "own_in_discount_rate": "discount rate",
    "own_in_residual": "value at the end",
    "own_in_load": "power at load",
    "own_in_idle": "idle power",
    "own_in_load_hours": "hours at load",
    "own_in_idle_hours": "idle hours",
    "own_in_modules": "modules",
    "own_in_pue": "PUE",
    "own_in_price": "price of energy",
    "own_in_hosting": "hosting, a year",
    "own_in_support": "support, a year",
    "own_in_staff": "staff, a year",
    "own_in_spares": "spares, of the purchase a year",
    "own_in_licences": "licences, a year",
    "own_range_ratio": "from 0 to 100 %",
    "own_range_above": "from 0 up",
    "own_range_pue": "from 1 up",
    "own_range_years": "up to 50 years",
    "own_range_residual": "from 0 to the purchase price",
    "own_range_hours": "within a year",
    # --- Inputs
    "own_inputs_caption": "What plan {plan} rests on, each with its reason",
    "own_reason": "Reason or source",
    "own_reason_none": "no reason is given",
    "own_by": "{reason} ({by})",
    # --- What is left out
    "own_left_out": "Left out of plan {plan}, and in no figure above:",
    "own_untold": "{input}: untold, so the sum it belongs to is open",
    "own_untold_residual": "value at the end: untold; at most the purchase price",
    "own_out_host_power": "what the machine draws beside its cards: the watts are of the cards alone",
    "own_out_egress": "egress: what leaving the rented machine costs, for {rent} untold",
    "own_out_lead_time": "lead time: no delivery date of {own} is documented, and nothing bridges it",
    "own_out_resale": "resale risk: nobody is bound to take {own} back at the value at the end",
    "own_out_licence_terms": "licence terms: software tied to the card, or included with it, is untold",
    "own_out_driver_terms": (
        "driver terms: {card} is a GeForce card, whose driver licence limits use in a data centre; untold here"
    ),
    "own_open_term": "open of {candidate}: {text}",
    "own_open_price": "to be told before it is compared: {text}",
    "own_considered": "considered, {what}: {text}",
    "own_considered_egress": "egress",
    "own_considered_lead_time": "lead time",
    "own_considered_resale": "resale",
    "own_considered_licences": "licence terms",
    "own_considered_driver_terms": "driver terms",
    "own_considered_host_power": "host power",
    "own_term": (
        "The watts are {term}. TDP, TGP, TBP and a reading are not comparable; the catalog has {watts} for "
        "{card}{word}."
    ),
    "own_term_alone": "The watts are {term}. TDP, TGP, TBP and a reading are not comparable.",
    "own_term_untold": "what the watts are (TDP, TGP, TBP or a reading) is untold",
    "own_term_word": " ({word})",
    "own_term_no_word": ", without a term",
    # --- The picture
    "own_picture": "Cost of plan {plan} against rented hours",
    "own_across": "rented hours",
    "own_curve_own": "{own}, bought",
    "own_curve_rent": "{rent}, rented",
    "own_said_own": "{own} bought: {start} at the start, {sold} after {years}, once it is sold",
    "own_said_rent": "{rent} rented: {end} after {years}",
    "own_said_crossing": "{n}: rent of {rent} exceeds the cost of owning after {hours} rented, at {cost}",
    "own_said_none": "rent of {rent} never exceeds the cost of owning before it is sold",
    "own_key": "{n}: {rent} has cost more than owning after {hours} rented ({years}), at {cost}",
    "own_key_none": "{rent} does not come to cost more than owning before it is sold",
    "own_key_lead": "At its end the line of owning drops by the value that remains. ",
}
