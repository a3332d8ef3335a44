"""What is told and what it costs: token estimate, line forms, escaping.  Its face is budget.py."""
