"""Structures of models: a configuration in, parameters and what the layers keep out; never a guess.

A member is one structure, under every model type that shares it.
"""

from fiche.families._lookup import described, model_of

__all__ = ["described", "model_of"]
