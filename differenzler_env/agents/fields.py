"""Agents: named fields. A name with a version, such as ``@v0``, always stands for the same
opponents, so that figures measured at different times and by different people compare.

A field may hold more agents than a table has room for: evaluation then lets all of them take turns.
Once released, a field does not change; a better one gets a new name.
"""

FIELDS: dict[str, tuple[str, ...]] = {
    "v0": ("random", "constant?bid=35", "thumb"),
}
"""Name without ``@`` → specs. ``v0``: the baselines of the first release."""
