"""Words for times, one module a group of languages, as tables a contributor can extend.

`PHRASES` of each module are tried in any order: of overlapping expressions the longest wins.
"""
