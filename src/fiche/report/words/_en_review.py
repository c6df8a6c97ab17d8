"""English sentences of comments, of drafts, and of what changed between two decisions."""

from __future__ import annotations

REVIEW: dict[str, str] = {
    # Comments
    "comments_title": "Comments",
    "comments_line": "Comments by people: {open} open, {resolved} resolved; see {section}.",
    "comments_lead": (
        "What people wrote about this report, as they wrote it: opinions, evidence of nothing. Names, roles "
        "and days are theirs and were not checked. No verdict changes by a comment."
    ),
    "comments_apart": "These comments were written on another version of this decision: {of}.",
    "comments_here": "The file says that it comments on this very decision: {of}.",
    "comments_of_none": "The file does not say which version it comments on.",
    "comments_caption": "Comments, open ones first",
    "comments_state": "State",
    "comments_who": "By",
    "comments_on": "On",
    "comments_says": "Says",
    "comments_open": "open",
    "comments_resolved": "resolved",
    "comments_other": "written on another version",
    "comments_answer": "Resolved by {by}, {date}: {says}",
    "comments_mark": "Comment {id}",
    "comments_on_report": "the whole report",
    "comments_on_candidate": "candidate {on}",
    "comments_on_requirement": "criterion {on}",
    "comments_on_finding": "verdict {on}",
    "comments_on_piece": "piece {on}",
    "comments_on_case": "case {on}",
    "comments_on_figure": "number {on}",
    "comments_on_point": "open point {on}",
    "comments_on_topic": "topic {on}",
    "comments_on_step": "step {on}",
    # Drafts
    "draft_word": "DRAFT",
    "draft_title": "Draft: {title}",
    "draft_lead": "This is a draft",
    "draft_says": "It may still change, and is not to be signed or ordered from.",
}
