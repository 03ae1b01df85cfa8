"""What a person sees of a training run: a bar and lines at the terminal, curves in TensorBoard.

The x-axis is timesteps: actions of all seats, forced ones included. The curves:

- `charts/SPS`: timesteps per second since the run began or was resumed; `charts/torch_share`: share of
  the wall time that torch spent in networks, those that try actions out (`vine_share`) not counted
- `charts/learning_rate`, `charts/ent_coef`: as annealed
- `charts/points_per_deal`: points that a deal of training moved between the sides, on average
- `charts/own_share`: share of the rollout in which the policy acted, the rows learned from
- `losses/policy_loss`, `value_loss`, `entropy` (of the policy), `approx_kl` (from the policy that
  played the rollout), `clipfrac` (share of clipped ratios), `policy_grad_norm` and `value_grad_norm`
  (before clipping), `explained_variance` (how much of the returns the critic foresaw), `vine_loss` (of
  the actions tried out, with `vine_share`)
- `eval/AGENT/RULES/points`: points per duplicate deal against a fixed agent; `low` and `high` bound its
  95 % interval, all three in one chart under Custom Scalars; `won`: share of duplicate deals won, a tie
  counting half
- `eval/AGENT/RULES/made`: share of its contracts the policy made; `bids`: its contracts by bid, 0 for
  the deals in which it was not the maker

The options stand under Text.
"""

import math
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from torch.utils.tensorboard import SummaryWriter

from hpenv.agents.agent import make_agent
from hpenv.agents.learned import Learned
from hpenv.agents.network import Network
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.benchmark.results import MatchResult
from hpenv.training.cli.progress import Progress
from hpenv.training.run_folder import POLICY

FIXED_AGENTS = ("sensible_random", "rule_based")
EVALUATION_SEED = 20_000_001  # its deals are never among those of training
UPDATES_BETWEEN_POINTS = 8


class Stopped(Exception):
    """An evaluation was given up, because the run is to stop."""


