"""English sentences of what to settle next."""

from __future__ import annotations

SETTLING: dict[str, str] = {
    # Page one
    "settling_next": "Next: {step}. {cost}.",
    "settling_next_run": "run case {case} for {who}, whose record may settle {topics}",
    "settling_next_print": "have {machine} print its memory, which may settle {topics} of {who}",
    "settling_next_measure": "measure what settles {topics} of {who}",
    "settling_next_ask": "ask {seller} for a document that may settle {topics} of {who}",
    "settling_next_state": "write into the fiche what settles {topics} of {who}",
    "settling_known": "It costs {cost}",
    "settling_unknown": "What it costs to obtain is not stated",
    # The section
    "settling_title": "What to do next",
    "settling_lead": (
        "Each open point is part of a step. Steps are in the order of what they cost to obtain: known cost "
        "first, then time, then what answers most. What an open point is in full, and where it turns, "
        "stands under “{missing}”."
    ),
    "settling_mixed": "Costs are stated in several currencies, which are not compared.",
    "settling_unused": "No open step is of these efforts of the fiche: {topics}.",
    "settling_caption": "Steps, cheapest first; a cost that nobody states is unknown, and never nothing",
    "settling_what": "What to do",
    "settling_answers": "What it answers",
    "settling_who": "Who",
    "settling_cost": "Cost to obtain",
    "settling_run": "Run the whole loop of case {case}, as {who}, on {machine}",
    "settling_print": "Have {machine} print what its devices have, and who else uses them",
    "settling_unstated": "Run the whole loop of the case, once it is stated, as {who}",
    "settling_measure": "{text}",
    "settling_ask": "Ask {seller}: {text}",
    "settling_state": "State in the fiche: {topics}",
    "settling_commands_caption": "To copy: each in the fiche's folder, on the machine that it names",
    "settling_step": "Step",
    "settling_copy": "Commands, and lines of the fiche",
    "settling_wrapped": "No ready workload runs it ({why}); wrap your own program:",
    "settling_add": "Then add to the fiche:",
    "settling_add_import": "And to the fiche:",
    "settling_after": "after step {steps}",
    "settling_of": "{topics} of {who}",
    "settling_want": " (preference)",
    "settling_order": " (for its rank)",
    "settling_beside": " (no verdict waits for it)",
    "settling_everyone": "every candidate",
    # Sets that turn a candidate
    "settling_flips_caption": (
        "Which steps turn a candidate, by their numbers: the smallest sets that retain it if all of a set "
        "come out well, and the steps any one of which excludes it if it comes out badly (those in "
        "brackets only together)"
    ),
    "settling_retained_by": "Retained by all of",
    "settling_excluded_by": "Excluded by any one of",
    "settling_or": " or ",
    "settling_and": " and ",
    "settling_never": "nothing that is open",
    "settling_wrong": "no step: only {pieces} shown wrong would reopen {requirements}",
    "settling_wrong_any": "no step: {requirements} is proven",
    "settling_cut": "more sets than are listed",
    # Letters
    "settling_letter_caption": "Letter to {seller}, about {offers}, for a decision of {date}: requests",
    "settling_request": "Request",
    "settling_wanted": "Wanted",
    "settling_wanted_record": "its record, as a file",
    "settling_wanted_written": "the document, or the answer in writing",
    # Sensitivities
    "settling_turns_caption": (
        "Where the decision turns if one figure were otherwise, all else held; found {steps}"
    ),
    "settling_figure": "Figure",
    "settling_now": "Now",
    "settling_below": "If it were less",
    "settling_above": "If it were more",
    "settling_at_most": "at {at} or less: {changes}",
    "settling_at_least": "at {at} or more: {changes}",
    "settling_none": "nothing down to {bound}",
    "settling_none_up": "nothing up to {bound}",
    "settling_change": "{who} {before} → {after}",
    "settling_first": "{after} would rank first",
    "settling_first_none": "nobody would be ranked",
    "settling_reading": "{who}, if the assumptions hold: {before} → {after}",
    "settling_steps": "to the byte, the hundredth of an hour, the smallest coin, else the ten-thousandth",
    "settling_turns_note": (
        "Looked at between nothing and a thousand times the figure (a share: up to the whole). Which piece "
        "is taken and what is open stays as it is; where whole lots make costs change places more than "
        "once, a change that reverts between two of the values looked at is not seen."
    ),
}
