"""Patterns of this room: a file needs those of its own format only."""

from fiche.kernel.lazy import lazy

__all__ = ["lazy"]
