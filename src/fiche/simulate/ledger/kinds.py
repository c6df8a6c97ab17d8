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
)
