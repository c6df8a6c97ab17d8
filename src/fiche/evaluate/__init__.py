"""Judgement: the one rule, folding, order, second reading; it receives its doors as arguments."""
