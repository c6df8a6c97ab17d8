"""The one rule as a reader finds it in a decision: its rows in the order in which the first that holds wins.

`evaluate.rule` applies them; a test holds both together. A decision carries their digest, so that two
decisions of two rules are told apart whatever the version of the tool.
"""

from __future__ import annotations

# (reason code, verdict, in words)
RULE: tuple[tuple[str, str, str], ...] = (
    ("conflict", "to_confirm", "pieces contradict each other"),
    ("proven_failure", "exclude", "a proven failure covers the question"),
    ("refused", "exclude", "a piece in scope refuses it"),
    ("above_capacity", "exclude", "the least that is needed is above the most there can be"),
    ("confirmed", "admissible", "a piece in scope confirms it"),
    ("within_capacity", "admissible", "the most that is needed is within what there is"),
    ("near_limit", "to_confirm", "what was measured lies within the guard band of the limit"),
    ("nothing_required", "to_confirm", "what is required is not stated"),
    ("overlap", "to_confirm", "the intervals overlap: neither side settles it"),
    ("open", "to_confirm", "no piece in scope settles it"),
)
NAME, VERSION = "fiche-rule", "1"
