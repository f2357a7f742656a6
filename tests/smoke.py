"""What an installed package must be able to do, with its core dependencies only.

    python smoke.py        # outside of a checkout, in the environment that it was installed into

``make release-test`` builds wheel and source archive, installs each into an empty environment and
runs this there.
"""

import contextlib
import io
import sys
from importlib import metadata
from pathlib import Path

import gymnasium
import numpy as np

import differenzler_env
from differenzler_env import Batch, Game, Rules, checkpoint, differenzler_v0
from differenzler_env.agents import load
from differenzler_env.cli import main
from differenzler_env.evaluation import evaluate

FOLDER = Path(differenzler_env.__file__).parent


def command(*words: str) -> str:
    """What a command prints; it must succeed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(words) == 0, words
    return printed.getvalue()


def run() -> None:
    assert metadata.version("differenzler-env") == differenzler_env.__version__
    assert "site-packages" in FOLDER.parts, f"{FOLDER}: not the installed package"
    assert (FOLDER / "py.typed").is_file()
    for absent in ("torch", "matplotlib", "stable_baselines3"):
        assert not list(metadata.distributions(name=absent)), f"{absent} came along"

    game = Game(Rules.swisslos(), seed=7)
    while not game.is_over:
        game.play(game.legal_actions()[0])
    batch = Batch(64, seed=7)
    while (batch.current_seat >= 0).any():
        batch.step(batch.legal_mask().argmax(axis=1))
    assert batch.settled.penalties[0].tolist() == list(game.deal_penalties)

    env = differenzler_v0.env(render_mode="rgb_array")
    env.reset(seed=7)
    assert env.render().dtype == np.uint8
    for agent in env.agent_iter():
        seen, _, termination, _, _ = env.last()
        env.step(None if termination else env.action_space(agent).sample(seen["action_mask"]))

    shipped = sorted((FOLDER / "models").glob("*.safetensors"))
    assert shipped, "no models"
    for path in shipped:
        assert path.with_suffix(".md").is_file(), f"{path.name} has no card"
        rules = checkpoint.rule_sets(path, checkpoint.read(path)[1])[0]
        model = f"models/{path.name}"  # found in the package, as there is none in this folder
        print(model, "pays", evaluate(model, "thumb", rules=rules, deals=4, seed=1).penalty().mean)

    envs = gymnasium.make_vec("differenzler_env:DifferenzlerDeal-v0", num_envs=4)
    seen, _ = envs.reset(seed=7)
    envs.step(seen["action_mask"].argmax(axis=1))
    assert load("heuristic", Rules.swisslos()).spec == "heuristic"
    for words in ("deal --seed 3", "tournament random thumb --deals 4"):
        assert command(*words.split())
    assert "torch" not in sys.modules
    print(f"differenzler-env {differenzler_env.__version__} works in {FOLDER}")


if __name__ == "__main__":
    run()
