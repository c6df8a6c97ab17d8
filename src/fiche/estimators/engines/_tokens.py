"""How much a case asks to keep: tokens of a sequence, sequences at the same time, encoder positions.

Tokens are prompt and new ones together, and not less than a stated context to hold. Only *resident*
sequences count: requests that wait hold no cache (A4).
"""

from __future__ import annotations

from fractions import Fraction

from fiche.estimators._reading import dimension, missing, qualified, word
from fiche.kernel.figure import Figure, Node, bare, ceil, either, floor, larger, total
from fiche.kernel.model import ImageTokens, Model
from fiche.kernel.origin import Stated
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of
from fiche.kernel.workload import Case, Workload

_CONTEXT = tell("state the context to hold: prompt_tokens and new_tokens, or context_tokens")
_HALF = Fraction(1, 2)


def tokens_kept(case: Case | None, workload: Workload | None = None) -> Node:
    """Tokens that one sequence keeps: prompt (with its images' tokens) and new ones, or the context."""
    told = () if case is None else case.dimensions
    context = dimension(case, "context_tokens", "context", _CONTEXT)
    if "prompt_tokens" not in told and "new_tokens" not in told:
        return context
    kept = prompt_tokens(case, workload) + dimension(case, "new_tokens", "context", _CONTEXT)
    if "context_tokens" in told:
        kept = larger(kept, context)
    return kept.named(qualified(case, "tokens_kept"), tell("tokens kept by one sequence"))


def prompt_tokens(case: Case | None, workload: Workload | None = None) -> Node:
    """Tokens of the prompt as the model sees it: the stated ones and those of its images."""
    prompt = dimension(case, "prompt_tokens", "context", _CONTEXT)
    images = None if workload is None else image_tokens(case, workload)
    if images is None:
        return prompt
    return (prompt + images).named(
        qualified(case, "prompt_with_images"), tell("tokens of the prompt and its images")
    )


def prompt_or_context(case: Case | None, workload: Workload | None = None) -> Node:
    """Tokens of the prompt; where only a context is told, none of it to all of it."""
    told = () if case is None else case.dimensions
    if "prompt_tokens" in told or "context_tokens" not in told:
        return prompt_tokens(case, workload)
    context = tokens_kept(case, workload)
    return either(
        0 * context, context, tell("prompt_tokens is not told: how much of the context is it?")
    )


def sequences(case: Case | None) -> Node:
    """Sequences in memory at the same time."""
    text = tell("state resident_sequences: how many sequences are in memory at the same time")
    return dimension(case, "resident_sequences", "concurrency", text)


def encoder_tokens(case: Case | None) -> Node:
    """Tokens of an encoder's input, where the model does not fix them."""
    text = tell("state encoder_tokens: how many tokens the encoder reads for one sequence")
    return dimension(case, "encoder_tokens", "context", text)


def images_counted(workload: Workload) -> bool:
    """True when the fiche says that prompt_tokens already counts the tokens of its images."""
    return word(workload, "engine.settings.image_tokens") == "counted"


def image_tokens(case: Case | None, workload: Workload) -> Node | None:
    """Tokens that the case's images add to a prompt; None where there is nothing to add or to go by."""
    model = workload.model
    if case is None or "images" not in case.dimensions or images_counted(workload):
        return None
    if model is None or model.images is None:
        return None
    tokens = case.dimensions["images"] * one_image(case, model)
    return total((as_tokens(tokens),)).named(
        qualified(case, "image_tokens"), tell("tokens of the images")
    )


def one_image(case: Case | None, model: Model) -> Node:
    """Tokens of one image of the case.

    A grid has one token a patch of pixels; a merged grid rounds each side to whole merged squares
    (estimators.md 2.2, image tokens). Limits on pixels of a processor are not applied, save where the
    configuration states the longest side. An image that is cut into tiles by its shape is an interval.
    """
    rule = model.images
    assert rule is not None
    if rule.kind == "fixed" and rule.tokens is not None:
        return rule.tokens
    if rule.kind == "tiled" and rule.least is not None and rule.most is not None:
        return either(rule.least, rule.most, rule.rule)
    if rule.kind == "rows" and rule.patch is not None:
        return _by_rows(case, rule, rule.patch)
    if rule.kind == "grid" and rule.patch is not None:
        wide, high = (_patches(case, rule, rule.patch, side) for side in ("width", "height"))
        return wide * high + rule.extra
    if rule.kind == "merged" and rule.patch is not None and rule.merge is not None:
        square = rule.patch * rule.merge
        wide, high = (_side(case, side) / square for side in ("width", "height"))
        return floor(wide + _HALF) * floor(high + _HALF) + rule.extra
    text = tell("give the tokens of one image: this model's way to make them is not known here")
    return missing(qualified(case, "tokens_of_an_image"), count_of("tokens"), "context", text)


def _by_rows(case: Case | None, rule: ImageTokens, patch: Node) -> Node:
    """Squares of an image that fits the longest side, the last ones in part, and a token to end each row."""
    # A width and a height are pixels both.
    wide, high = (bare(_side(case, side)) for side in ("width", "height"))
    square = patch if rule.merge is None else patch * rule.merge
    if rule.side is not None:
        shrunk = larger(1, larger(wide, high) / rule.side)
        wide, high = floor(wide / shrunk), floor(high / shrunk)
    rows = ceil(high / square)
    return as_tokens(rows * ceil(wide / square) + rows)


def _patches(case: Case | None, rule: ImageTokens, patch: Node, side: str) -> Node:
    return floor((_side(case, side) if rule.side is None else rule.side) / patch)


def _side(case: Case | None, side: str) -> Node:
    text = tell("state image_{side} in pixels", side=side)
    return dimension(case, f"image_{side}", "context", text)


def as_tokens(node: Node) -> Node:
    """The same count as one of tokens.

    A setting counts under its own name (`max_cache_len`), and images times
    patches count neither.
    """
    return node if node.unit.word in ("", "tokens") else node * _ONE_EACH


_ONE_EACH = Figure(
    low=1,
    high=1,
    unit=count_of("tokens"),
    origin=Stated(span=None, because=tell("each of these is one token")),
    id="tokens_each",
    label=tell("tokens of each"),
)
