"""Listings of offers: one format a module, and our own form of offers read as columns."""
