"""What a person sees of a training run: a bar and lines at the terminal, curves in TensorBoard.

The x-axis is decisions, forced ones included. The curves:

- `eval/AGENT/RULES/points`: points per duplicate deal against a fixed agent; `low` and `high` bound its
  95 % interval; `won`: share of duplicate deals won, a tie counting half
- `eval/AGENT/RULES/made`: share of its contracts the policy made; `bids`: its contracts by bid, 0 for
  the deals in which it was not the maker
- `train/points_at_stake`: points per deal of training moved between the sides, on average
- `train/share_learned_from`: share of the experience in which the learner acted
- `train/explained_variance`: how much of the returns the critic foresaw
- `losses/`: policy and value loss, entropy of the policy, approximate Kullback-Leibler divergence of an
  update, share of clipped ratios
- `time/decisions_per_second`, and `time/torch_share` of the wall time that torch spent in networks
"""

import json
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from torch.utils.tensorboard import SummaryWriter

from hpenv.agents.agent import make_agent
from hpenv.agents.learned import Learned, save_policy
from hpenv.files import write_whole
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.benchmark.results import MatchResult
from hpenv.training.cli.progress import Progress
from hpenv.training.self_play import Experience, frozen

if TYPE_CHECKING:
    from hpenv.training.ppo import Args, Learner

FIXED_AGENTS = ("sensible_random", "rule_based")
EVALUATION_SEED = 20_000_001  # its deals are never among those of training
UPDATES_BETWEEN_POINTS = 8


class Reporter:
    """Shows and logs one run; only the first of several processes does anything."""

    def __init__(self, args: "Args", learner: "Learner", first: bool) -> None:
        self.args = args
        self.learner = learner
        self.first = first
        self.matches: list[MatchResult] = []
        self.started = time.perf_counter()
        self.decisions_at_start = learner.decisions
        self.outside = 0.0  # seconds spent evaluating
        if first:
            args.run.mkdir(parents=True, exist_ok=True)
            options = json.dumps(learner.options(), indent=1) + "\n"
            write_whole(args.run / "options.json", options.encode())
            self.writer = SummaryWriter(str(args.run), purge_step=learner.decisions or None)
            self.progress = Progress("training", "decisions")

    def __enter__(self) -> "Reporter":
        if self.first:
            self.progress.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.first:
            self.progress.__exit__(kind, error, traceback)
            if kind is None:
                self.publish()
            self.writer.close()

    def update(self, played: Experience, measured: dict[str, float], torch_seconds: float) -> None:
        """Move the bar, and now and then write a point of each curve."""
        if not self.first:
            return
        learner, step = self.learner, self.learner.decisions
        self.progress(min(step, self.args.decisions), self.args.decisions)
        if learner.updates % UPDATES_BETWEEN_POINTS:
            return
        seconds = time.perf_counter() - self.started - self.outside
        points = np.abs(played.rewards[:, :, 0]).sum() / max(1, played.deals)
        curves = {
            "time/decisions_per_second": (step - self.decisions_at_start) / seconds,
            "time/torch_share": torch_seconds / seconds,
            "train/points_at_stake": float(points),
            "train/explained_variance": measured.pop("explained_variance"),
            "train/share_learned_from": measured.pop("learned_from") / played.seats.size,
        }
        for name, value in (curves | {f"losses/{k}": v for k, v in measured.items()}).items():
            self.writer.add_scalar(name, value, step)

    def evaluate(self) -> None:
        """Play the fixed agents under each of the run's rules, print a line and log the points."""
        if not self.first:
            return
        started = time.perf_counter()
        learned = Learned(frozen(self.learner.policy), "learned")
        self.matches = []
        for rules in dict.fromkeys(self.args.rules):
            for name in FIXED_AGENTS:
                match = duplicate_match(
                    learned, make_agent(name), rules, self.args.evaluate_deals, EVALUATION_SEED
                )
                self.matches.append(match)
                self._log(match, f"eval/{name}/{rules}")
        self.publish()
        self.outside += time.perf_counter() - started
        print(self.line(), file=sys.stderr, flush=True)

    def _log(self, match: MatchResult, tag: str) -> None:
        step = self.learner.decisions
        contracts = match.contracts(0)
        curves = {
            "points": match.mean,
            "low": match.low,
            "high": match.high,
            "won": match.won,
            "made": contracts.share(contracts.made),
        }
        for name, value in curves.items():
            self.writer.add_scalar(f"{tag}/{name}", value, step)
        others = contracts.deals - contracts.contracts
        bids = np.repeat(np.arange(len(contracts.bids)), [others, *contracts.bids[1:]])
        self.writer.add_histogram(f"{tag}/bids", bids, step)

    def line(self) -> str:
        """One line: how far, how long, and the points against each fixed agent."""
        seconds = time.perf_counter() - self.started
        millions = self.learner.decisions / 1e6
        results = ", ".join(
            f"{match.names[1]} ({match.rules.name()}) {match.mean:+.2f} "
            f"[{match.low:+.2f}, {match.high:+.2f}]"
            for match in self.matches
        )
        return f"{millions:5.1f} M decisions, {seconds:4.0f} s; points per deal against {results}"

    def publish(self) -> None:
        """Write the policy as it stands, with the facts of the run."""
        facts = {
            "options": self.learner.options(),
            "decisions": self.learner.decisions,
            "updates": self.learner.updates,
        }
        save_policy(self.learner.policy, self.args.run / "policy", facts)
