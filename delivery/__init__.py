"""Delivery: the parts behind the two faces `outbox.py` and `queue.py`.

Below `outbox.py`: limits, errors, files, forks, schema, rows, database, quarantine, earlier, spill, retention.
Above it, behind `queue.py`: policy, worker, push_queue; and review, which the commands use.
"""
