"""`hpenv record`: decisions of agents as a dataset."""

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import one_rules
from hpenv.training.options import Bounds, plainly


@dataclass
class Options:
    """Let agents play and write every decision of the four seats, to imitate them or to learn offline.

    One agent plays all seats; of two the first is North-South; four are North, East, South and West.
    The folder holds a .npy file for each column, which PyTorch reads through
    hpenv.training.trajectories.torch_dataset, or Parquet that Hugging Face's load_dataset reads as it
    is. Ctrl-C keeps the deals played so far.

    examples:
      hpenv record rule_based --decisions 1e6 --out data/rule_based
      hpenv record learned rule_based --rules set_bid --format parquet --out data/pair
    """

    agents: Annotated[
        tuple[str, ...], Positional, arg(metavar="AGENT ...", help_behavior_hint="(one, two or four)")
    ]
    """Who plays."""
    out: Annotated[Path, arg(metavar="FOLDER")]
    """A new folder."""
    decisions: Annotated[int, Bounds(1, 10**9)] = 1_000_000
    """How many; the last deal is played to its end."""
    rules: Annotated[str, arg(metavar="PRESET")] = "standard"
    """A preset, or options as a JSON object."""
    seed: Annotated[int, Bounds(0, 2**63 - 1)] = 1
    """Chooses the deals and everything random. Matches of this seed play other deals."""
    format: Annotated[str, arg(metavar="npy|parquet")] = "npy"
    """Files of NumPy, or Parquet (needs pyarrow)."""


def run(options: Options) -> None:
    """Play, write, and say what is there."""
    from hpenv.agents.agent import make_agent  # noqa: PLC0415
    from hpenv.training.stopping import StopRequest  # noqa: PLC0415
    from hpenv.training.trajectories.decisions import played_decisions, seated  # noqa: PLC0415
    from hpenv.training.trajectories.folder import DecisionsFolder  # noqa: PLC0415

    rules = one_rules(options.rules)
    agents = seated([make_agent(name) for name in options.agents])
    facts: dict[str, Any] = {
        "agents": [agent.name for agent in agents],
        "rules": rules.name(),
        "seed": options.seed,
        "command": command(options),
    }
    began = time.perf_counter()
    with (
        DecisionsFolder(options.out, options.format, facts) as folder,
        Progress("recording", "decisions") as progress,
        StopRequest("these deals") as stop,
    ):
        for rows in played_decisions(agents, rules, options.decisions, options.seed, progress):
            folder.add(rows)
            if stop:
                break
    seconds = time.perf_counter() - began
    n = f"{folder.decisions:,} decisions of {folder.deals:,} deals"
    print(f"{n} in {options.out}, {seconds:.1f} s")
    if stop:
        stop.leave()


def command(options: Options) -> str:
    """The command that records the same again."""
    words = ["hpenv", "record", *options.agents, "--decisions", plainly(options.decisions)]
    words += ["--rules", options.rules, "--seed", str(options.seed), "--format", options.format]
    return shlex.join([*words, "--out", str(options.out)])
