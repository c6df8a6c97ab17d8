"""Addresses, serial numbers and ids in a text: what names one machine, device or container."""

from __future__ import annotations

import re

from fiche.importers._redaction import IS, UUID, is_ipv4, is_ipv6, is_mac, rule
from fiche.kernel.secret_shapes import EDGE

IDS = (
    rule(
        "email",
        EDGE
        + rb"(?<![.%+-])(?P<it>[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![\w-])",
        b"@",
    ),
    rule(
        "uuid",
        EDGE + rb"(?<!-)(?P<it>(?:MIG-)?(?:GPU|MIG|DLA|VGPU)-" + UUID + rb")",
        b"gpu-",
        b"mig-",
        b"dla-",
    ),
    rule("uuid", rb"(?i)\b(?:gpu_?|device_?)?uuid" + IS + rb"(?P<it>" + UUID + rb")\b", b"uuid"),
    rule("uuid", rb"(?i)unique[ _]id" + IS + rb"(?P<it>0x[0-9a-f]{6,32})\b", b"unique"),
    rule(
        "serial",
        rb"(?i)\bserial(?:[ _-]?(?:number|no\.?))?\\?[\"']?[ \t]{0,40}[=:>][ \t]{0,8}\\?[\"']?"
        rb"(?P<it>[A-Z0-9-]{4,40})\b",
        b"serial",
        accepts=lambda found: bool(re.search(rb"[0-9]", found["it"])),
    ),
    rule(
        "mac",
        EDGE + rb"(?<![:-])(?P<it>(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2})(?![\w:-])",
        b":",
        b"-",
        accepts=is_mac,
        hint=rb"[:-][0-9a-f]{2}[:-][0-9a-f]{2}[:-][0-9a-f]{2}[:-]",
    ),
    rule(
        "ip",
        EDGE + rb"(?<!\.)(?P<it>(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}"
        rb"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|"
        rb"[1-9]?[0-9]))(?![\w-]|\.[0-9])",
        b".",
        accepts=is_ipv4,
        hint=rb"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]",
    ),
    rule(
        "ip",
        EDGE
        + rb"(?<![:.])(?P<it>(?=[0-9A-Fa-f:]{2,45})[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,40}(?:%[A-Za-z0-9]{1,15})?)"
        rb"(?![\w:]|\.[0-9])",
        b":",
        accepts=is_ipv6,
        hint=rb":(?::|[0-9a-f]{1,4}:[0-9a-f]{1,4}:[0-9a-f]{1,4}:[0-9a-f]{1,4}:)",
    ),
    rule("ip", rb"\bip-(?P<it>[0-9]{1,3}(?:-[0-9]{1,3}){3})(?![0-9-])", b"ip-"),
)

CONTAINERS = (
    rule(
        "container",
        rb"(?i)(?:docker|containerd|crio|cri-o|cri-containerd|libpod|podman|container|sandbox)"
        rb"(?:://|[-_/]|[_ -]?id" + IS + rb"|[ \t]{1,4})(?P<it>[0-9a-f]{12,64})(?![0-9a-z])",
        b"docker",
        b"containerd",
        b"crio",
        b"cri-o",
        b"libpod",
        b"podman",
        b"container",
        b"sandbox",
    ),
    rule(
        "pod",
        rb"(?i)(?:\bpod(?:_?uid)?[-_/]?|kubelet/pods/)"
        + rb"(?P<it>[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_]"
        rb"[0-9a-f]{4}[-_][0-9a-f]{12})",
        b"pod",
    ),
    rule(
        "pod",
        rb"(?i)(?:\bpods?/|\bpod(?:_?name)?"
        + IS
        + rb"|\bpod[ \t]{1,4}[\"'])(?P<it>[a-z0-9][a-z0-9.-]{2,252})",
        b"pod",
        learned=True,
    ),
)
