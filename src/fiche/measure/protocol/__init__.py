"""The protocol of a measurement, on the standard library alone; PyTorch is imported when it measures.

These modules import nothing else of fiche and run on Python 3.9, because they also travel as one
script to machines that have no fiche (F9).
"""
