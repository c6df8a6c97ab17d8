"""English sentences of simulations beside the formulas."""

from __future__ import annotations

SIMULATION = {
    "simulation_title": "Simulation beside the formulas",
    "simulation_lead": (
        "Both sides are computed: the formulas by arithmetic, the simulation by running the code on tensors "
        "without storage, with no device. Nothing here was observed; nothing of it admits or excludes."
    ),
    "simulated_by": "{by}; {rounds}",
    "simulated_case": "asked for case {case}",
    "simulated_answer": "the code asked {asked} and was told {told} ({by})",
    "beside_caption": (
        "Allocated bytes by both, of what both see, in each phase of a case; the formulas without reserve "
        "and working memory"
    ),
    "by_formulas": "By formulas",
    "by_simulation": "By simulation",
    "difference": "Difference",
    "lies_in": "Lies in",
    "who_sees": "Which sees what the other does not",
    "in_none": "none",
    "not_beside": "not set beside the formulas:",
    "beside_note": "A difference is the simulation less the formulas, and a part of the formulas in percent.",
    "peaks_caption": "Where each phase peaks, by simulation; of several passes alike the one that holds most",
    "phase_pass": "Phase, pass",
    "reached_in": "Allocated peak reached in",
    "at_start": "the level at its start",
    "not_computed": "not computed",
    "live_caption": "What is live at the largest allocated peak: {phase}",
    "live_kind": "Kind",
    "allocations": "Allocations",
    "largest_alike": "Largest alike",
    "alike": " in {n}",
    "uncovered_caption": "What takes memory and is in no figure of the simulation",
    "uncovered_item": "Item",
    "documented": "Documented",
    "stands_for": "In the second reading",
    "stands_reserve": "the reserve stands for it: {item}",
    "stands_bound": "its documented bound is added",
    "stands_open": "keeps it open",
    "stands_nowhere": "of no case here",
    "effects_caption": "What CUDA allocates and the code alone does not show: rules that applied",
    "effect": "Rule",
    "times": "Times",
    "most_held": "Most held",
    "source": "Source",
    "as_need": "As a need of the second reading, in case {case}: {need}.",
    "as_need_open": "As a need of the second reading, in case {case}: open, for want of {open}.",
    "simulated_window": "Memory of device {device} by simulation",
    "timeline_events": "events of the allocator",
    "timeline_event": "event {n}",
    "timeline_allocated": "allocated",
}
