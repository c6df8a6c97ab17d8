"""What a training learns: all parameters, or what an adaptation adds, as groups of alike tensors (B6)."""

from __future__ import annotations

from fiche.estimators._amounts import product
from fiche.estimators._formats import BITS, named_bits, quantised, value_bits
from fiche.estimators._reading import stated, word
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Operand, Unknown, either, total
from fiche.kernel.model import Model, Parameters
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE, count_of
from fiche.kernel.workload import Workload

ADAPTERS = ("lora", "qlora", "dora")
# Programs that adapt through PEFT, which keeps adapters in fp32 unless told otherwise.
_THROUGH_PEFT = ("transformers", "peft", "trl", "axolotl", "llama-factory", "llamafactory")


@record(eq=False)
class Learned:
    """Alike learned tensors.

    `shape` is that of one tensor, `copies` how many there are, `bits` those of one value as it is held.
    `group` are the model's own parameters that they are or stand beside, None where only a count is
    known: then `shape` is that one count, and nothing is known of single tensors.
    """

    shape: tuple[Operand, ...]
    copies: Operand
    bits: Node
    role: str = ""
    group: Parameters | None = None

    @property
    def flat(self) -> bool:
        """True where only a count is known."""
        return self.group is None

    @property
    def values(self) -> Node:
        """Values of one tensor."""
        return product(self.shape)

    @property
    def all_values(self) -> Node:
        """Values of all copies."""
        return product((self.copies, *self.shape))


def known_model(workload: Workload) -> Model | None:
    """The model, where its files told its parameters."""
    model = workload.model
    return model if model is not None and model.parameters else None


def held(model: Model) -> tuple[Parameters, ...]:
    """The parameters that the library's own class loads."""
    return tuple(group for group in model.parameters if group.loaded)


def counted(count: Node, bits: Node) -> Learned:
    """Learned values of which only the count is known."""
    return Learned(shape=(count,), copies=1, bits=bits)


def asked(condition: Condition, bits: Node) -> Learned:
    """Learned values that nobody can count before the condition is settled."""
    return counted(Unknown(condition=condition, unit=ONE, label=tell("learned parameters")), bits)


def values(tensors: tuple[Learned, ...]) -> Node:
    """How many values all of them hold."""
    if len(tensors) == 1:
        return tensors[0].all_values
    return total(tensor.all_values for tensor in tensors)


def stated_count(workload: Workload) -> Node:
    """The count of learned parameters that the fiche states, or the question in its place.

    A full fine-tune learns the stated count of the model.
    """
    if (
        word(workload, "method.kind") == "full"
        and "method.trainable_parameters" not in workload.figures
    ):
        text = tell("state model.parameters, the count of all values")
        return stated(workload, "model.parameters", "parameters", text)
    text = tell("state method.trainable_parameters: how many parameters are learned")
    return stated(workload, "method.trainable_parameters", "trained_parameters", text)


def parameter_bits(workload: Workload) -> Node:
    """Bits of one learned value: `formats.learned`, else those of the weights that are learned themselves."""
    if _told(workload, "learned"):
        return value_bits(workload, "learned", "learned_format")
    if word(workload, "method.kind") in ADAPTERS:
        return _adapter_bits(workload)
    if word(workload, "operation") == "adaptation" and not word(workload, "method.kind"):
        return value_bits(workload, "learned", "learned_format")
    return weight_bits(workload)


def weight_bits(workload: Workload) -> Node:
    """Bits of one weight as loaded; the format that the model's files name stands in for an untold one."""
    if _told(workload, "loaded"):
        return value_bits(workload, "loaded", "storage_format")
    named = _stored(workload)
    if named is not None and not _told(workload, "storage"):
        return named
    return value_bits(workload, "storage", "storage_format")


def base_is_quantised(workload: Workload) -> bool:
    """True where the fiche names a format of fewer than 16 bits for the weights."""
    name = word(workload, "formats.loaded") or word(workload, "formats.storage")
    return bool(name) and name in BITS and quantised(name)


def unquantised_bits(workload: Workload) -> Node:
    """Bits of the parameters that a quantised base leaves alone: those of the files, or of computing."""
    if not base_is_quantised(workload):
        return weight_bits(workload)
    named = _stored(workload)
    if named is not None:
        return named
    return named_bits(workload, "compute", "compute_format")


def setting(workload: Workload, name: str) -> str:
    """A setting of the method in lower case: yes, no, or another word; empty where it is untold."""
    told = word(workload, f"method.settings.{name}").lower()
    return {"true": "yes", "false": "no", "on": "yes", "off": "no"}.get(told, told)


def through_peft(workload: Workload) -> bool | None:
    """True where PEFT makes the adapters, False where another program does, None where untold."""
    if word(workload, "extensions.peft"):
        return True
    engine = word(workload, "engine.name").lower()
    return engine in _THROUGH_PEFT if engine else None


def _adapter_bits(workload: Workload) -> Node:
    """PEFT casts adapters to fp32 where the base is 16-bit, unless autocast_adapter_dtype is off."""
    cast = setting(workload, "autocast_adapter_dtype")
    wide = _bits(32, tell("PEFT keeps adapters in fp32 (autocast_adapter_dtype, peft 0.21.2)"))
    if cast == "no":
        return unquantised_bits(workload)
    if cast == "yes" or through_peft(workload):
        return wide
    base = unquantised_bits(workload)
    if isinstance(base, Unknown):
        return value_bits(workload, "learned", "learned_format")
    because = tell("adapters in fp32 as PEFT keeps them, or as the base: formats.learned is untold")
    return either(base, wide, because)


def _told(workload: Workload, key: str) -> bool:
    return f"formats.{key}" in workload.facts or f"formats.{key}_bits" in workload.figures


def _stored(workload: Workload) -> Figure | None:
    storage = workload.model.storage if workload.model is not None else ""
    if storage not in BITS:
        return None
    return _bits(
        BITS[storage],
        tell("the model's files name {storage} for unquantised values", storage=storage),
    )


def _bits(count: int, because: str) -> Figure:
    origin = Stated(span=None, because=because)
    return Figure(low=count, high=count, unit=count_of("bits"), origin=origin)
