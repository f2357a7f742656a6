"""OpenSpiel: its IS-MCTS bot learns nothing and searches; three of this package's agents sit by.

python examples/openspiel_ismcts.py --deals 8        # pip install 'differenzler-env[openspiel]'
"""

import argparse

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts

from differenzler_env import Game, Rules
from differenzler_env.adapters.openspiel import load_game
from differenzler_env.adapters.openspiel_bots import AgentBot, Resampler


def main() -> None:
    """Play, the bot in each seat in turn; then compare the returns with the games played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=8)
    parser.add_argument("--simulations", type=int, default=200, help="of each search")
    parser.add_argument("--opponents", default="thumb", help="an agent, or a checkpoint")
    options = parser.parse_args()

    game = load_game(Rules(deals=1))
    draws = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, draws)
    search = ismcts.ISMCTSBot(game, evaluator, 40, options.simulations, random_state=draws)
    search.set_resampler(Resampler(seed=1))  # how to draw what a seat cannot see
    others = AgentBot(game, options.opponents)

    booked, replayed, penalties = 0.0, 0, np.zeros(2)
    for deal in range(options.deals):
        hero = deal % 4
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                action = draws.choice(outcomes, p=chances)
            else:
                bot = search if state.current_player() == hero else others
                action = bot.step(state)
            state.apply_action(int(action))
        returns = state.returns()
        booked += sum(returns)
        replayed += sum(Game.from_record(state.match.to_record()).penalties)
        penalties -= [returns[hero], (sum(returns) - returns[hero]) / 3]
        print(f"deal {deal + 1}: {state.match.notation()}", flush=True)
    mean = penalties / options.deals
    print(f"mean penalty over {options.deals} deals: search {mean[0]:.1f}, others {mean[1]:.1f}")
    print(f"booked {booked:.0f}, penalties replayed {replayed}")


if __name__ == "__main__":
    main()
