"""The arithmetic of weights and of an assumed reserve, exact to the byte (B1 to B3)."""

from __future__ import annotations

from fractions import Fraction

# A decimal and a binary family of units: 1 GB = 10^9 bytes, 1 GiB = 2^30 bytes, and neither is the other (B1).
DECIMAL_UNITS: tuple[tuple[str, int], ...] = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
BINARY_UNITS: tuple[tuple[str, int], ...] = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
FORMAT_WIDTHS = (32, 16, 8, 4)
LEFT_OUT = """\
Left out, so that this is no peak and no promise that anything fits:
  - quantisation metadata (scales, zero points), modules kept in another format
  - KV cache, activations, gradients, optimizer states
  - working memory, transient loading, uses outside the process
"""


def weights_bytes(parameters: int, bits: int) -> int:
    """Bytes of a dense set of values of one width, the last byte begun counted whole (B2)."""
    return -(-parameters * bits // 8)


def reserve_bytes(amount: Fraction, unit_bytes: int) -> int:
    """An assumed reserve in whole bytes, to nearest."""
    exact = amount * unit_bytes
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def two_decimals(count: int, unit_bytes: int) -> str:
    """Bytes in a unit with two decimals, rounded once, to nearest."""
    hundredths = (200 * count + unit_bytes) // (2 * unit_bytes)
    return f"{grouped(hundredths // 100)}.{hundredths % 100:02d}"


def grouped(count: int) -> str:
    """Digits in groups of three: `14 000 000 000`."""
    return f"{count:,}".replace(",", " ")


def in_unit(count: int, units: tuple[tuple[str, int], ...]) -> str:
    """Bytes in the largest unit of a family of which there is a tenth; the unit is always said."""
    for word, unit_bytes in units:
        if 10 * count >= unit_bytes:
            return f"{two_decimals(count, unit_bytes)} {word}"
    return f"{grouped(count)} B" if count else f"0.00 {units[0][0]}"


def equal_amounts(count: int) -> str:
    """`14 000 000 000 B = 14.00 GB = 13.04 GiB`."""
    return " = ".join(
        (f"{grouped(count)} B", in_unit(count, DECIMAL_UNITS), in_unit(count, BINARY_UNITS))
    )


def estimate_text(parameters: int, bits: int, reserve: int) -> str:
    """Weights, envelope, and what the stored width alone changes; what is left out stands below (B8).

    `reserve` is in bytes and assumed: it stands in for what nobody has measured.
    """
    weights = weights_bytes(parameters, bits)
    lines = [
        "By arithmetic alone: nothing here was measured.",
        "",
        f"weights   {equal_amounts(weights)}",
        *([f"reserve   {equal_amounts(reserve)} (assumed)"] if reserve else []),
        f"envelope  {equal_amounts(weights + reserve)}",
        "",
        *_widths_table(parameters, reserve),
        "The effect of the stored width alone: no line is a peak, and at 4 bits least of all.",
        "",
    ]
    return "\n".join(lines) + LEFT_OUT


def _widths_table(parameters: int, reserve: int) -> list[str]:
    rows = [("bits", "weights, GB", "weights, GiB", "with the same reserve, GiB")]
    for bits in FORMAT_WIDTHS:
        weights = weights_bytes(parameters, bits)
        decimal, binary = _in_column(weights, 10**9), _in_column(weights, 2**30)
        rows.append((str(bits), decimal, binary, _in_column(weights + reserve, 2**30)))
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    return ["  ".join(row[place].rjust(widths[place]) for place in range(4)) for row in rows]


def _in_column(count: int, unit_bytes: int) -> str:
    """What is there but rounds to nothing is said, and is no zero (C2)."""
    text = two_decimals(count, unit_bytes)
    return "< 0.01" if count and text == "0.00" else text
