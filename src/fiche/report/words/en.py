"""English."""

from __future__ import annotations

from fiche.kernel.remedy import STAGES
from fiche.report.words._en_alternatives import ALTERNATIVES
from fiche.report.words._en_attested import ATTESTED
from fiche.report.words._en_audit import AUDIT
from fiche.report.words._en_bill import BILL
from fiche.report.words._en_brief import BRIEF
from fiche.report.words._en_choice import CHOICE
from fiche.report.words._en_criteria import CRITERIA, KINDS, TOPICS
from fiche.report.words._en_decision import DECISION
from fiche.report.words._en_overview import OVERVIEW
from fiche.report.words._en_ownership import OWNERSHIP
from fiche.report.words._en_page import PAGE
from fiche.report.words._en_pictures import PICTURES
from fiche.report.words._en_review import REVIEW
from fiche.report.words._en_settling import SETTLING
from fiche.report.words._en_simulation import SIMULATION
from fiche.report.words._en_sizer import SIZER
from fiche.report.words._language import Language

MEMBER = Language(
    tag="en",
    plural=lambda n: 0 if n == 1 else 1,
    phrases={
        **DECISION,
        **BRIEF,
        **AUDIT,
        **SIMULATION,
        **SIZER,
        **BILL,
        **CHOICE,
        **SETTLING,
        **ALTERNATIVES,
        **OWNERSHIP,
        **CRITERIA,
        **PAGE,
        **PICTURES,
        **REVIEW,
        **OVERVIEW,
    },
    statuses={"retained": "Retained", "to_confirm": "To confirm", "excluded": "Excluded"},
    verdicts={"admissible": "Admissible", "to_confirm": "To confirm", "exclude": "Excluded"},
    wants={"admissible": "Met", "to_confirm": "To confirm", "exclude": "Not met"},
    answers={"admissible": "Fits", "to_confirm": "Not established", "exclude": "Does not fit"},
    marks={
        "computed": ("CALC", "computed"),
        "observed": ("OBS", "observed in a measurement"),
        "declared": ("DECL", "declared by maker, seller or provider"),
        "assumed": ("ASSUM", "assumed"),
        "stated": ("STATED", "stated by the fiche"),
        "unknown": ("?", "not known"),
    },
    topics={
        **TOPICS,
        "capacity": "capacity",
        "compatibility": "compatibility",
        "concurrency": "concurrency",
        "conflict": "conflict between pieces",
        "context": "context",
        "cost": "cost",
        "failure": "a failure not yet explained",
        "identity": "identity of the model",
        "memory_available": "memory really available",
        "microbatch": "microbatch",
        "near_limit": "near the limit",
        "need": "memory really needed",
        "placement": "placement",
        "quality": "quality",
        "stale": "pieces out of date",
    },
    kinds={
        **KINDS,
        "capacity": "Capacity",
        "cost": "Package cost",
        "delivery": "Delivery",
        "document": "Document",
        "host_memory": "Host memory",
        "interconnect": "Interconnect",
        "memory": "Memory",
        "power": "Power",
        "precision": "Precision",
        "quality": "Quality",
        "software": "Software",
    },
    levels={"must": "must", "want": "want"},
    roles={"short": "short", "usual": "usual", "long": "long", "limit": "limit"},
    terms={
        **ATTESTED,
        "one fresh process per series": "one fresh process per series",
        "a series inside a running process": "a series inside a running process",
        "confidentiality.public": "Public",
        "confidentiality.internal": "Internal",
        "confidentiality.confidential": "Confidential",
        "redacted.user": "users",
        "redacted.host": "hosts",
        "redacted.email": "e-mail addresses",
        "redacted.ip": "IP addresses",
        "redacted.mac": "MAC addresses",
        "redacted.token": "tokens",
        "redacted.password": "passwords",
        "redacted.key": "private keys",
        "redacted.uuid": "GPU ids",
        "redacted.serial": "serial numbers",
        "redacted.container": "containers",
        "redacted.pod": "pods",
        "success": "succeeded",
        "failure": "failed",
        "failed": "failed",
        "process_allocator": "allocator",
        "process": "process",
        "device": "whole device",
        "component": "one buffer",
        "host_process": "process, host memory",
        "host": "whole host",
        "sampled_max": "largest sample",
        "peak_delta": "growth to the peak",
        "delta": "difference",
        "image_pixels": "pixels of an image",
        "kv_heads": "KV heads",
        "floor": "floor: at least",
        "memory on the label, read in powers of two": "label: at most",
    },
    dimensions={
        "prompt_tokens": "prompt token|prompt tokens",
        "new_tokens": "new token|new tokens",
        "context_tokens": "context token|context tokens",
        "resident_sequences": "resident sequence|resident sequences",
        "concurrent_requests": "concurrent request|concurrent requests",
        "sequence_tokens": "token a sequence|tokens a sequence",
        "images": "image|images",
    },
    levers=(
        (
            "while loading",
            STAGES["loading"],
            "weights, format, a transient allocation",
            "another format under quality control; load with less held twice",
        ),
        (
            "while generating",
            STAGES["generating"],
            "context and concurrency",
            "context, resident sequences, cache strategy; the task asked for stays the same",
        ),
        (
            "in the backward pass",
            STAGES["backward"],
            "microbatch, activations, computing strategy",
            "microbatch with accumulation, or checkpointing (measure duration too, check results)",
        ),
        (
            "in evaluation",
            STAGES["evaluation"],
            "the evaluation itself",
            "the evaluation's own batch and length: reducing only the training batch does not mend it",
        ),
    ),
    item_levers=(
        ("weights", "another format, under quality control; more devices that cut them"),
        ("weights_loading", "a loader that holds less twice; a checkpoint stored as it is loaded"),
        ("kv_cache", "context, resident sequences, cache format and strategy"),
        ("cache_transients", "chunks of the prompt, or another kind of cache"),
        ("optimizer_state", "an optimizer with fewer or smaller states; sharding them"),
        ("master_weights", "sharding them, or an optimizer that keeps none"),
        ("gradients", "sharding them; freeing them between steps"),
        ("activations", "microbatch with accumulation, or checkpointing"),
        ("logits", "microbatch, or a loss by chunks"),
        ("loss", "microbatch, or a loss by chunks or fused with the head"),
    ),
    remedies=(
        ("If weights dominate", "another format, under quality control."),
        (
            "If activations dominate",
            "microbatch or checkpointing; measure duration too, check results.",
        ),
        ("If the KV cache dominates", "context, concurrency, cache strategy."),
        (
            "In every case",
            "one change at a time; a changed format must recover the minimum quality.",
        ),
    ),
    glossary=(
        "1 GB = 10⁹ bytes and 1 GiB = 2³⁰ bytes: 24 GB is 22.35 GiB. Exact bytes are in decision.json; "
        "this report rounds once, to nearest.",
        "Allocated is what the framework's tensors occupy; reserved is what its allocator holds, allocated "
        "memory included. They are never added. A peak is absolute over its period and includes what was "
        "there at its start; two peaks need not be of one instant.",
        "The label of a card (48 GB) is not what the card declares to a program, nor what is free on it.",
    ),
)
