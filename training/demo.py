"""The demonstration: train from scratch for some minutes, then measure what came of it, and say so."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from hpenv.agents.agent import make_agent
from hpenv.training.benchmark.matches import duplicate_match
from hpenv.training.benchmark.results import MatchResult
from hpenv.training.cli.progress import Progress
from hpenv.training.ppo import Args, train

RULES = ("standard", "set_bid")
OPPONENTS = ("uniform", "sensible_random", "rule_based")
SEED = 424_242  # of the deals of the final measurement


@dataclass
class DemoArgs:
    """Train a policy from scratch by self-play and benchmark it against the fixed agents."""

    run: Path = Path("runs/demo")
    """Folder for the run."""
    decisions: int = 15_000_000
    """Actions to play while learning, forced ones included."""
    deals: int = 4_000
    """Duplicate deals in each match of the benchmark."""
    seed: int = 1
    """Seed of the training."""


def demo(args: DemoArgs) -> None:
    """Train, benchmark, and print what was found."""
    out = Console(highlight=False, soft_wrap=True)
    out.print(
        f"[bold]1. Training[/] one network for auction, trump, discard, alone and play, from scratch: "
        f"{args.decisions:,} decisions of self-play under {' and '.join(RULES)}."
    )
    out.print(
        "   Points per deal are won from a fixed agent in duplicate play, with 95 % intervals; "
        f"curves: tensorboard --logdir {args.run}"
    )
    quarter = max(1, args.decisions // 4)
    train(
        Args(
            run=args.run,
            rules=RULES,
            seed=args.seed,
            decisions=args.decisions,
            evaluate_every=quarter,
            save_every=quarter,
            evaluate_deals=1_000,
        )
    )
    out.print(f"\n[bold]2. Benchmark[/] on {args.deals:,} duplicate deals it has never seen:")
    matches = benchmark(f"learned:{args.run}", args.deals)
    out.print(grid(matches))
    out.print("[bold]3. Found[/]")
    for match in matches:
        out.print("   " + finding(match))
    out.print(
        f"\nGo on: .venv/bin/hpenv play --opponents learned:{args.run}   |   "
        f".venv/bin/hpenv evaluate learned:{args.run} learned"
    )


def benchmark(name: str, deals: int) -> list[MatchResult]:
    """The policy against every fixed agent under both rules."""
    matches: list[MatchResult] = []
    with Progress("benchmark", "deals") as progress:
        total = deals * len(RULES) * len(OPPONENTS)
        for rules in RULES:
            for opponent in OPPONENTS:
                before = len(matches) * deals

                def onward(done: int, _: int, before: int = before) -> None:
                    progress(before + done, total)

                match = duplicate_match(
                    make_agent(name), make_agent(opponent), rules, deals, SEED, onward
                )
                matches.append(match)
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
            f"{match.mean:+.3f} [{match.low:+.3f}, {match.high:+.3f}]",
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
        verdict = "is not told apart from"
    return (
        f"Under {match.rules.name()} the learned policy {verdict} {match.names[1]}: "
        f"{match.mean:+.2f} points per deal (95 % interval {match.low:+.2f} to {match.high:+.2f}, "
        f"n = {match.deals:,})."
    )
