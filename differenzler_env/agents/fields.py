"""Agents: named fields. A name with a version, such as ``@v0``, always stands for the same
opponents, so that figures measured at different times and by different people compare.

A field may hold more agents than a table has room for: evaluation then lets all of them take turns.
Once released, a field does not change; a better one gets a new name.
"""

FIELDS: dict[str, tuple[str, ...]] = {
    "v0": ("random", "constant?bid=35", "thumb"),
    "v1": ("heuristic", "search?worlds=20", "models/swisslos-1.safetensors"),
}
"""Name without ``@`` → specs.

* ``v0``: the baselines of the first release, for all rules.
* ``v1``: three families of players, all worth beating, for the rules ``swisslos`` as its network
  is. That file has a name of its own, which no later policy takes over.
"""
