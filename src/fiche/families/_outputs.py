"""What stands after the last layer, by the class that a configuration was saved from (transformers 5.24).

A language model has a head over the vocabulary, a bare model none (embedding models), a classifier a small
one over its labels (rerankers, reward models).
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._reads import architecture_of, counted
from fiche.families._rows import Place, fixed, rows
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_LANGUAGE = ("CausalLM", "LMHead", "ConditionalGeneration", "DoubleHeads")
_CLASSIFIER = "ForSequenceClassification"


def with_outputs(
    config: Config, found: Iterable[Parameters], place: Place, prefix: str
) -> tuple[Parameters, ...]:
    """These parameters with the outputs of the class named; `prefix` is that of the layers."""
    named = architecture_of(config)
    if not named or any(word in named for word in _LANGUAGE):
        return tuple(found)
    body = tuple(
        each for each in found if each.role != "head" and not each.name.startswith("lm_head")
    )
    if named.endswith(_CLASSIFIER):
        labels = replace(place, dims={"labels": _labels(config), "hidden": place.dims["hidden"]})
        return (*body, *rows("score head labels hidden", labels))
    if named.endswith("Model"):
        inside = prefix.partition(".")[0] + "."
        return tuple(replace(each, name=each.name.removeprefix(inside)) for each in body)
    return tuple(found)


def strange_outputs(config: Config) -> Iterable[str]:
    """A doubt where the class named has outputs that are not known here."""
    named = architecture_of(config)
    known = named.endswith((_CLASSIFIER, "Model")) or any(word in named for word in _LANGUAGE)
    if named and not known:
        yield tell(
            "give the tensors: what {named} has after its last layer is not known here", named=named
        )


def _labels(config: Config) -> Node:
    """As many as are named; two where the file names none."""
    if config.told("num_labels"):
        return config.number("num_labels")
    named = config.value("id2label")
    return counted(config, "id2label", len(named)) if isinstance(named, dict) else fixed(2)
