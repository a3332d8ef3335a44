"""The lower half of the conversation log: its file, its tables, and what has to be forgotten."""
