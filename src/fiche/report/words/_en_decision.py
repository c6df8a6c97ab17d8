"""English sentences of what a committee decides on; `{places}` take marked numbers and quoted words."""

from __future__ import annotations

DECISION = {
    # Around the content
    "skip": "Skip to the answer",
    "contents": "Contents",
    "dated": "dated {date}, as declared",
    "by": "by {author}",
    "eyebrow": "Decision fiche",
    "digest": "decision.json sha256 {digest}",
    "tool": "fiche {version}",
    "download": "Save {name}",
    "illustrative": "Illustrative",
    # The answer
    "question": (
        "Does this complete load fit on each device used, including in its most demanding step?"
    ),
    "load": "The load: ",
    "load_unnamed": "a workload whose model has no name and no revision",
    "revision": "revision {revision}",
    "unpinned": "no revision stated",
    "of_memory": "Needs {need}, has {have}",
    "in_case": ", in case {case}",
    "ran_out": ": it asked for {asked} with {free} free",
    "with_margin": "; useful margin {margin}",
    "kept": "keep {kept}",
    "with_kept": " ({kept} of it to keep)",
    "so_far": " (arithmetic so far: {estimate})",
    "unasked": "Not answered for {cases}: outside every must on memory.",
    "load_case": " Case {case}: {dimensions}.",
    "on_device": "device {device}",
    "every_device": "devices {devices}",
    "no_memory_finding": "memory was not judged",
    "rests_on": "Rests on {pieces}.",
    "on_word": "on the word of {people}",
    "not_known": "not known",
    "not_told": "not told",
    "includes": "incl. {kinds}",
    "counts": (
        "{total} {noun}: {retained} retained + {to_confirm} to confirm + {excluded} excluded."
    ),
    "candidates": "candidate|candidates",
    "finding_counts": (
        "{total} {noun}: {admissible} admissible + {to_confirm} to confirm + {exclude} exclude."
    ),
    "findings": "finding|findings",
    "no_choice": "No choice is recorded.",
    "chosen": "Chosen: ",
    "chosen_none": "none yet",
    "chosen_by": ", by {by}",
    "chosen_role": " ({role})",
    "chosen_because": ", because {because}",
    "conditional_title": "Conditional choice",
    "by_whom": " ({supplier})",
    "threshold_is": "; turns at {threshold}",
    # Candidates
    "candidates_title": "Candidates",
    "candidates_caption": (
        "Retained in order of package cost, then useful margin, then documented schedule"
    ),
    "candidates_note": (
        "{tie} A preference never makes up for a failed must. Candidates to confirm are a "
        "shortlist, in no order of merit."
    ),
    "rank": "Rank",
    "candidate": "Candidate",
    "package_cost": "Package cost",
    "useful_margin": "Useful margin",
    "schedule": "Schedule",
    "open_points": "Open points, or what excludes",
    "group_retained": "{n}, ranked",
    "group_unranked": "{n} without a known cost, not ranked",
    "group_to_confirm": "{n}, a shortlist and not a ranking",
    "group_excluded": "{n}",
    "no_offer": "no offer",
    "no_cost": "no known cost",
    "no_margin": "not known",
    "no_schedule": "not documented",
    "tie_none": "Only equal costs tie.",
    "tie": "Costs within a ratio of {tolerance} of the cheapest tie.",
    "tied": "tied with {others}",
    "no_open_points": "nothing open",
    "cards_named": "{id}, {n} × {card}",
    "offered": "{offer}, {seller}",
    "machine": "machine {machine}",
    "standing": " · all musts: {state}{rank}",
    "ranked": ", ranked {rank}",
    "of_stat": ", {stat}",
    "of_definition": " ({definition})",
    "not_compared": "–",
    "open_on": "open: {topics}",
    "aside": " ({told})",
    "changed": "{baseline} with {path}: {before} → {after}",
    "excluded_by": "{requirement}: {reason}",
    "excluded_above": "needs {need}, has {have}",
    "excluded_too": "also {others}",
    "unranked": "–",
    # Still missing
    "missing_title": "What is still missing",
    "missing_caption": "Open points by topic; each keeps a candidate from being retained",
    "missing_none": "Nothing is missing.",
    "topic": "Topic",
    "provide": "What would settle it",
    "turns_at": "The verdict turns at",
    "supplier": "Who can supply it",
    "piece_wanted": " ({piece})",
    "concerns": "Concerns",
    "all_candidates": "every candidate",
    "no_threshold": "no threshold",
    "one_run": (
        "One record of that run on the machine offered may settle {topics} at once ({who})."
    ),
    "excluded_left_out": "those of excluded candidates are left out: no verdict turns on them",
    # Criteria
    "criteria_title": "Criteria, candidate by candidate",
    "criteria_caption": (
        "Every criterion of every candidate, in the fiche's order; musts decide, wants are shown"
    ),
    "criterion": "Criterion",
    "needed": "Needed",
    "available": "Available",
    "margin": "Margin",
    "verdict": "Verdict",
    "pieces": "Pieces",
    "no_piece": "none",
    "want": "want",
    "implied": "always required",
    "second_title": "Second reading, with assumptions let in",
    "second_lead": "Only what is to confirm may change here, and nothing above rests on it.",
    "second": "{named}: would be {state} if {held}.",
}
