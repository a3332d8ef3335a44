"""The outbox's file: schema, rows, connections, spill, quarantine, retention.  Its face is outbox.py."""
