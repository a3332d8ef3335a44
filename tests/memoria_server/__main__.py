"""`python -m memoria_server`, with tests/ on the path."""

from .contract import main

main()
