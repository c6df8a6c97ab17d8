"""`nvidia-smi topo -m`: how the GPUs of one machine are joined (evidence_formats 7). It holds no memory.

NV12 is twelve bonded NVLinks: a count of links, no bandwidth. X is the device itself; NODE, SYS, PHB,
PXB and PIX are ways over PCIe and the processor.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_rows import Row, mostly, places, rows
from fiche.importers._refusal import refused
from fiche.importers._scan import Lines
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.fact import Fact
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WAY = lazy(r"X|NV[0-9]{1,3}|PIX|PXB|PHB|NODE|SYS|SOC|PIX\*|P2P|C2C|UPI|N/A")
_GPU = lazy(r"GPU([0-9]{1,3})")
_HEAD = lazy(r"(?:^|\s)GPU[0-9]{1,3}\s{1,20}(?:GPU[0-9]{1,3}|CPU Affinity|NIC[0-9]|mlx)")
_NIC = lazy(r"^\s{0,8}(NIC[0-9]{1,3}):\s{1,4}(\S{1,40})\s{0,8}$")
_AFFINITIES = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
_RANGE = lazy(r"[0-9]{1,4}(?:-[0-9]{1,4})?(?:,[0-9]{1,4}(?:-[0-9]{1,4})?){0,200}")
_MOST = 128
_OWN = lazy(rb"GPU[0-9]|NIC|Legend|mlx|^\s{0,8}\S{1,4}\s{1,4}= ")
_WORDS = (b"CPU Affinity", b"NUMA Affinity", b"\tGPU0", b"Legend:")


@dataclass(slots=True)
class _Matrix:
    """A matrix: names of its columns, ways by pair, NUMA nodes, names of network cards."""

    columns: list[str] = field(default_factory=list)
    affinities: list[str] = field(default_factory=list)
    row_of: dict[int, Row] = field(default_factory=dict)
    ways: dict[tuple[int, int], str] = field(default_factory=dict)
    network: dict[tuple[int, str], str] = field(default_factory=dict)
    numa: dict[int, str] = field(default_factory=dict)
    cards: dict[str, str] = field(default_factory=dict)


def read(content: bytes, sha256: str) -> Reading:
    """Each pair of GPUs once with the way between them, and the NUMA node of each GPU.

    Raises:
        Refused: no row of a GPU is in it (F424), or the matrix contradicts itself or breaks off (F429).
    """
    matrix = _matrix(content)
    if matrix is None or not matrix.row_of:
        raise nothing_found(content, sha256, "the matrix of nvidia-smi topo -m")
    gpus = [int(match[1]) for name in matrix.columns if (match := _GPU.fullmatch(name))]
    missing = [gpu for gpu in gpus if gpu not in matrix.row_of]
    if missing:
        hint = "copy the table again: every GPU of the heading has a row"
        message = f"the matrix breaks off: there is no row of GPU{missing[0]}"
        raise refused("F429", message, sha256, line=_last(matrix), hint=hint)
    _symmetric(matrix, sha256)
    sheet = Sheet(sha256)
    sheet.further["links"] = [
        [one, two, matrix.ways[one, two]]
        for one in gpus
        for two in gpus
        if one < two and (one, two) in matrix.ways
    ]
    sheet.further["numa"] = {str(gpu): node for gpu, node in matrix.numa.items()}
    _facts(matrix, sheet)
    if matrix.network:
        sheet.further["network"] = [[gpu, nic, way] for (gpu, nic), way in matrix.network.items()]
    if matrix.cards:
        sheet.further["network_cards"] = matrix.cards
    sheet.warn(
        tell(
            "topology: which links join the GPUs is printed, their bandwidth is not; the indices "
            "are those of the tool, a program may count otherwise (CUDA_DEVICE_ORDER)"
        )
    )
    return sheet.reading("nvidia_smi_topo", "topo-m", nvml.BACKEND)


def _matrix(content: bytes) -> _Matrix | None:
    """The first matrix of a file: its heading, its rows, and the names of network cards below it."""
    lines = Lines(content)
    for start in places(content, b"GPU0"):
        matrix = _Matrix()
        for count, row in enumerate(rows(content, start, None, lines)):
            if count > _MOST or (count and _HEAD.search(row.text)):
                break  # another matrix begins
            if not matrix.columns:
                if not _heading(row, matrix):
                    break
            else:
                _row(row, matrix)
        if matrix.row_of:
            return matrix
    return None


def _heading(row: Row, matrix: _Matrix) -> bool:
    """Columns are parted by tabs, or by blanks once they were pasted; two names hold a blank."""
    text = row.text
    if not _HEAD.search(text):
        return False
    for name in _AFFINITIES:
        if name in text:
            matrix.affinities.append(name)
            text = text.replace(name, " ")
    names = text.split()
    first = next(place for place, name in enumerate(names) if _GPU.fullmatch(name))
    matrix.columns = names[first : first + _MOST]
    return True


def _row(row: Row, matrix: _Matrix) -> None:
    card = _NIC.match(row.text)
    if card is not None:
        matrix.cards[card[1]] = card[2]
        return
    found = row.text.split()
    start = next((p for p, word in enumerate(found[:6]) if _GPU.fullmatch(word)), None)
    if start is None:
        return
    gpu = int(found[start][3:])
    ways = found[start + 1 : start + 1 + len(matrix.columns)]
    if len(ways) < len(matrix.columns) or not all(_WAY.fullmatch(way) for way in ways):
        return
    matrix.row_of.setdefault(gpu, row)
    for name, way in zip(matrix.columns, ways, strict=True):
        other = _GPU.fullmatch(name)
        if other is not None and int(other[1]) != gpu:
            matrix.ways[gpu, int(other[1])] = way
        elif other is None:
            matrix.network[gpu, name] = way
    node = _node(row.text, found[start + 1 + len(matrix.columns) :], matrix)
    if node is not None:
        matrix.numa[gpu] = node


def _node(text: str, rest: list[str], matrix: _Matrix) -> str | None:
    """The NUMA node: the column behind the CPUs; tools before R510 print only these."""
    if "NUMA Affinity" not in matrix.affinities:
        return None
    at = matrix.affinities.index("NUMA Affinity")
    cells = text.split("\t")
    if len(cells) > 1 + len(matrix.columns) + at:  # as printed: an empty cell stays empty
        told = cells[1 + len(matrix.columns) + at].strip()
    else:
        told = rest[at] if len(rest) >= len(matrix.affinities) else ""
    return told if told and (_RANGE.fullmatch(told) or told == "N/A") else None


def _symmetric(matrix: _Matrix, sha256: str) -> None:
    for (one, two), way in matrix.ways.items():
        back = matrix.ways.get((two, one))
        if back is not None and back != way:
            message = f"GPU{one} to GPU{two} is {way}, and {back} the other way round"
            hint = "the table was edited, or two tables are mixed; copy it again"
            line = matrix.row_of[one].number if one in matrix.row_of else None
            raise refused("F429", message, sha256, line=line, hint=hint)


def _last(matrix: _Matrix) -> int | None:
    return max((row.number for row in matrix.row_of.values()), default=None)


def _facts(matrix: _Matrix, sheet: Sheet) -> None:
    """What an interconnect can be read from: `links.0-1: NV12`; `interconnect` where all pairs share it."""
    links = {}
    for (one, two), way in matrix.ways.items():
        if one < two:
            place = matrix.row_of[one].pointer(sheet.sha256)
            sheet.facts[f"links.{one}-{two}"] = Fact(value=way, address=place)
            links["NVLink" if way.startswith("NV") else "PCIe"] = place
    if len(links) == 1:
        link, place = links.popitem()
        sheet.facts["interconnect"] = Fact(value=link, address=place)
    sheet.counters["gpus"] = len(matrix.row_of)
    sheet.counters["pairs_joined_by_nvlink"] = sum(
        way.startswith("NV") for (one, two), way in matrix.ways.items() if one < two
    )


def accepts(content: bytes, name: str) -> int:
    """90 for a matrix with a row of a GPU, 50 where other lines are more."""
    if b"GPU0" not in content or not any(word in content for word in _WORDS):
        return 0
    matrix = _matrix(content[:1_048_576])
    if matrix is None or not matrix.row_of:
        return 0
    return 90 if mostly(content, _OWN) else 50


MEMBER = Importer(
    name="nvidia_smi_topo",
    title="Topology matrix of nvidia-smi topo -m",
    accepts=accepts,
    read=read,
    anchors=(b" X ", b"Affinity"),
    log=True,
)
