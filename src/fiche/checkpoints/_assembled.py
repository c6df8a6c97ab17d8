"""One checkpoint from its files: groups, and what the files say against each other."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from fiche.checkpoints._refusal import counted, refused, short, some
from fiche.checkpoints._tensors import MAX_TENSORS, Shard, Tensor, elements, grouped, pattern
from fiche.checkpoints.index import Index
from fiche.checkpoints.saved import write_tensors
from fiche.kernel.checkpoint import Checkpoint, TensorGroup
from fiche.kernel.config import Json
from fiche.kernel.record import replace


def assembled(
    shards: Sequence[Shard],
    *,
    file: str,
    index: Index | None = None,
    source: str = "",
    doubts: Sequence[str] = (),
) -> Checkpoint:
    """The checkpoint that these files hold together, all of one format.

    `sha256` is that of the listing that `write_tensors` makes of it. `file` names what was read,
    `source` where it came from, `doubts` are told before those found here.

    Raises:
        Refused: F815 two files hold tensors of one name that are not alike, or that no index tells
            apart, F821 parts of a GGUF that do not belong together, F823 there is no tensor at all,
            F824 too many tensors.
    """
    if shards and shards[0].format == "gguf":
        _check_parts(shards)
    merged = _merged(shards, index, file)
    groups = grouped(merged.names, merged.tensors)
    found = Checkpoint(
        format=shards[0].format,
        groups=groups,
        files=(*((index.file,) if index else ()), *(shard.file for shard in shards)),
        metadata=_metadata(shards, index),
        sha256="",
        file=file,
        doubts=(
            *doubts,
            *(doubt for shard in shards for doubt in shard.doubts),
            *merged.doubts,
            *(_index_doubts(shards, groups, index) if index else ()),
        ),
        source=source,
    )
    return replace(found, sha256=hashlib.sha256(write_tensors(found)).hexdigest())


class _Merged(NamedTuple):
    names: Collection[str]
    tensors: Collection[Tensor]
    doubts: list[str]


def _merged(shards: Sequence[Shard], index: Index | None, file: str) -> _Merged:
    """Every tensor once; copies in further shards are doubts."""
    total = sum(len(shard.tensors) for shard in shards)
    if not total:
        raise refused("F823", file, "there is no tensor in it", "name the file that holds weights")
    if total > MAX_TENSORS:
        message = f"its files list {total} tensors"
        raise refused("F824", file, message, f"no more than {MAX_TENSORS} are read")
    if shards[0].format == "pytorch_bin":
        # Storages are numbered anew in each file: the numbers say nothing.
        held_by = [tensor for shard in shards for tensor in shard.tensors.values()]
        return _Merged(["data/*"] * total, held_by, [])
    held: dict[str, Tensor] = {}
    for shard in shards:
        held.update(shard.tensors)
    copies = _copied(shards, index, file) if len(held) < total else []
    return _Merged(held.keys(), held.values(), list(_copies(copies, held)))


def _copied(shards: Sequence[Shard], index: Index | None, file: str) -> list[str]:
    """Names that stand in several files, alike in all of them."""
    held: dict[str, Tensor] = {}
    copies: list[str] = []
    for shard in shards:
        for name in sorted(held.keys() & shard.tensors.keys()):
            if held[name] != shard.tensors[name] or index is None:
                raise _twice(name, shard, file)
            copies.append(name)
        held.update(shard.tensors)
    return sorted(copies)


def _twice(name: str, shard: Shard, file: str) -> Exception:
    message = f"tensor '{short(name)}' stands in {short(shard.file.name)} and in another file"
    return refused("F815", file, message, "name the one file or index that is loaded")


def _copies(names: list[str], held: Mapping[str, Tensor]) -> Iterator[str]:
    if names:
        num_bytes = sum(held[name].num_bytes for name in names)
        told = counted(len(names), "tensor")
        yield f"{told} stored more than once ({num_bytes} B more, counted once): {some(names)}"


def _metadata(shards: Sequence[Shard], index: Index | None) -> dict[str, Json]:
    """What the first file and the index say beside tensors, the index last."""
    found = {key: value for key, value in shards[0].metadata.items() if key != "split.no"}
    if index is not None:
        found |= index.metadata
        if shards[0].format == "pytorch_bin":
            found["weight_map"] = dict(sorted(_patterns(index).items()))
    return found


def _patterns(index: Index) -> dict[str, Json]:
    """How many tensors have each name but for its numbers: all that a pickled shard leaves known."""
    counts: dict[str, int] = {}
    for name in index.weight_map:
        key = pattern(name)
        counts[key] = counts.get(key, 0) + 1
    return dict(counts)


def _index_doubts(
    shards: Sequence[Shard], groups: Sequence[TensorGroup], index: Index
) -> Iterator[str]:
    named = index.file.name
    yield from _size_doubts(groups, index, shards[0].format)
    if shards[0].format == "pytorch_bin":
        return
    if _as_told(shards, index):
        return
    places = {name: shard.file.name for shard in shards for name in shard.tensors}
    missing = [name for name in index.weight_map if name not in places]
    if missing:
        yield f"{named} names {counted(len(missing), 'tensor')} that no file holds: {some(missing)}"
    extra = [name for name in places if name not in index.weight_map]
    if extra:
        told = counted(len(extra), "tensor")
        yield f"{told} in the files that {named} does not name (counted): {some(extra)}"
    moved = _moved(shards, index)
    if moved:
        told = counted(len(moved), "tensor")
        yield f"{told} in another file than {named} says: {some(moved)}"


def _as_told(shards: Sequence[Shard], index: Index) -> bool:
    """True where each file holds what the index says and nothing else, as nearly all do."""
    told = index.weight_map.get
    return sum(len(shard.tensors) for shard in shards) == len(index.weight_map) and all(
        set(map(told, shard.tensors)) <= {shard.file.name} for shard in shards
    )


def _moved(shards: Sequence[Shard], index: Index) -> list[str]:
    """Tensors that exist, but not in the file that the index names."""
    held = {shard.file.name: shard.tensors for shard in shards}
    everywhere = {name for shard in shards for name in shard.tensors}
    return [
        name
        for name, file in index.weight_map.items()
        if name not in held.get(file, {}) and name in everywhere
    ]


def _size_doubts(groups: Sequence[TensorGroup], index: Index, kind: str) -> Iterator[str]:
    """Both totals of an index may be wrong: some count tied tensors twice, some unpacked values."""
    stored = sum(group.count * group.num_bytes for group in groups)
    what = "storages" if kind == "pytorch_bin" else "tensors"
    yield from _total_doubt(index, "total_size", stored, f"B, its {what} hold {stored} B")
    if kind != "pytorch_bin":
        values = sum(
            group.count * elements(Tensor(group.dtype, group.shape, group.num_bytes))
            for group in groups
        )
        tail = f"values, its tensors hold {values} values as stored"
        yield from _total_doubt(index, "total_parameters", values, tail)


def _total_doubt(index: Index, key: str, found: int, tail: str) -> Iterator[str]:
    told = index.metadata.get(key)
    if told is not None and told != found:
        yield f"{index.file.name}: {key} says {short(str(told))} {tail}"


def _check_parts(shards: Sequence[Shard]) -> None:
    """Parts of a split GGUF number themselves, and the first says how many tensors all have."""
    for place, shard in enumerate(shards):
        told = shard.metadata.get("split.count", 1), shard.metadata.get("split.no", 0)
        # A file that was never split says nothing; gguf-split writes a count of 0 or 1 for none.
        if told[0] in (0, 1) and len(shards) == 1:
            return
        if told != (len(shards), place):
            message = f"it says that it is part {_part(told[1])} of {told[0]}"
            hint = f"it was read as part {place + 1} of {len(shards)}: name files as they were"
            raise refused("F821", shard.file.name, message, hint)
    total = shards[0].metadata.get("split.tensors.count")
    held = sum(len(shard.tensors) for shard in shards)
    if total is not None and total != held:
        message = f"it says that all parts have {total} tensors; they have {held}"
        raise refused("F821", shards[0].file.name, message, "copy all parts of one model")


def _part(number: Json) -> str:
    return str(number + 1) if isinstance(number, int) else short(str(number))
