"""The nouns of fiche and their laws; no file, no clock, no environment, no other room."""
