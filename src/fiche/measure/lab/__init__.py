"""A lab to carry: one script, a notebook and a guide for a machine that has no fiche (F4, F9)."""
