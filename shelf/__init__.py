"""What goes out to a Hypatia shelf, and how far it has come (contract hypatia.md; docs/hypatia.md)."""
