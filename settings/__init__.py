"""Settings in parts: the table of keys, checks of values, layers, writing, the form, the questions.

`config.py` is the face; the rest of the plugin imports from there.
"""
