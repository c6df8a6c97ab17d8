"""What live bytes are for, as far as a program shows it."""

from __future__ import annotations

PARAMETER = "parameter"
BUFFER = "buffer"
GRADIENT = "gradient"
OPTIMIZER_STATE = "optimizer_state"
ACTIVATION = "activation"
CACHE = "cache"
INPUT = "input"
TEMPORARY = "temporary"
WORKSPACE = "workspace"
# What blocks have beyond what is asked of them, where a rest is not worth splitting off.
BLOCK_REST = "block_rest"

KINDS = (
    PARAMETER,
    BUFFER,
    GRADIENT,
    OPTIMIZER_STATE,
    ACTIVATION,
    CACHE,
    INPUT,
    TEMPORARY,
    WORKSPACE,
    BLOCK_REST,
)
