"""Learning on a small game, measured: how far the policy is from equilibrium while it learns.

    python -m hpenv.training.small_games.learning --rules mini2 --run-dir runs/mini2 \\
        --total-timesteps 4e6 --save-interval 5e5

trains as `hpenv train` does, with the same options. Whenever the run is saved, the policy, all seats
drawing their actions by its probabilities, is measured exactly: `exact.csv` in the run's folder and the
curves `exact/...` of TensorBoard get the value for the dealer's side, what one seat gains by its best
response (averaged over the seats), and what two partners who see each other's cards would get (averaged
over the sides: an upper bound for two who do not). An equilibrium has 0 for the gain of every seat.
"""

import csv
import sys
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from hpenv.agents.learned import Learned
from hpenv.rules import get_rules
from hpenv.seats import N_SEATS
from hpenv.training.cli.main import parse
from hpenv.training.options import Args, check
from hpenv.training.ppo import Learner, train
from hpenv.training.self_play import frozen
from hpenv.training.small_games.agents import policy_of, views_of
from hpenv.training.small_games.deals import check_size
from hpenv.training.small_games.growing import PAIRS
from hpenv.training.small_games.sweeps import Policy, best_response, points_of, run_sweep, sign_of
from hpenv.training.small_games.tree import Tree, build_tree

FILE = "exact.csv"


def distances(tree: Tree, policy: Policy) -> dict[str, float]:
    """How far a policy is from equilibrium, in points per deal: see the top of this file."""
    points = points_of(tree)
    value = run_sweep(tree, points, policy)
    best = [best_response(tree, points, policy, player)[0] for player in range(PAIRS + 2)]
    gains = [best[seat] - sign_of(seat) * value for seat in range(N_SEATS)]
    return {
        "value": value,
        "best_response_seat": float(np.mean(gains)),
        "best_response_team_upper": float(np.mean(best[PAIRS:])),
    }


class Measured(Learner):
    """A learner whose policy is measured whenever it is saved."""

    def __init__(self, args: Args, device: torch.device) -> None:
        super().__init__(args, device)
        self.tree = build_tree(args.rules[0])
        self.views = list(views_of(self.tree))

    def save(self, self_play: Any) -> None:
        super().save(self_play)
        agent = Learned(frozen(self.policy), sample=True)
        policy, _ = policy_of(self.tree, agent, views=self.views)
        found = distances(self.tree, policy)
        path = self.folder / FILE
        begun = path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            if not begun:
                rows.writerow(["timesteps", *found])
            rows.writerow([self.timesteps, *found.values()])
        with SummaryWriter(str(self.folder), filename_suffix=".exact") as writer:
            for name, value in found.items():
                writer.add_scalar(f"exact/{self.args.rules[0]}/{name}", value, self.timesteps)


def learn(args: Args) -> Learner:
    """Train as `args` say, measuring at every save. Raises ValueError for options that make no sense,
    and unless there is one preset with few cards."""
    check(args)
    if len(args.rules) != 1:
        raise ValueError(f"rules: one preset at a time here, not {' '.join(args.rules)}")
    check_size(get_rules(args.rules[0]))
    return train(args, Measured)


def main() -> None:
    """Train with the options of the command line."""
    args = parse(Args, "python -m hpenv.training.small_games.learning", sys.argv[1:])
    if args is not None:
        learn(args)


if __name__ == "__main__":
    main()
