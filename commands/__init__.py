"""The command line: `hermes cognition ...` and `python cli.py ...`.  Commands give Answers; main.py prints them."""
