"""Model files for tests: written byte by byte, so that each may be wrong in one place."""

import json
import struct
import zipfile
from io import BytesIO

import pytest

from fiche.kernel.diagnostic import Refused


class Bytes:
    """A source in memory that remembers how much it was asked for."""

    def __init__(self, content, name="model.x", length=None):
        self.content, self.name, self.told = content, name, length
        self.asked = []

    def length(self):
        return len(self.content) if self.told is None else self.told

    def part(self, start, count):
        """What lies behind the content, of a file that says that it is longer, is zeros."""
        self.asked.append(count)
        end = min(start + count, self.length())
        found = self.content[start:end]
        return found + bytes(max(0, end - start - len(found)))


def refusals(read, *args, **named):
    with pytest.raises(Refused) as caught:
        read(*args, **named)
    assert all(each.message and each.hint for each in caught.value.diagnostics)
    return caught.value.diagnostics


def code(read, *args, **named):
    """The one code with which something is refused."""
    (each,) = refusals(read, *args, **named)
    return each.code


# --- safetensors --------------------------------------------------------------------------------


def safetensors(header, data=b"", length=None):
    """A file with this header, a dict or the JSON itself."""
    text = header if isinstance(header, bytes) else compact(header)
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def entry(dtype, shape, start, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


# --- GGUF ---------------------------------------------------------------------------------------


class Gguf:
    """Bytes of a GGUF by parts, in any version and byte order."""

    def __init__(self, version=3, order="<", alignment=32):
        self.version, self.order, self.alignment = version, order, alignment
        self.values, self.tensors, self.data = [], [], b""

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def count(self, value):
        return self.pack("I" if self.version == 1 else "Q", value)

    def text(self, word):
        raw = word if isinstance(word, bytes) else word.encode()
        return self.count(len(raw)) + raw

    def value(self, key, kind, raw):
        self.values.append(self.text(key) + self.pack("I", kind) + raw)
        return self

    def tensor(self, name, sides, kind, num_bytes, offset=None):
        at = len(self.data) if offset is None else offset
        shape = b"".join(self.count(side) for side in sides)
        told = self.text(name) + self.pack("I", len(sides)) + shape + self.pack("IQ", kind, at)
        self.tensors.append(told)
        self.data += bytes(num_bytes)
        self.data += bytes(-len(self.data) % self.alignment)
        return self

    def content(self, num_tensors=None, num_values=None):
        head = b"GGUF" + self.pack("I", self.version)
        head += self.count(len(self.tensors) if num_tensors is None else num_tensors)
        head += self.count(len(self.values) if num_values is None else num_values)
        head += b"".join(self.values) + b"".join(self.tensors)
        return head + bytes(-len(head) % self.alignment) + self.data


def small_gguf(version=3, order="<"):
    """Two blocks and an output, F32 and Q4_K, a list by layer and a vocabulary."""
    made = Gguf(version, order)
    made.value("general.architecture", 8, made.text("llama"))
    made.value("llama.block_count", 4, made.pack("I", 2))
    made.value("llama.rope.freq_base", 6, made.pack("f", 500000.0))
    made.value("llama.heads", 9, made.pack("I", 5) + made.count(2) + made.pack("ii", 8, 4))
    words = b"".join(made.text(f"w{n}") for n in range(100))
    made.value("tokenizer.ggml.tokens", 9, made.pack("I", 8) + made.count(100) + words)
    made.value("tokenizer.ggml.add_bos_token", 7, b"\x01")
    for layer in range(2):
        made.tensor(f"blk.{layer}.ffn_up.weight", (512, 3), 12, 3 * 2 * 144)
    return made.tensor("output_norm.weight", (8,), 0, 32)


# --- torch.save ---------------------------------------------------------------------------------


def torch_zip(*storages, names=None, method=zipfile.ZIP_STORED, root="archive"):
    """An archive as torch.save lays it out; its pickle is no pickle: nobody may open it."""
    held = BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        archive.writestr(f"{root}/data.pkl", b"never opened")
        archive.writestr(f"{root}/byteorder", b"little")
        for place, num_bytes in enumerate(storages):
            archive.writestr(f"{root}/data/{place}", bytes(num_bytes))
        for name in names or ():
            archive.writestr(name, b"x")
    return held.getvalue()
