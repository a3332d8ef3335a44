"""The program Hypatia as this project uses it, when there is one (contract hypatia.md).

    errors    what can go wrong, and what each of it means
    values    entries, statements, lists and rows, in the one form that both transports store
    process   one child process: where it is found, what it is told of our environment, its pipes, its end
    mcp       the private `hypatia mcp` process: handshake, one request at a time, limits, restart
    tools     the operations over it
    command   the operations over the command line
    client    the one face: which transport, redaction, closing

Nothing here knows the store, the outbox or the log.
"""
