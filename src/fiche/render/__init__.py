"""Bytes out: HTML, PDF, JSON and terminal text of one report. No judgement, no number of its own."""
