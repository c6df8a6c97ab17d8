"""What is said: a decision and a language become sections, tables and cells. No number is made here."""
