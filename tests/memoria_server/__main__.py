"""`python -m memoria_server`, with tests/ on the path."""

from .app import main

main()
