"""PettingZoo's loop: four seats play matches, one by a rule of its own, the others at random.

python examples/aec_loop.py --matches 50
"""

import argparse

import numpy as np

from differenzler_env import differenzler_v0, observation

TOTAL = 157


def careful(vector: np.ndarray, mask: np.ndarray) -> int:
    """Bids a quarter of the points; leads and follows high until the bid is reached, then low."""
    if vector[observation.SLICES["phase"]][0] == 1:
        return TOTAL // 4
    to_go = round(float(vector[observation.SLICES["to_go"]][0]) * TOTAL)
    cards = np.flatnonzero(mask)
    ranks = (cards - 158) % 9
    return int(cards[ranks.argmax() if to_go > 0 else ranks.argmin()])


def main() -> None:
    """Play the matches and print the mean penalties."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=50)
    matches = parser.parse_args().matches

    env = differenzler_v0.env()  # a match has four deals
    penalties = dict.fromkeys(env.possible_agents, 0.0)
    deals = 0
    for match in range(matches):
        env.reset(seed=match)
        for seat, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(1000 * match + seat)
        for agent in env.agent_iter():
            seen, reward, termination, truncation, info = env.last()
            penalties[agent] -= reward
            deals += "deal" in info  # each seat is told once of each settled deal
            if termination or truncation:
                action = None  # a dead turn: the last reward has just been told
            elif agent == "player_0":
                action = careful(seen["observation"], seen["action_mask"])
            else:
                action = env.action_space(agent).sample(seen["action_mask"])
            env.step(action)
    each = deals / len(penalties)
    told = ", ".join(f"{agent} {penalty / each:.1f}" for agent, penalty in penalties.items())
    print(f"mean penalty over {each:.0f} deals: {told}")


if __name__ == "__main__":
    main()
