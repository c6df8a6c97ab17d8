"""x"""
from fiche.kernel.decision import Decision
def check_text(decision: Decision, *, width: int, colour: bool) -> str:
    return ""
