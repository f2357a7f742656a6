"""A match played by an exported policy, with ONNX Runtime alone.

differenzler export models/swisslos.safetensors swisslos.onnx
python examples/onnx_runtime_match.py swisslos.onnx
"""

import sys

import onnxruntime

from differenzler_env import differenzler_v0
from differenzler_env.envs.ledger import Ledger

policy = onnxruntime.InferenceSession(sys.argv[1])
env = Ledger(differenzler_v0.env())
env.reset(seed=1)
booked = 0.0
for _ in env.agent_iter():
    seen, reward, over, _, _ = env.last()
    booked += reward
    inputs = {name: seen[name][None] for name in ("observation", "action_mask")}
    env.step(None if over else int(policy.run(None, inputs)[0].argmax()))
print(f"booked {booked:.0f}, penalties replayed {env.penalties().sum()}")
