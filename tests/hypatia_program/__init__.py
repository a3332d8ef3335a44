"""A stand-in for the program `hypatia`, for tests (contract hypatia.md, section 11; H40).

Run as `python tests/hypatia_program <command> …`: the data commands, `list`, `connect`, `disconnect` and `mcp`, over
one SQLite file that holds several shelves.  Both transports are thin: what they do is done once, in `shelf.py`.
The module `switches` documents the environment variables; `hypatia_home` puts the program on a PATH and reads the file.
"""
