"""English sentences of an archive's overview: what it holds of which model on which card."""

from __future__ import annotations

OVERVIEW: dict[str, str] = {
    "overview_title": "What the archive holds",
    "overview_eyebrow": "Overview of an archive",
    "overview_as_of": "as of {day}",
    "overview_lead": "{entries}, with {files} of {bytes}. Archive {archive}.",
    "overview_entries": "{n} entry|{n} entries",
    "overview_files": "{n} file|{n} files",
    "overview_narrowed": "Only what speaks of {told} is looked at.",
    "overview_narrowed_model": "models whose name has {part} in it",
    "overview_narrowed_card": "cards whose name has {part} in it",
    "overview_question": "What is known of which model on which card?",
    "overview_kinds": "By kind: {told}.",
    "overview_kind_record": "{n} record|{n} records",
    "overview_kind_piece": "{n} piece|{n} pieces",
    "overview_kind_fiche": "{n} fiche|{n} fiches",
    "overview_kind_catalog": "{n} catalog|{n} catalogs",
    "overview_kind_policy": "{n} policy|{n} policies",
    "overview_kind_decision": "{n} decision|{n} decisions",
    "overview_pairs": "{pairs}, among {models} and {cards}: {told}.",
    "overview_pair": "{n} pair of a model and a card|{n} pairs of a model and a card",
    "overview_models": "{n} model|{n} models",
    "overview_cards": "{n} card|{n} cards",
    "overview_no_pairs": "No entry speaks of a model or of a card.",
    "overview_count_admitted": "{n} admitted",
    "overview_count_divided": "{n} admitted by one decision and excluded by another",
    "overview_count_excluded": "{n} excluded",
    "overview_count_to_confirm": "{n} to confirm",
    "overview_count_ran": "{n} ran without a decision",
    "overview_count_mixed": "{n} ran and failed without a decision",
    "overview_count_failed": "{n} only failed",
    "overview_count_unknown": "{n} of which no outcome is told",
    "overview_apart": "Counted above and in no table of pairs: {told}.",
    "overview_superseded": "{n} superseded entry|{n} superseded entries",
    "overview_unplaced": "{n} that names no model and no card|{n} that name no model and no card",
    "overview_withheld": (
        "{n} confidential entry is left out: --with-confidential shows it.|"
        "{n} confidential entries are left out: --with-confidential shows them."
    ),
    "overview_withheld_internal": (
        "{n} internal entry is left out: --without internal was asked for.|"
        "{n} internal entries are left out: --without internal was asked for."
    ),
    "overview_with_confidential": (
        "{n} confidential entry is on this page: it is for nobody who may not see that entry.|"
        "{n} confidential entries are on this page: it is for nobody who may not see them."
    ),
    "overview_damaged": (
        "{n} entry cannot be read and is not counted: fiche archive check names it.|"
        "{n} entries cannot be read and are not counted: fiche archive check names them."
    ),
    "overview_leaving_line": (
        "The retention of {n} entry ends by {day}: see {section}.|"
        "The retention of {n} entries ends by {day}: see {section}."
    ),
    # Cards and models
    "overview_matrix_title": "Cards and models",
    "overview_matrix_caption": "What is known of a model (across) on a card (down)",
    "overview_card": "Card",
    "overview_model": "Model",
    "overview_no_model": "no model named",
    "overview_no_card": "no card named",
    "overview_none": "nothing kept",
    "overview_word_admitted": "admitted",
    "overview_word_divided": "admitted and excluded",
    "overview_word_excluded": "excluded",
    "overview_word_to_confirm": "to confirm",
    "overview_word_ran": "ran",
    "overview_word_mixed": "ran and failed",
    "overview_word_failed": "failed",
    "overview_word_unknown": "outcome not told",
    "overview_matrix_cut": (
        "{models} of {all_models} models and {cards} of {all_cards} cards stand here, those that most entries "
        "speak of. To see others: fiche archive report --model NAME, --card NAME."
    ),
    # Pairs
    "overview_pairs_title": "Each model on each card",
    "overview_pairs_caption": "By card, then by model",
    "overview_decisions": "Decisions say",
    "overview_runs": "Runs ended",
    "overview_observed": "Observed peaks, lowest to highest",
    "overview_admissible": "admissible in {n} decision|admissible in {n} decisions",
    "overview_confirm": "to confirm in {n} decision|to confirm in {n} decisions",
    "overview_exclude": "excluded in {n} decision|excluded in {n} decisions",
    "overview_passed": "{n} ran to its end|{n} ran to their end",
    "overview_failed": "{n} failed",
    "overview_unknown": "{n} does not tell how it ended|{n} do not tell how they ended",
    "overview_newest": "newest of {day}:",
    "overview_undated": "no day told:",
    "overview_no_decision": "no decision speaks of it",
    "overview_no_run": "no run is kept",
    "overview_no_range": "no peak",
    "overview_range": "{quantity}: {range}, of {entries}",
    "overview_more_ranges": "{n} more counter|{n} more counters",
    "overview_pairs_cut": (
        "{shown} of {total} pairs stand here, those that most entries speak of. To see others: "
        "fiche archive report --model NAME, --card NAME; fiche archive search finds every entry."
    ),
    # Entries
    "overview_latest_title": "Latest additions",
    "overview_latest_caption": "Added last, the latest first",
    "overview_latest_cut": "{shown} of {total} entries stand here; fiche archive list shows all.",
    "overview_named_title": "Entries named above",
    "overview_named_caption": "Entries that the table of pairs names, by day; fiche archive show ID shows one",
    "overview_entry": "Entry",
    "overview_kind": "Kind",
    "overview_kind_day": "Kind, day",
    "overview_is_record": "record",
    "overview_is_piece": "piece",
    "overview_is_fiche": "fiche",
    "overview_is_catalog": "catalog",
    "overview_is_policy": "policy",
    "overview_is_decision": "decision",
    "overview_dated": "Day",
    "overview_added": "Added",
    "overview_keep_until": "Keep until",
    "overview_no_day": "not told",
    "overview_replaced": "superseded by {by}",
    "overview_leaving_title": "Retention that ends",
    "overview_leaving_caption": "Kept until {day} or less long, by day",
    "overview_leaving_none": "No entry says that its retention ends by {day}.",
    "overview_leaving_lead": "fiche deletes nothing: these days were stated when the entries were added.",
    "overview_leaving_cut": "{shown} of {total} stand here, those whose day comes first.",
    "overview_passed_day": "passed",
    # How to read it
    "overview_method_title": "How to read this",
    "overview_method_verdicts": (
        "Admitted, to confirm and excluded are verdicts of decisions that the archive keeps, each under its "
        "own requirements. Ran and failed are how runs ended: a run admits nothing until a decision weighs it."
    ),
    "overview_method_ranges": (
        "A range of peaks goes from the lowest to the highest peak of one counter, an entry's own being its "
        "highest reading, over whatever cases, settings, machines and ends the runs have. Nothing is averaged, "
        "and a range bounds no other case. Only memory is shown: fiche archive search finds other amounts."
    ),
    "overview_method_names": (
        "Models are named as the sources name them: one written in two ways stands here twice. A card stands "
        "under its id in the catalog where the name that it prints is that of one card alone, else as written."
    ),
    "overview_method_counts": (
        "An entry counts once in a pair, and once under each outcome that it tells. A decision that is kept in "
        "several files, such as a page and its PDF, is one decision. A superseded entry stays in the archive "
        "and counts in no pair."
    ),
    "overview_document": "what this page says, for programs",
    "overview_foot": "{tool} · overview of an archive · {date}",
    "overview_digest": "overview.json sha256 {digest}",
    "overview_attachments": "overview.json has what this page says, with ids in full.",
}
