"""The demonstration: train from scratch for some minutes, then measure what came of it, and say so."""

import os
import sys
import time
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from shutil import which
from typing import Annotated

from rich.console import Console
from rich.table import Table as Grid

from hpenv.agents.agent import make_agent
from hpenv.training import distributed
from hpenv.training.benchmark.intervals import TOO_FEW
from hpenv.training.benchmark.matches import duplicate_match, watched
from hpenv.training.benchmark.results import MatchResult
from hpenv.training.cli.progress import Progress
from hpenv.training.cli.shown import given
from hpenv.training.devices import device_called
from hpenv.training.options import MANY, Bounds, check_values
from hpenv.training.ppo import Args, Learner, train
from hpenv.training.reporting import interval_of
from hpenv.training.run_folder import fresh_folder, refuse_a_used_folder
from hpenv.training.self_play import frozen, new_rollout, new_self_play

RULES = ("standard", "set_bid")
OPPONENTS = ("uniform", "sensible_random", "rule_based")
WHAT_NEXT = """
Play against it:
   hpenv play --opponents learned:{folder}
Measure it against the published policy:
   hpenv evaluate learned:{folder} learned"""
MOST_PROCESSES = 4
SEED = 424_242  # of the deals of the final measurement


@dataclass
class DemoArgs:
    """Train a policy from scratch by self-play for some minutes, and benchmark it against the fixed
    agents.

    It ends with the commands that play against the policy and measure it against the published one.
    """

    run_dir: Annotated[Path | None, given("FOLDER")] = None
    """Folder for the run; a fresh one, runs/demo-YYYYmmdd-HHMMSS, if none is given."""
    minutes: Annotated[float, Bounds(0.1, 10_000.0)] = 5.0
    """How long to train: this machine's speed is measured first, and sets the number of timesteps."""
    total_timesteps: Annotated[int, Bounds(0, MANY)] = 0
    """Timesteps to train instead (actions of all seats, forced ones too); 0 goes by the minutes."""
    deals: Annotated[int, Bounds(1, 1_000_000)] = 4_000
    """Duplicate deals in each match of the benchmark."""
    seed: Annotated[int, Bounds(0, 2**63 - 1)] = 1
    """Seed of the training."""


def demo(args: DemoArgs) -> None:
    """Train, benchmark, and print what was found. Raises ValueError for options out of range."""
    check_values(args)
    folder = args.run_dir or fresh_folder("demo")
    refuse_a_used_folder(folder)
    out = Console(highlight=False, soft_wrap=True)
    options = demo_options(folder, args.seed)
    if not args.total_timesteps:
        timesteps_per_second(options, 1, 1)  # compiles, before there are several to do it
    distributed.in_processes(options.processes, learn, options, args.total_timesteps, args.minutes)
    out.print(f"\n[bold]2. Benchmark[/] on {args.deals:,} duplicate deals it has never seen:")
    matches = benchmark(f"learned:{folder}", args.deals)
    out.print(grid(matches))
    out.print("[bold]3. Found[/]")
    for match in matches:
        out.print("   " + finding(match))
    where = "" if which("hpenv") else f"{Path(sys.argv[0]).parent}/"
    out.print(WHAT_NEXT.format(folder=folder).replace("hpenv ", f"{where}hpenv "))


def demo_options(folder: Path, seed: int) -> Args:
    """What the demonstration trains with: the same number of environments and the same size of a
    minibatch in all, however many processes share them.

    The entropy bonus stays high in so short a run: it ends before the policy has made up its mind, and
    under `standard` the best contracts are those that a policy gives up first.
    """
    on_cpu = device_called("auto").type == "cpu"
    processes = min(MOST_PROCESSES, os.cpu_count() or 1) if on_cpu else 1
    return Args(
        run_dir=folder,
        rules=RULES,
        seed=seed,
        processes=processes,
        num_envs=1024 // processes,
        minibatch_size=1024 // processes,
        opponent_share=0.3,
        fixed_opponents=("rule_based",),
        final_learning_rate=3e-4,
        final_ent_coef=0.03,
        eval_deals=1_000,
    )


