"""decision.json: what people said of a report. Their words, and no ground of any verdict."""

from __future__ import annotations

from typing import Any

from fiche.kernel.comment import Comment, Review
from fiche.kernel.places import Places


def comments(review: Review, places: Places) -> dict[str, Any]:
    """The block `comments`, in the order of the file; its counts add up."""
    return {
        "file": review.file,
        "of": review.of or None,
        "is_of_another_version": review.is_apart,
        "counts": {
            "comments": len(review.comments),
            "open": review.num_open,
            "resolved": len(review.comments) - review.num_open,
        },
        "entries": [_entry(one, places) for one in review.comments],
    }


def _entry(one: Comment, places: Places) -> dict[str, Any]:
    done = one.resolved
    return {
        "id": one.id,
        "by": one.by,
        "role": one.role or None,
        "date": one.date,
        "on": one.on,
        "on_kind": one.sort,
        "says": one.says,
        "state": "open" if one.is_open else "resolved",
        "resolved": None
        if done is None
        else {"by": done.by, "role": done.role or None, "date": done.date, "says": done.says},
        "at": places.of_address(one.span),
    }
