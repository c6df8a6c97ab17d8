"""Notes of a simulation's document that have places: told by who simulates, recalled by who reads.

Their English is what the document holds. Where one is changed, documents from before keep their English.
"""

from __future__ import annotations

from fiche.kernel.said import tell

_RETRIED_ONCE = (
    "cuda:{device}: to find room, the allocator gave everything that it had cached back to the driver "
    "once"
)
_RETRIED = (
    "cuda:{device}: to find room, the allocator gave everything that it had cached back to the driver "
    "{times} times"
)
_SHORT = (
    "cuda:{device}: a device of {most} has no room for the {asked} that {phase} asks for: {reserved} are "
    "reserved by then, {allocated} of them allocated; levels here are those of a device without an end"
)
_RAISED = "{phase}: it raised {error} and the program went on; it counts up to there"
_LEFT_OPEN = "{phase}: it was begun and not ended; it counts to the end"
_SHORTENED = (
    "decode: of {steps} steps the first {ends} and the last {ends} were run, and the cache took in the "
    "{skipped} tokens between them at once; the phase has no reserved bytes (--every-step: all of them are "
    "run)"
)
_PACKED = (
    "bitsandbytes is stood in for: what its matrices and its optimizer hold and make follows its sources as "
    "of {version}; in 8 bits, no column of an input is taken to lie beyond the threshold"
)
_RANKED = (
    "rank {rank} is asked about: the rank that is loaded most stands for it, from which it differs by "
    "padding"
)
_DEALT = (
    "layers are dealt out over {devices} devices of one process, balanced by bytes of parameters as "
    'device_map="auto" does'
)
_ONE_OF = (
    "figures are of one rank of {devices}, the most loaded one; what the communication library (NCCL) takes "
    "for itself is not in them"
)
_CUT_BY_HAND = "matrices are cut {ways} ways by a plan given by hand"
_CUT = "matrices are cut {ways} ways by the model's own plan of transformers"
_SHARED = "{ranks} ranks have a batch each, and share the model out by {sharding}"
_REPLICATED = (
    "{ranks} ranks have a batch each and the whole model; gradients, where there are any, are reduced in "
    "buckets"
)
_FIRST_PASS = "{phase} (first pass)"
_LATER_PASS = "{phase} (later pass)"
_OUTSIDE = "code outside of all phases"
NOTES = (
    *(
        _RETRIED_ONCE,
        _RETRIED,
        _SHORT,
        _RAISED,
        _LEFT_OPEN,
        _SHORTENED,
        _PACKED,
        _RANKED,
        _DEALT,
        _ONE_OF,
    ),
    *(_CUT_BY_HAND, _CUT, _SHARED, _REPLICATED, _FIRST_PASS, _LATER_PASS, _OUTSIDE),
)


# Questions about the device that no simulation has an answer to, and by whom those were answered that have one.
_VALUE_AT = "the value of a tensor ({place})"
_SIGHTED = "the least {counter} that a machine printed for {card}"
_LABELLED = "the label of {card}, which no machine's print bears out"
_LISTED = "the catalog's row of {card}"
ANSWERS = (_VALUE_AT, _SIGHTED, _LABELLED, _LISTED)


def value_at(place: str) -> str:
    """A number was asked for that no tensor has."""
    return tell(_VALUE_AT, place=place) if place else tell("the value of a tensor")


def sighted(counter: str, card: str) -> str:
    """By what machines printed."""
    return tell(_SIGHTED, counter=counter, card=card)


def labelled(card: str) -> str:
    """By the label alone."""
    return tell(_LABELLED, card=card)


def listed_for(card: str) -> str:
    """By a catalog."""
    return tell(_LISTED, card=card)


def assumed() -> str:
    """By nobody."""
    return tell("assumed")


def retried(device: int, times: int) -> str:
    """A device gave its cache back, and how often."""
    if times == 1:
        return tell(_RETRIED_ONCE, device=device)
    return tell(_RETRIED, device=device, times=times)


def short(device: int, *, most: str, asked: str, phase: str, reserved: str, allocated: str) -> str:
    """A device does not suffice; amounts are told already."""
    return tell(
        _SHORT,
        device=device,
        most=most,
        asked=asked,
        phase=phase,
        reserved=reserved,
        allocated=allocated,
    )


def passed(phase: str, *, is_first: bool) -> str:
    """A phase and its pass."""
    return tell(_FIRST_PASS, phase=phase) if is_first else tell(_LATER_PASS, phase=phase)


def outside() -> str:
    """What is in no phase."""
    return tell(_OUTSIDE)


def raised(phase: str, error: str) -> str:
    """A phase ended in an exception that the program caught."""
    return tell(_RAISED, phase=phase, error=error)


def left_open(phase: str) -> str:
    """A phase was never ended."""
    return tell(_LEFT_OPEN, phase=phase)


def shortened(steps: int, ends: int, skipped: int) -> str:
    """A long decode was not run step by step."""
    return tell(_SHORTENED, steps=steps, ends=ends, skipped=skipped)


def packed(version: str) -> str:
    """A library that packs weights has a stand-in."""
    return tell(_PACKED, version=version)


def ranked(rank: str) -> str:
    """The rank that was asked about is not the one that was simulated."""
    return tell(_RANKED, rank=rank)


def dealt(devices: int) -> str:
    """Layers lie on devices of one process."""
    return tell(_DEALT, devices=devices)


def one_of(devices: int) -> str:
    """Figures are those of one rank."""
    return tell(_ONE_OF, devices=devices)


def cut(ways: int, *, by_hand: bool) -> str:
    """Matrices are cut over ranks."""
    return tell(_CUT_BY_HAND, ways=ways) if by_hand else tell(_CUT, ways=ways)


def shared(ranks: int, sharding: str) -> str:
    """Ranks have parts of the model."""
    return tell(_SHARED, ranks=ranks, sharding=sharding)


def replicated(ranks: int) -> str:
    """Ranks have the whole model each."""
    return tell(_REPLICATED, ranks=ranks)
