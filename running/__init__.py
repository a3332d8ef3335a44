"""The parts of a runtime: what recalls, what tells its state, what keeps the conversation log, what recovers."""
