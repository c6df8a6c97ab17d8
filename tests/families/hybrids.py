"""What tests of hybrids, encoders and wrappers share: bytes of states, and parts of parameters."""

from fractions import Fraction

from families.decoders import exact, parameters

from fiche.estimators._elements import elements
from fiche.kernel.model import AttentionCache, CrossCache, StateCache
from fiche.kernel.record import replace

MIB = 2**20


def only(found, kind):
    """The one cache of a kind that a model has."""
    (cache,) = [each for each in found.caches if isinstance(each, kind)]
    return cache


def state_bytes(found, columns_less, convolution, state):
    """Bytes of all states of one sequence, at so many columns and bytes a value."""
    total = 0
    for cache in found.caches:
        if isinstance(cache, StateCache):
            kept = exact(cache.channels) * (exact(cache.kernel) - columns_less) * convolution
            total += exact(cache.count) * (kept + exact(cache.state) * state)
    return total


def mib(count):
    return Fraction(count, MIB)


def values_a_token(found):
    """Keys and values that one more token adds in layers that see all."""
    return sum(
        exact(c.count) * exact(c.kv_heads) * (exact(c.key_dim) + exact(c.value_dim))
        for c in found.caches
        if isinstance(c, AttentionCache) and c.reach == "full"
    )


def cross_values(found):
    """Keys and values that one position of the encoder costs."""
    cache = only(found, CrossCache)
    return (
        exact(cache.count) * exact(cache.kv_heads) * (exact(cache.key_dim) + exact(cache.value_dim))
    )


def part(found, name):
    """Parameters of one part of a model."""
    chosen = tuple(each for each in found.parameters if each.part == name)
    return parameters(replace(found, parameters=chosen))


def stored_besides(found):
    """Elements that some checkpoints hold and the class leaves out: low and high."""
    beside = [elements(each) for each in found.parameters if not each.loaded]
    return sum(each.low for each in beside), sum(each.high for each in beside)
