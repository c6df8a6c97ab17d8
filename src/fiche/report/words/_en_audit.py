"""English sentences of what an engineer audits; `{places}` take marked numbers and quoted words."""

from __future__ import annotations

AUDIT = {
    # The need
    "need_title": "Where the need comes from",
    "arithmetic_leaf": "{label} = {whole}, {origin}",
    "read_at": "read at {place}",
    "load_title": "What each case holds, by arithmetic",
    "load_lead": (
        "Computed before any run, from the inputs below: no line is an observed peak, and none of them admits. "
        "Pale ends may come to the item before them; hatched ends are unknown, and drawn without scale."
    ),
    "load_whole": "the whole load",
    "load_most_loaded": "on the most loaded device",
    "load_untold": "the load as stated",
    "load_by_label": "at most, by label",
    "load_range": "up to",
    "load_unknown": "{label}, open",
    "phases_caption": "What is alive together in each phase, by arithmetic",
    "phases_note": (
        "An item without an end opens its phase. The phase that may ask for most is marked; only a "
        "measurement of the whole loop shows the peak."
    ),
    "phase": "Phase",
    "phase_total": "Together",
    "phase_heaviest": "What takes most, and what may be changed",
    "phase_peak": "may ask for most",
    "inputs_caption": "What the formulas start from",
    "input": "Input",
    "input_from": "Read or stated",
    "formula_longer": "(longer: fiche explain prints all of it)",
    "items_caption": "The items, each with its formula",
    "item": "Item",
    "value": "Value",
    "formula": "Formula",
    "left_out": "Not included",
    "left_out_of": "{label} does not include: {items}.",
    "bar_title": "{parts}; against {limit}",
    "bar_no_limit": "no capacity known",
    "capacity": "available",
    "gap_title": "Why does the peak exceed the estimate?",
    "gap_caption": "The estimate made before, beside the observed peaks of covering runs",
    "gap_lead": (
        "The gap is a difference between two numbers, and is not attributed to any one item; what the "
        "estimate leaves out is named above. Below zero, the estimate was above the peak."
    ),
    "gap_none": (
        "No run of the whole loop covers a case: there is no observed peak to set beside an "
        "estimate."
    ),
    "gap_split": (
        "The estimate is of the whole load, which is spread over several devices: no device's "
        "peak stands beside it."
    ),
    "estimate": "Estimate before",
    "gap_allocated": "Gap to allocated",
    "gap_reserved": "Gap to reserved",
    "gap_run": "Case, run",
    "run": "Run",
    "counter": "Counter",
    "device": "Device",
    # What was observed
    "observed_title": "What was observed",
    "observed_none": "No measurement is among the pieces.",
    "timeline_title": "Memory of device {device} over the recorded window",
    "timeline_seconds": "seconds since the first recorded entry",
    "timeline_entries": "entries since the first recorded one (the file bears no times)",
    "timeline_entry": "entry {n}",
    "timeline_reserved": "reserved",
    "timeline_requested": "requested",
    "timeline_peak": "peak {level}: {amount} at {instant}",
    "timeline_caption": (
        "Two levels of the allocator over the window that was recorded, the highest of each stretch of "
        "entries. Their peaks are two instants: the difference of both is at neither."
    ),
    "timeline_labels": "The bands are labels of the program itself, and no phases of this fiche.",
    "runs_caption": (
        "Loads tested: what was executed is what counts; a run taken phase by phase may overlap otherwise"
    ),
    "executed": "Executed",
    "declared_shape": "declared {value}",
    "outcome": "Outcome",
    "phases": "Phases",
    "loop": "whole loop, real order",
    "phased": "phase by phase",
    "first_pass": "first pass",
    "later_pass": "after warm-up",
    "largest": "largest load that succeeded",
    "duration": "Duration",
    "not_recorded": "not recorded",
    "output_checked": "output: {check}",
    "output_unchecked": "output not checked",
    "counters_caption": (
        "Counters per phase and device: each has its own scope and none is added to another"
    ),
    "run_phase": "Run, phase",
    "process_peak": "Process, peak",
    "allocated_peak": "Allocated, peak",
    "allocated_current": "Allocated, at end",
    "reserved_peak": "Reserved, peak",
    "reserved_current": "Reserved, at end",
    "not_measured": "not measured",
    "device_index": "device {index}",
    "no_device": "device not named",
    "other_counters_caption": "Other counters, each with its own scope",
    "scope": "Scope",
    "imported_caption": (
        "What files of other programs measured or reported: each figure has its own scope, and none is a "
        "need of the workload by itself"
    ),
    "planned_caption": (
        "Planned by programs, not measured: budgets that follow from a setting, and estimates. Nothing is "
        "compared with them"
    ),
    "results_caption": (
        "Scores, throughputs and latencies that files state, as printed: what a score is of, and with how many "
        "shots, stands with it"
    ),
    "task": "Task or target",
    "metric": "Metric",
    "standard_error": "± {value} standard error",
    "shots": "{n} shots",
    "samples_of": "{n} of {of} samples",
    "together_caption": "Pieces that tell of one run: what they state alike, and what they state differently",
    "run_named": "Run",
    "states_alike": "States alike",
    "states_differently": "States differently",
    "also_in": "also in",
    "nothing": "nothing",
    "origin_measured": "measured",
    "origin_runtime_reported": "reported by the program",
    "origin_estimated": "estimated by the program",
    "origin_budget": "budget from a setting",
    "not_printed": "not available, says the program",
    "largest_of": "largest of {n} readings",
    "smallest_of": "smallest of {n} readings",
    "same_in_all": "in {n} readings",
    "of_members": " of {n} ranks or devices",
    "place": "Place",
    "rows_left": "{n} further readings are in decision.json.",
    "failures_caption": "Failures are observations: none of these figures is a need",
    "message": "Message",
    "asked_for": "Asked for",
    "free": "Free",
    "levers_caption": "After a failure: where it failed, and what may be changed",
    "failed_where": "Failing",
    "points_to": "points to",
    "lever": "Lever",
    "seen_here": "seen here",
    "async_allocator": (
        "Under cudaMallocAsync, max_memory_reserved may be an upper bound of the simultaneous "
        "peak: the documentation of PyTorch 2.14 says so; installed here: {version}."
    ),
    # The workload
    "workload_title": "Workload",
    "asked": "asked by the fiche",
    "printed_by": "Printed by",
    "not_asked": "nothing asked",
    "cases_caption": "The loads to answer for, as declared, with what was executed",
    "case": "Case",
    "role": "({role})",
    "phases_of": "phases {phases}",
    "dimensions": "Declared",
    "as_declared": "as declared",
    "reached_by": "by more demanding runs: {runs}",
    "never_executed": "no successful run of the whole loop covers it",
    "no_cases": "The fiche states no case: context, concurrency and phases are open.",
    # Pieces
    "pieces_title": "Pieces",
    "pieces_caption": "What each verdict rests on, with version and scope",
    "pieces_none": "The fiche cites no piece.",
    "piece": "Piece",
    "kind": "Kind and version",
    "version": "version {version}",
    "no_version": "no version stated",
    "printed_scope": "Printed in the file: {facts}",
    "typed_scope": "On the word of {by}: {facts}",
    "attests": "Attests {facts}",
    "left_aside": "left aside, out of date: {told}",
    "made": "of {day}",
    "lasts": "valid until {day}",
    "attested_from": "{fact} ({place})",
    "rights": "rights: {rights}",
    "identified": "known as {name}",
    "kept_until": "kept until {day}",
    "supersedes": "takes the place of {old}",
    "cites": "from archive entry {entry} (archive {archive})",
    "redacted": "Redacted before it was stored: {things}",
    "scope_untold": "the scope is not told",
    "digest_column": "sha256",
    # Assumptions
    "assumptions_title": "Assumptions and margins",
    "assumptions_caption": (
        "An assumption stands in for a measurement and neither admits nor excludes; a margin "
        "covers a named variation"
    ),
    "assumptions_none": "No number of this decision is assumed, and no margin is stated.",
    "assumption": "Assumption or margin",
    "who": "By",
    "why": "Because",
    # Environment
    "environment_title": "Environment",
    "environment_caption": "As each piece prints it, below what the fiche asks for",
    "differs_here": "{value} (differs)",
    "environment_none": "No piece prints the environment it ran in.",
    # Limits
    "limits_title": "Scope and limits",
    "invalidated_none": "The author names nothing more that would void the conclusion.",
    "warnings": "What the pieces warn about:",
    "not_observed": "Text in the pieces that looks like evidence and is none:",
    "limit_scope": (
        "It holds for what is named here, on the date declared, and says nothing of speed. "
        "CUDA and ROCm share the name torch.cuda and no more."
    ),
    # Method
    "method_title": "Method",
    "policy": "Policy {name}, version {version}, sha256 {digest}.",
    "rule": (
        "One rule, on firm bounds, and the first line that holds wins: contradicting pieces: to "
        "confirm; the least needed above the most available, or a proven failure that covers the "
        "question: exclude; the most needed within the least available, by pieces whose scope "
        "covers the question: admissible; anything else: to confirm, with the condition that "
        "would settle it."
    ),
    "folding": (
        "A candidate takes its worst must. Assumed numbers neither admit nor exclude. Memory is "
        "compared per device, never as a sum over devices."
    ),
    "typed_counts": "Scope facts that an author typed count, on that person's word.",
    "typed_alone": "Scope facts that an author typed never settle a verdict alone.",
    "strict_facts": "Facts that must agree here: ",
    "facts_agree": "{n} {facts} as the fiche asks",
    "facts_more": "{n} more in decision.json",
    "facts_only": "{n} {facts}, in decision.json",
    "facts_noun": "fact|facts",
    "spread": "Machines of one card may differ by {spread} in what they show.",
    # Re-checking
    "recheck_title": "Units, attachments and re-checking",
    "attachments_caption": "Attached files, as received",
    "attachment": "File",
    "relation": "What it is",
    "bytes": "Bytes",
    "sha256": "sha256",
    "attachments_note": (
        "HTML: a link each. PDF: pdfdetach -saveall report.pdf, then sha256sum FILE. "
        "Under the names of manifest.json, fiche explain FICHE ID walks a number back to its line. "
        "In a printed annex these ids stand below the numbers of the criteria, candidate by candidate."
    ),
    "attached_fiche": "the fiche",
    "attached_piece": "piece {what}",
    "attached_input": "{what}",
    "attached_other": "a file of the fiche",
    "attached_manifest": "this list",
    "attached_crate": "what these files are, for machines (RO-Crate)",
    "cut_here": "Cut here for its length: what follows ({n} parts) is in report.html.",
    "decision_role": "the whole decision",
    "marks_lead": "Numbers: ",
}
