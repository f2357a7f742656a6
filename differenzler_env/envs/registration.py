"""Environments: their ids in Gymnasium's and PettingZoo's registries.

Importing the package registers them, so ``gymnasium.make("differenzler_env:Differenzler-v0")``
needs no other import. A reload of the module registers nothing twice.
"""

import gymnasium
import pettingzoo

_SINGLE = "differenzler_env.envs.single:DifferenzlerEnv"
_VECTOR = "differenzler_env.envs.vector:DifferenzlerVectorEnv"
_MODULE = "differenzler_env.differenzler_v0"


def register_all() -> None:
    """Register ``Differenzler-v0``, ``DifferenzlerDeal-v0`` and ``differenzler_v0``."""
    for name, kwargs in (("Differenzler-v0", {}), ("DifferenzlerDeal-v0", {"deals": 1})):
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=_SINGLE, vector_entry_point=_VECTOR, kwargs=kwargs)
    if not hasattr(pettingzoo, "register"):  # its registry came with 1.27
        return
    # PettingZoo files "differenzler_v0" under "differenzler-v0" and finds it by either name.
    if "differenzler-v0" not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "differenzler_v0", entry_point=f"{_MODULE}:env")
    if "differenzler-v0" not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", "differenzler_v0", entry_point=f"{_MODULE}:parallel_env")