class Reporter:
    """Shows and logs one run. In a `with` statement; a silent one (not `active`) does nothing at all.

    folder: of the run. options: as plain values. timesteps, seconds: what a resumed run has behind it;
    curves that an earlier process logged beyond these timesteps are taken back.
    """

    def __init__(
        self,
        folder: Path,
        options: dict[str, Any],
        timesteps: int = 0,
        seconds: float = 0.0,
        active: bool = True,
    ) -> None:
        self.options = options
        self.active = active
        self.timesteps = self.timesteps_before = timesteps
        self.seconds_before = seconds
        self.started = time.perf_counter()
        self.evaluating = 0.0  # seconds spent in evaluations
        self.matches: list[MatchResult] = []
        if active:
            self.writer = SummaryWriter(str(folder), purge_step=timesteps + 1 if timesteps else None)
            self.progress = Progress("training", "timesteps")
            if not timesteps:
                self.writer.add_custom_scalars({"evaluation": self._margins()})
            self.writer.add_text("options", as_table(options), timesteps)

    def __enter__(self) -> "Reporter":
        if self.active:
            self.progress.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.active:
            self.progress.__exit__(kind, error, traceback)
            self.writer.close()

    @property
    def seconds(self) -> float:
        """Wall time of the run so far, all its processes one after another."""
        return self.seconds_before + time.perf_counter() - self.started

    def update(
        self, timesteps: int, updates: int, curves: Mapping[str, float], torch_seconds: float
    ) -> None:
        """Move the bar to `timesteps`, and at every eighth update write a point of each curve."""
        self.timesteps = timesteps
        if not self.active:
            return
        whole = self.options["total_timesteps"]
        self.progress(min(timesteps, whole), whole)
        if updates % UPDATES_BETWEEN_POINTS:
            return
        seconds = time.perf_counter() - self.started - self.evaluating
        speed = {
            "charts/SPS": (timesteps - self.timesteps_before) / seconds,
            "charts/torch_share": torch_seconds / seconds,
        }
        for name, value in (speed | dict(curves)).items():
            self.writer.add_scalar(name, value, timesteps)

    def evaluate(self, policy: Network, stop: Callable[[], bool] = lambda: False) -> bool:
        """Play the fixed agents under each of the run's rules, print a line and log the points.

        Returns whether it came to its end: once `stop()` is true it is given up, and nothing logged.
        """
        if not self.active:
            return True
        started = time.perf_counter()

        def watch(*_: int) -> None:
            if stop():
                raise Stopped

        try:
            matches = [
                duplicate_match(
                    Learned(policy),
                    make_agent(name),
                    rules,
                    self.options["eval_deals"],
                    EVALUATION_SEED,
                    watch,
                )
                for rules in dict.fromkeys(self.options["rules"])
                for name in FIXED_AGENTS
            ]
        except Stopped:
            return False
        self.matches = matches
        for match in matches:
            self._log(match)
        self.evaluating += time.perf_counter() - started
        say(self.line())
        return True

    def flush(self) -> None:
        """Put all points logged so far on the disk."""
        if self.active:
            self.writer.flush()

    def _log(self, match: MatchResult) -> None:
        tag, contracts = f"eval/{match.names[1]}/{match.rules.name()}", match.contracts(0)
        curves = {"points": match.mean, "won": match.won}
        if math.isfinite(match.low):  # not where there are too few deals for an interval
            curves |= {"low": match.low, "high": match.high}
        if contracts.contracts:
            curves["made"] = contracts.share(contracts.made)
        for name, value in curves.items():
            self.writer.add_scalar(f"{tag}/{name}", value, self.timesteps)
        others = contracts.deals - contracts.contracts
        bids = np.repeat(np.arange(len(contracts.bids)), [others, *contracts.bids[1:]])
        self.writer.add_histogram(f"{tag}/bids", bids, self.timesteps)

    def _margins(self) -> dict[str, list[Any]]:
        """One chart for each match: its points with their interval."""
        return {
            f"{name}, {rules}": [
                "Margin",
                [f"eval/{name}/{rules}/{curve}" for curve in ("points", "low", "high")],
            ]
            for rules in dict.fromkeys(self.options["rules"])
            for name in FIXED_AGENTS
        }

    def line(self) -> str:
        """One line: how far, how long, and the points against each fixed agent."""
        results = ", ".join(
            f"{match.names[1]} ({match.rules.name()}) {match.mean:+.2f}{interval_of(match)}"
            for match in self.matches
        )
        return (
            f"{self.timesteps / 1e6:5.1f} M timesteps, {self.seconds:4.0f} s; "
            f"points per deal against {results}"
        )


def as_table(options: dict[str, Any]) -> str:
    """Options as a table in Markdown."""
    rows = "\n".join(f"|{name}|{value}|" for name, value in options.items())
    return f"|option|value|\n|-|-|\n{rows}"


def interval_of(match: MatchResult, digits: int = 2) -> str:
    """The interval in brackets; nothing where there were too few deals for one."""
    if not math.isfinite(match.low):
        return ""
    return f" [{match.low:+.{digits}f}, {match.high:+.{digits}f}]"


def say(text: str) -> None:
    """Print a line for the person who trains."""
    print(text, file=sys.stderr, flush=True)


def goes_on(folder: Path, timesteps: int) -> str:
    """What is said when a run was stopped and saved."""
    return f"saved at {timesteps:,} timesteps; go on with: hpenv resume {folder}"


def finished(folder: Path, timesteps: int) -> str:
    """Where the policy of a finished run is, and what can be done with it."""
    return (
        f"finished: {timesteps:,} timesteps; the policy is {folder / POLICY}.safetensors\n"
        f"  play against it:  hpenv play --opponents learned:{folder}\n"
        f"  measure it:       hpenv evaluate learned:{folder} rule_based"
    )
