"""A model as its files describe it: parameters, what its layers keep, and what was not understood.

Alike tensors and alike layers are one entry times a count (law 1). Every dimension is a node that can be
walked back to the configuration; indices of layers are plain integers, for they are structure.
"""

from __future__ import annotations

from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.record import record


@record(eq=False)
class Parameters:
    """Alike parameter tensors of a model.

    `name` is the tensor's name with `*` for each number (`model.layers.*.self_attn.q_proj.weight`). `role`:
    embedding, position, linear, expert, router, norm, bias, convolution, recurrent, head, or buffer (saved
    and loaded with the parameters, and no gradient reaches it). `shape` is that of one tensor as the library
    holds it: a linear is (outputs, inputs), a fused expert tensor is (experts, ., .). `copies` counts the
    tensors; `layers` are the indices of the layers that hold them, empty for those outside any layer.
    `part`: language, encoder, vision, audio, projector or prediction (blocks that predict further tokens).
    `loaded=False`: stored in checkpoints, and left out by the library's own class.
    """

    name: str
    role: str
    shape: tuple[Node, ...]
    copies: Node
    layers: tuple[int, ...] = ()
    part: str = "language"
    loaded: bool = True


@record(eq=False)
class AttentionCache:
    """Alike layers that keep keys and values by head.

    `reach`: full, sliding (the last `window` tokens) or chunked (tokens of the running chunk of `window`).
    """

    layers: tuple[int, ...]
    count: Node
    kv_heads: Node
    key_dim: Node
    value_dim: Node
    reach: str = "full"
    window: Node | None = None


@record(eq=False)
class LatentCache:
    """Alike layers that keep one compressed vector a token for all heads (MLA), and what it expands to.

    `latent` + `rope` values a token when absorbed; `heads` x (`key_dim` + `value_dim`) when expanded.
    `index_dim` is the width of one key of a sparse indexer, None where there is none.
    """

    layers: tuple[int, ...]
    count: Node
    latent: Node
    rope: Node
    heads: Node
    key_dim: Node
    value_dim: Node
    index_dim: Node | None = None


@record(eq=False)
class CrossCache:
    """Alike layers that keep keys and values of an encoder's output for the whole request.

    `tokens` is the encoder's fixed length (Whisper), None where it is that of the encoder's input (T5).
    """

    layers: tuple[int, ...]
    count: Node
    kv_heads: Node
    key_dim: Node
    value_dim: Node
    tokens: Node | None = None


@record(eq=False)
class StateCache:
    """Alike layers with a state that does not grow with the context.

    `kind`: mamba, mamba2, gated_delta, short_convolution, linear, rwkv. `channels` x `kernel` values of
    convolution (an engine may keep one column less), `state` values of recurrent state.
    """

    layers: tuple[int, ...]
    count: Node
    kind: str
    channels: Node
    kernel: Node
    state: Node


Cache = AttentionCache | LatentCache | CrossCache | StateCache


@record(eq=False)
class Block:
    """Alike layers as a training step sees them: widths of one token's vectors, in values.

    `query`, `key`, `value` are the widths of the projections' outputs (0 layers without attention have
    None), `heads` the query heads, `inner` the width of the feed-forward (of one expert where
    `experts_used` experts see a token, beside `shared_inner` of experts that see all).
    """

    layers: tuple[int, ...]
    count: Node
    hidden: Node
    kind: str = "attention"
    heads: Node | None = None
    query: Node | None = None
    key: Node | None = None
    value: Node | None = None
    inner: Node | None = None
    gated: bool = True
    experts_used: Node | None = None
    shared_inner: Node | None = None


@record(eq=False)
class ImageTokens:
    """How an image becomes tokens.

    `kind`: fixed (`tokens` an image), grid (one token a `patch` x `patch` square of pixels, less or more by
    `extra`), merged (sides rounded to `patch` x `merge` pixels, one token a merged square), rows (squares of
    `patch` x `merge` pixels, the last of a row or column perhaps in part, and one more token a row), tiled (the
    image is cut by its shape: from `least` to `most` tokens, by `rule`). `side` is the fixed side in pixels of
    a grid that resizes first, and the longest one that rows leave as it is.
    """

    kind: str
    tokens: Node | None = None
    patch: Node | None = None
    merge: Node | None = None
    side: Node | None = None
    extra: int = 0
    least: Node | None = None
    most: Node | None = None
    rule: str = ""


@record(eq=False)
class Model:
    """What the files of a model say.

    `family` is the member that understood the configuration, empty where none did; then `parameters` and
    `caches` are empty, and `open` says what to give. `tied`: the head is the embedding (None: untold).
    `hidden` and `vocabulary` are those of the language part. `storage` is the number format that the
    configuration or the tensors name for unquantised values, as fiche calls it (bf16, fp16, fp32).
    """

    family: str
    model_type: str
    architecture: str
    parameters: tuple[Parameters, ...] = ()
    caches: tuple[Cache, ...] = ()
    blocks: tuple[Block, ...] = ()
    tied: bool | None = None
    hidden: Node | None = None
    vocabulary: Node | None = None
    positions: Node | None = None
    images: ImageTokens | None = None
    storage: str = ""
    config: Config | None = None
    checkpoint: Checkpoint | None = None
    open: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()
