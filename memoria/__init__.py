"""The Memoria API as this project uses it: one client, its errors, its records, whose memory is meant (contract
memoria-api.md).

    errors     what can go wrong, and the table that says which answer means what
    client     one HTTP client: deadline, size limit, connection reuse; the only module that speaks httpx
    models     the replies, checked (pydantic, on first use)
    api        the routes, each bound to subject, session and branch
    screen     what the server would block, and the form of a text on the wire
    identity   subject, audience, binding
    observed   a finished turn as the observe routes take it
    cache      what recall has asked already
"""
