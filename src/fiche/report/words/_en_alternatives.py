"""English sentences of alternatives, remedies and what would void a conclusion."""

from __future__ import annotations

ALTERNATIVES: dict[str, str] = {
    # Alternatives
    "alternatives_title": "Alternatives, one change each",
    "alternatives_caption": "{baseline} with one thing changed: what is another, and what stays",
    "alternatives_note": (
        "Differences are the changed one less its baseline, by arithmetic where they are of the load: what "
        "both share cancels, and no line is an observed peak. Requirements and output quality stay."
    ),
    "alternative": "Change",
    "alternative_load": "Load, cost and margin",
    "alternative_verdicts": "Verdicts",
    "alternative_pieces": "Pieces, and what to measure anew",
    "alternative_change": "{before} → {after}",
    "alternative_phase": "together in {phase}",
    "alternative_no_load": "the load is the same",
    "alternative_kept": "{n} {noun} as before",
    "requirements": "verdict|verdicts",
    "not_asked_for": "not asked",
    "still_covers": "Still settles: {pieces}",
    "no_longer_covers": "No longer settles: {pieces}",
    "anew_memory": "To measure: the peak of the whole loop",
    "anew_software": "To show: that it runs there",
    "anew_quality": "To measure: the quality, which must recover its minimum",
    "anew_quality_of": "To measure: {metric}, which must recover its minimum of {least}",
    "anew_duration": "To measure: the duration too",
    "anew_result": "To check: the results",
    "anew_done": "Measured or shown already: {names}",
    "anew_memory_name": "memory",
    "anew_software_name": "that it runs",
    "anew_quality_name": "quality",
    "anew_duration_name": "duration",
    "anew_result_name": "results",
    # Remedies
    "remedies_title": "After a failure: what to change here",
    "remedies_caption": (
        "Each failure that decides a verdict, or that is not explained, and what may be changed"
    ),
    "remedies_note": (
        "One change at a time, with the same inputs and requirements. What takes most is arithmetic, and not "
        "what ran out; a failure is an observation, and no figure of it is a need."
    ),
    "remedy_failed": "Failure",
    "remedy_points": "Failed in, which points to",
    "remedy_dominant": "Takes most there, by arithmetic",
    "remedy_levers": "What may be changed, and what it has to keep",
    "remedy_proven": "Proven",
    "remedy_unexplained": "Not explained",
    "remedy_no_phase": "no phase told",
    "remedy_likely": "by arithmetic {phase} may ask for most",
    "remedy_share": "{share} of the {known} that are exactly known there",
    "remedy_open": "not exact or assumed, and in no share: {items}",
    "remedy_none": "nothing of the table",
    "remedy_evaluation": "Reducing only the training batch does not mend it.",
    "remedy_useless": "So {candidates} would fail there again.",
    "cause_loading": "weights, format, a transient allocation",
    "cause_generating": "context and concurrency",
    "cause_backward": "microbatch, activations, computing strategy",
    "cause_evaluation": "the evaluation itself",
    "lever_format": "Another format of the weights",
    "lever_loader": "A loader that holds less twice",
    "lever_context": "Context",
    "lever_concurrency": "Resident sequences",
    "lever_cache": "Cache format and strategy",
    "lever_microbatch": "Microbatch, with accumulation",
    "lever_checkpointing": "Checkpointing",
    "lever_evaluation": "The evaluation's own batch and length",
    "lever_tried": " (tried by {candidates})",
    "keep_quality": "recover the minimum quality",
    "keep_duration": "measure the duration too",
    "keep_result": "check the results",
    "keep_need": "only if the need allows it: less context is another question",
}