def learn(options: Args, total: int, minutes: float) -> None:
    """Say what is to be done and train, in each of the processes that train together."""
    with distributed.processes():
        out = Console(highlight=False, soft_wrap=True, quiet=distributed.rank() != 0)
        why = ""
        if not total:
            speed = distributed.gathered(timesteps_per_second(options))[0]
            total = two_digits(speed * 60 * minutes)
            why = f", about {minutes:g} minutes at the {two_digits(speed):,} a second of this machine"
        out.print(
            "[bold]1. Training[/] one network for auction, trump, discard, alone and play, from "
            f"scratch by self-play under {' and '.join(RULES)}: {total:,} timesteps (actions of all "
            f"seats){why}."
        )
        out.print(
            "   Points per deal are won from a fixed agent in duplicate play, with 95 % intervals; "
            f"curves: tensorboard --logdir {options.run_dir}"
        )
        quarter = max(1, total // 4)
        started = time.perf_counter()
        learner = train(
            replace(options, total_timesteps=total, eval_interval=quarter, save_interval=quarter)
        )
        took = (time.perf_counter() - started) / 60
        out.print(f"   {learner.timesteps:,} timesteps in {took:.1f} minutes, evaluations included.")


def timesteps_per_second(args: Args, warm: int = 2, timed: int = 4) -> float:
    """How fast the processes roll out and learn together: measured on `timed` updates after `warm`
    ones, which compile what is to be compiled."""
    learner = Learner(args, device_called(args.device))
    self_play, rollout = new_self_play(args), new_rollout(args.num_steps, args.num_envs)
    timesteps, started = 0, 0.0
    for update in range(warm + timed):
        if update == warm:
            timesteps, started = 0, time.perf_counter()
        self_play.play(frozen(learner.policy, learner.precision), rollout)
        learner.update(rollout)
        timesteps += distributed.total(rollout.timesteps)
    return timesteps / (time.perf_counter() - started)


def two_digits(number: float) -> int:
    """A number rounded to two digits, and not to 0."""
    return max(1, int(float(f"{number:.1e}")))


def benchmark(name: str, deals: int) -> list[MatchResult]:
    """The policy against every fixed agent under both rules."""
    matches: list[MatchResult] = []
    with Progress("benchmark", "deals") as progress:
        pairs = [(rules, opponent) for rules in RULES for opponent in OPPONENTS]
        for n, (rules, opponent) in enumerate(pairs):
            agents = make_agent(name), make_agent(opponent)
            watcher = watched(progress, n, len(pairs))
            matches.append(duplicate_match(*agents, rules, deals, SEED, watcher))
    return matches


def grid(matches: list[MatchResult]) -> Grid:
    """The matches as a table."""
    table = Grid()
    for heading in ("rules", "against", "points per deal, 95 % interval", "won", "made"):
        text = heading in ("rules", "against")
        table.add_column(heading, justify="left" if text else "right", no_wrap=True)
    for match in matches:
        contracts = match.contracts(0)
        table.add_row(
            str(match.rules.name()),
            match.names[1],
            f"{match.mean:+.3f}{interval_of(match, 3)}",
            f"{match.won:.1%}",
            f"{contracts.share(contracts.made):.1%}" if contracts.contracts else "-",
        )
    return table


def finding(match: MatchResult) -> str:
    """One match as a sentence that claims no more than its interval."""
    if match.low > 0:
        verdict = "beats"
    elif match.high < 0:
        verdict = "loses to"
    else:
        verdict = "shows no significant difference from"
    known = f"95 % interval {match.low:+.2f} to {match.high:+.2f}" if isfinite(match.low) else TOO_FEW
    return (
        f"Under {match.rules.name()} the learned policy {verdict} {match.names[1]}: "
        f"{match.mean:+.2f} points per deal ({known}, n = {match.deals:,})."
    )
