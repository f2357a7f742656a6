"""A match played by an exported policy, with ONNX Runtime alone.

differenzler export models/swisslos.safetensors swisslos.onnx
python examples/onnx_runtime_match.py swisslos.onnx
"""

import sys

import onnxruntime

from differenzler_env import differenzler_v0

policy = onnxruntime.InferenceSession(sys.argv[1])
env = differenzler_v0.env()
env.reset(seed=1)
for _ in env.agent_iter():
    seen, _, over, _, _ = env.last()
    inputs = {name: seen[name][None] for name in ("observation", "action_mask")}
    env.step(None if over else int(policy.run(None, inputs)[0].argmax()))
print("penalties:", *env.unwrapped.game.penalties)
