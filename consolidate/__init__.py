"""Background consolidation: span summaries, work units, cascade, on the user's own models (auto-memory.md)."""
