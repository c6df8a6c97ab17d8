"""Published programs as loops that fiche can simulate: which program a case ran, and what that program does."""
