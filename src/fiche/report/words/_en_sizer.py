"""English sentences of the sizer: what a reader changes, and what the same formulas then give."""

from __future__ import annotations

SIZER = {
    "sizer_title": "What if: the same formulas with other numbers",
    "sizer_unscripted": (
        "This section needs scripts, which are off here; fiche estimate answers the same questions in a "
        "terminal."
    ),
    "sizer_banner": "What-if",
    "sizer_lead": (
        "Change a number or a format, and the formulas of this report are computed again. This changes no "
        "verdict, no other figure of the report, and nothing that is signed."
    ),
    "sizer_unchanged": "Nothing is changed: every value is the fiche's own.",
    "sizer_changed": "Changed: {names}.",
    "sizer_reset": "Back to the fiche's values",
    "sizer_was": "in the fiche: {value}",
    "sizer_unknown": "unknown",
    # What is looked at
    "sizer_case": "Case",
    "sizer_case_none": "The load as stated",
    "sizer_load": "Load",
    "sizer_load_own": "as the fiche states it",
    "sizer_load_changed": "{candidate}, with {path}: {value}",
    "sizer_load_placed": "as placed on {candidate}",
    # What is changed
    "sizer_look": "What is shown",
    "sizer_model": "Model and formats",
    "sizer_of_case": "Case {case}",
    "sizer_of_load": "Load",
    "sizer_kept": "Reserve and margins",
    "sizer_storage": "format of the weights",
    "sizer_cache": "format of the cache",
    "sizer_stated": "{format}, as stated",
    "sizer_unstated": "not stated",
    "sizer_other_formats": (
        "Formats are offered where the formulas are known to hold; fiche estimate --sweep asks for any other."
    ),
    # What is wrong with an input
    "sizer_empty": "Write a value, or go back to the fiche's values.",
    "sizer_no_count": "Write a whole number in digits, such as 8192.",
    "sizer_no_bytes": "Write an amount with its unit, such as 4 GiB or 500 MiB.",
    "sizer_no_whole_byte": "This is no whole number of bytes.",
    "sizer_too_small": "This is at least {least}.",
    "sizer_too_large": "This is at most {most}.",
    "sizer_invalid": "Nothing is computed until the marked values are right.",
    "sizer_no_result": "These values give no result: a formula would divide by zero, or go below it.",
    "sizer_no_format": "Not computed in this format here; fiche estimate computes it.",
    # What comes out
    "sizer_items": "{case}: what it holds, by arithmetic",
    "sizer_item": "Item",
    "sizer_now": "In the fiche",
    "sizer_then": "What if",
    "sizer_scale": "On one scale",
    "sizer_phase": "together in {phase}",
    "sizer_floor": "floor: what must be there at one time",
    "sizer_envelope": "envelope of what is known: a sum of maxima, never a peak",
    "sizer_sum": "sum of all items at their most, known or not",
    "sizer_left_out": "The envelope does not include: {items}.",
    "sizer_said": "{case}, what if: {then}; in the fiche: {now}.",
    "sizer_rooms": "Each card beside it, by arithmetic alone: no verdict",
    "sizer_rooms_note": (
        "Need: from the floor to the sum of all items with the stated margins. A verdict rests on firm pieces, "
        "and stands above."
    ),
    "sizer_candidate": "Candidate",
    "sizer_there": "What there is",
    "sizer_most": "at most {amount}",
    "sizer_most_label": "at most {amount}, by its label",
    "sizer_least": "at least {amount}",
    "sizer_both": "{least} to {most}",
    "sizer_above": "would need at least {need} of {have}: {gap} more than there can be",
    "sizer_within": "would need at most {need} of {have}: {gap} stay free",
    "sizer_between": "would need {need} of {have}: arithmetic alone does not settle it",
    "sizer_up_to": "up to {amount}",
    "sizer_endless": "no known end of the need, against {have}: something is unknown",
    "sizer_silent": "arithmetic says nothing of one device: the placement does not say how the load spreads",
}
