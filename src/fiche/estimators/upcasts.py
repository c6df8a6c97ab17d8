"""What PEFT's prepare_model_for_kbit_training adds: 16-bit parameters of a quantised base become fp32 (2.5).

Every parameter that is not packed is cast (embeddings, head, norms; peft 0.21.2, `utils/other.py`): for
Llama-3.1-8B 1 050 939 392 values, 2.1 GB more. Not for GPTQ, AQLM, EETQ, HQQ or torchao. The fiche says
whether it was called: `method.settings.prepare_for_kbit`.
"""

from __future__ import annotations

from fiche.estimators._reading import operation_is, word
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, either, smaller, total
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (tell("modules that the quantisation skips by name"),)
_NOT_CAST = ("gptq", "aqlm", "eetq", "hqq", "torchao")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._amounts import bytes_of, narrower, nothing
    from fiche.estimators._elements import elements
    from fiche.estimators._learned import known_model, setting, unquantised_bits

    model = known_model(workload)
    if model is None or setting(workload, "prepare_for_kbit") == "no" or _not_cast(model):
        return ()
    bits = unquantised_bits(workload)
    wider = narrower(bits, 32) * (32 - smaller(bits, 32))
    values = [elements(group) for group in _unpacked(workload, model)]
    cast: Figure = total((bytes_of(each, wider) for each in values), BYTE)
    if not setting(workload, "prepare_for_kbit"):
        because = tell(
            "cast to fp32 by prepare_model_for_kbit_training, or not: state prepare_for_kbit"
        )
        cast = either(nothing(), cast, because)
    label = tell("16-bit parameters of the base cast to fp32")
    return (cast.named("upcasts", label, left_out=_LEFT_OUT),)


def _unpacked(workload: Workload, model: Model) -> tuple[Parameters, ...]:
    """What stays in 16 bits: everything but linear modules; the output head stays too (transformers)."""
    from fiche.estimators._learned import base_is_quantised, held

    packed = ("linear",) if base_is_quantised(workload) else ()
    return tuple(
        group for group in held(model) if group.role not in packed or not _is_matrix(group)
    )


def _is_matrix(group: Parameters) -> bool:
    return len(group.shape) == 2 and group.name.endswith(".weight")


def _not_cast(model: Model) -> bool:
    config = model.config
    part = None if config is None else config.part("quantization_config")
    return part is not None and part.text("quant_method") in _NOT_CAST


def _applies(workload: Workload) -> bool:
    """A quantised base is prepared unless the fiche denies it; another one only where it says so."""
    if not operation_is(workload, "adaptation") or word(workload, "method.kind") == "full":
        return False
    from fiche.estimators._learned import base_is_quantised, setting

    return base_is_quantised(workload) or setting(workload, "prepare_for_kbit") == "yes"


MEMBER = Estimator(
    name="upcasts",
    title="Upcasts",
    source="16-bit parameters x (32 - 16) / 8: peft 0.21.2, prepare_model_for_kbit_training",
    per_case=False,
    resident=True,
    applies=_applies,
    estimate=_estimate,
)
