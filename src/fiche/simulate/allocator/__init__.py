"""The caching allocator of PyTorch, replayed: from what is asked for to what is reserved."""

from fiche.simulate.allocator.algorithm import ALGORITHM
from fiche.simulate.allocator.replayed import Replay, replay
from fiche.simulate.allocator.settings import AllocatorSettings, SettingsError

__all__ = ["ALGORITHM", "AllocatorSettings", "Replay", "SettingsError", "replay"]
