"""Bytes to typed values with file, line and column; this room never judges, estimates or fills in."""
