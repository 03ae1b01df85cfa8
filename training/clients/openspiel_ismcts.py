"""OpenSpiel's ISMCTS plays the game, and its MCCFR learns a small one (`pip install open-spiel`)."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import external_sampling_mccfr
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from hpenv.clients import openspiel


def play(simulations: int = 20, seed: int = 1) -> list[float]:
    """One deal in which ISMCTS has every seat; returns the points of each player."""
    rng = np.random.RandomState(seed)
    game = pyspiel.load_game(f"{openspiel.NAME}(rules=set_bid)")
    bot = ISMCTSBot(game, RandomRolloutEvaluator(1, rng), 2.0, simulations, random_state=rng)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            state.apply_action(bot.step(state))
    return list(state.returns())


def learn(iterations: int = 20) -> int:
    """External-sampling MCCFR on mini2; returns how many information states it has met."""
    game = pyspiel.load_game(f"{openspiel.NAME}(rules=mini2,dealer=N)")
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(iterations):
        solver.iteration()
    return len(solver._infostates)


if __name__ == "__main__":
    print(play(), learn())
