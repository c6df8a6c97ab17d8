"""Mistral and Ministral: Llama without biases, with a window over all layers where one is set."""

from __future__ import annotations

from fiche.families._decoder import family
from fiche.families._kinds import UNBIASED

KINDS = {
    "mistral": UNBIASED,
    "ministral": UNBIASED,
    "ministral3": UNBIASED,
}

MEMBER = family(
    "mistral",
    "Mistral and Ministral",
    "transformers 5.24.0, modeling_mistral.py; a window without a list holds for all layers",
    KINDS,
)
