"""What each part of the training is worth: runs of equal length, each with one thing changed.

    python -m hpenv.training.ablations --out runs/ablations --csv ablations.csv

Every variant is trained from scratch with every seed, and measured on the same deals. Stopped or
killed, the same command goes on where it was. `hpenv curves ablations.csv --plot FILE` draws them.
"""

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table as Grid

from hpenv.files import write_whole
from hpenv.training.checkpoint import read_checkpoint
from hpenv.training.cli.curves import as_csv, evaluations
from hpenv.training.cli.shown import given
from hpenv.training.options import MANY, Args, Bounds, check_values
from hpenv.training.ppo import train
from hpenv.training.reporting import say
from hpenv.training.resume import resume
from hpenv.training.run_folder import CHECKPOINT

AGAINST = "rule_based"
DEFAULT = Args(
    rules=("standard", "set_bid"),
    opponent_share=0.3,
    fixed_opponents=(AGAINST,),
    final_learning_rate=3e-4,
    final_ent_coef=0.03,  # short runs end before the policy has made up its mind
    num_threads=1,
)
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "view_critic": {"critic": "view"},
    "no_exploration": {"explore_prob": 0.0},
    "past_selves_only": {"fixed_opponents": ()},
    "self_only": {"fixed_opponents": (), "opponent_share": 0.0},
    "entropy_low": {"ent_coef": 0.01, "final_ent_coef": 0.01},
    "units_128_64": {"hidden_sizes": (128, 64)},
    "units_512_256": {"hidden_sizes": (512, 256)},
}


@dataclass
class Options:
    """Train and measure every variant with every seed."""

    out: Path = Path("runs/ablations")
    """Folder of the runs, one folder for each variant and seed."""
    variants: Annotated[tuple[str, ...], given("NAME ...", "all")] = ()
    """The variants to train; the default is always among them."""
    seeds: tuple[int, ...] = (1, 2, 3)
    """Seeds, each with every variant."""
    total_timesteps: Annotated[int, Bounds(1, MANY)] = 5_000_000
    """Timesteps of each run."""
    evaluations: Annotated[int, Bounds(1, 1000)] = 5
    """Evaluations of each run, the last at its end."""
    deals: Annotated[int, Bounds(2, 1_000_000)] = 2_000
    """Duplicate deals of each evaluation."""
    csv: Annotated[Path | None, given("FILE")] = None
    """Write all evaluations into this file."""


def main(options: Options) -> int:
    """Train what is not trained yet, then show and write all that was measured."""
    check_values(options)
    unknown = set(options.variants) - VARIANTS.keys()
    if unknown:
        raise ValueError(f"variants: no {', '.join(sorted(unknown))}; there are {', '.join(VARIANTS)}")
    names = [name for name in VARIANTS if name in ("default", *(options.variants or VARIANTS))]
    for seed in options.seeds:
        for name in names:
            train_one(name, seed, options)
    runs = [options.out / f"{name}-{seed}" for name in names for seed in options.seeds]
    rows = [row for run in runs for row in evaluations(run)]
    if options.csv:
        write_whole(options.csv, as_csv(rows).encode())
    Console().print(as_grid(rows, names, options))
    return 0


def train_one(name: str, seed: int, options: Options) -> None:
    """Train one variant with one seed, or go on with it, or leave it if it is finished."""
    run = options.out / f"{name}-{seed}"
    if (run / CHECKPOINT).exists():
        state = read_checkpoint(run)
        if state["timesteps"] < options.total_timesteps or state["evaluation_due"]:
            resume(run)
        return
    say(f"{run}:")
    every = -(-options.total_timesteps // options.evaluations)
    changes: dict[str, Any] = {
        "run_dir": run,
        "seed": seed,
        "total_timesteps": options.total_timesteps,
        "eval_interval": every,
        "save_interval": every,
        "eval_deals": options.deals,
    }
    train(dataclasses.replace(DEFAULT, **(VARIANTS[name] | changes)))


def as_grid(rows: list[dict[str, Any]], names: list[str], options: Options) -> Grid:
    """How each variant ended: every seed, their mean, and what the change was worth, with the interval
    that the same seeds with and without it allow."""
    grid = Grid("variant", "rules", *(f"seed {seed}" for seed in options.seeds), "mean", "change")
    grid.title = (
        f"points per deal against {AGAINST} after {options.total_timesteps:,} timesteps, "
        f"{options.deals:,} duplicate deals"
    )
    ends = {(r["run"], r["rules"]): r["points"] for r in rows if r["opponent"] == AGAINST}
    for name in names:
        for rules in DEFAULT.rules:
            here, base = (
                [ends[f"{variant}-{seed}", rules] for seed in options.seeds]
                for variant in (name, "default")
            )
            change = "" if name == "default" else difference(here, base)
            words = [f"{points:+.2f}" for points in (*here, mean(here))]
            grid.add_row(name.replace("_", " "), rules, *words, change)
    return grid


def difference(here: list[float], base: list[float]) -> str:
    """What a change was worth, seed by seed, with a 95 % interval over the seeds if there are two."""
    from scipy.stats import ttest_1samp  # noqa: PLC0415  (takes a second)

    gains = np.subtract(here, base)
    if len(gains) < 2:
        return f"{gains.mean():+.2f}"
    low, high = ttest_1samp(gains, 0).confidence_interval()
    return f"{gains.mean():+.2f} [{low:+.2f}, {high:+.2f}]"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
