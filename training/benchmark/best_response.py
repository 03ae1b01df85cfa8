"""How much an agent can be beaten by: a best response trained against it, measured in duplicate deals.

The project's own PPO plays one side of every table against the frozen agent, so it learns nothing but
to beat this one. What it gains is a **lower bound on exploitability** (of the pair of seats of a side):
a better learner, or a longer run, might gain more, so a small gain proves nothing by itself. Hence the
power check: the same run, against an agent known to be weak, has to gain. Small games need it as much:
under `mini2` a million timesteps find hardly anything against `rule_based`, under `mini3` not even a
tie. A check worth the name is one of the full game, which has to gain 0.3 points per deal or more:

    hpenv exploit rule_based --rules set_bid --init-from RUN --total-timesteps 5e6

From scratch that takes longer than 20 million timesteps; begun with a trained policy it takes few.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpenv.agents.agent import make_agent, make_player
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import Watcher, check_number, duplicate_match
from hpenv.training.benchmark.outcomes import finite
from hpenv.training.benchmark.results import MatchResult
from hpenv.training.options import Args

MEASURE = "lower bound on exploitability"


@dataclass(frozen=True)
class BestResponse:
    """match: of the response, as A, against the agent. folder: of the run that trained the response."""

    agent: str
    timesteps: int
    folder: Path
    match: MatchResult

    def as_json(self) -> dict[str, Any]:
        match = self.match
        return {
            "agent": self.agent,
            "rules": match.rules.name(),
            "measure": MEASURE,
            "gain": match.mean,
            "low": finite(match.low),
            "high": finite(match.high),
            "deals": match.deals,
            "deals_hash": match.deals_hash,
            "timesteps": self.timesteps,
            "response": f"learned:{self.folder}",
        }

    def sentence(self) -> str:
        """The same to read."""
        match = self.match
        known = f" [{match.low:+.2f}, {match.high:+.2f}]" if finite(match.low) is not None else ""
        found = (
            f"{self.agent} loses at least that much to some opponent"
            if match.low > 0
            else "this response does not beat it, which does not show that none does"
        )
        return (
            f"{MEASURE} of {self.agent} under {match.rules.name()}: {match.mean:+.2f}{known} points "
            f"per deal, {match.deals:,} duplicate deals, {self.timesteps:,} timesteps: {found}"
        )


def response_args(
    agent: str, rules: str, timesteps: int, run_dir: Path | None, seed: int, init_from: Path | None
) -> Args:
    """The options of the run that trains the response: the agent is its opponent at all tables. Its
    networks are of the sizes that they have in `init_from`. Raises ValueError."""
    sizes = {} if init_from is None else network_options(init_from)
    return Args(
        run_dir=run_dir,
        rules=(rules,),
        seed=seed,
        total_timesteps=timesteps,
        init_from=init_from,
        opponent_share=1.0,
        fixed_opponents=(agent,),
        past_selves=0,
        eval_interval=timesteps,
        **sizes,
    )


def network_options(folder: Path) -> dict[str, Any]:
    """The options of a run that say what its networks are. Raises ValueError."""
    from hpenv.training.checkpoint import read_checkpoint  # noqa: PLC0415  (torch takes seconds)

    options = json.loads(read_checkpoint(folder)["options"])
    try:
        sizes = {name: tuple(options[name]) for name in ("hidden_sizes", "critic_hidden_sizes")}
        return sizes | {"critic": options["critic"]}
    except KeyError as error:
        raise ValueError(f"{folder}: its options are those of another version of hpenv") from error


def best_response(
    agent: str, args: Args, deals: int = 10_000, seed: int = 1, progress: Watcher | None = None
) -> BestResponse:
    """Train a response as `args` say (`response_args`) and measure it, playing greedily.

    seed: of the deals it is measured on, which no training meets. Raises ValueError for what cannot be
    trained or measured, before anything is created.
    """
    from hpenv.training.ppo import train  # noqa: PLC0415  (torch takes seconds)

    check_number("deals", deals)
    make_player(agent)
    rules = get_rules(args.rules[0])
    learner = train(args)
    response = make_agent(f"learned:{learner.folder}")
    match = duplicate_match(response, agent, rules, deals, seed, progress)
    return BestResponse(agent, learner.timesteps, learner.folder, match)
