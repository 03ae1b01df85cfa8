"""The options of a training run: what each means, the values it may have, and how it is written down.

No torch is imported here, so that `hpenv train --help` is quick.
"""

import dataclasses
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from tyro.conf import arg
from tyro.constructors import PrimitiveConstructorSpec

from hpenv.agents.agent import make_player
from hpenv.rules import get_rules
from hpenv.training.cli.shown import given

MANY = 10**15
MOST_LAYERS = 16
MOST_ROWS = 2**22  # of a rollout; about 1 kB each


class Bounds(PrimitiveConstructorSpec[Any]):
    """The least and the greatest value of a number: shown in the help, read from words, checked.

    A whole number may be written 1e6 or 1_000_000.
    """

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.whole = isinstance(low, int)
        super().__init__(
            nargs=1,
            metavar=f"{plainly(low)}..{plainly(high)}",
            instance_from_str=self.read,
            is_instance=self.allows,
            str_from_instance=lambda number: [plainly(number)],
        )

    def read(self, words: list[str]) -> int | float:
        """The number that a word gives. Raises ValueError."""
        try:
            return int(words[0]) if self.whole else float(words[0])
        except ValueError:
            number = float(words[0])
            if not number.is_integer():
                raise ValueError(f"{words[0]!r} is not a whole number") from None
            return int(number)

    def allows(self, number: object) -> bool:
        """Whether this is a number in the bounds, and whole if it must be."""
        kinds = (int,) if self.whole else (int, float)
        return (
            isinstance(number, kinds)
            and not isinstance(number, bool)
            and self.low <= number <= self.high
        )


def plainly(number: float) -> str:
    """A number as short as it can be read: 0.05, 64, 1e6 for a million, 2^63-1."""
    if number == 2**63 - 1:
        return "2^63-1"
    if isinstance(number, int) and number >= 10**6 and set(str(number)[1:]) == {"0"}:
        text = f"{number:e}"
        return f"{text[0]}e{len(str(number)) - 1}"
    return str(number)


@dataclass
class Args:
    """Train a policy by self-play with PPO.

    The options are CleanRL's where it has them. A timestep is one action of one seat, forced ones (with
    a single legal action) included; an environment is one table.

    examples:
      hpenv train --total-timesteps 5e6 --rules set_bid
      hpenv train --run-dir runs/mine --opponent-share 0.3 --fixed-opponents rule_based
      hpenv train --run-dir runs/two --processes 2
    """

    run_dir: Annotated[Path | None, given("FOLDER")] = None
    """Folder of the run: checkpoint, policy, options, TensorBoard's files. By default a fresh one,
    runs/train-YYYYmmdd-HHMMSS; a folder that holds a run is refused."""
    rules: Annotated[tuple[str, ...], arg(metavar="PRESET ...")] = ("standard",)
    """Presets; with several, the environments are shared out among them."""
    seed: Annotated[int, Bounds(0, 2**63 - 1)] = 1
    """Seed of everything random."""
    total_timesteps: Annotated[int, Bounds(1, MANY)] = 30_000_000
    """Timesteps of the whole run, in all processes together."""
    init_from: Annotated[Path | None, given("FOLDER")] = None
    """Folder of an earlier run, to begin with its policy and critic. This run's layers may be wider;
    the units added begin with no effect."""

    episode: Literal["deal", "game"] = "deal"
    """Learn single deals, or whole games to the target."""
    reward: Literal["points", "win"] = "points"
    """A deal's points, own minus other side's; or +1 and -1 at the end of a game."""
    reward_scale: Annotated[float, Bounds(1e-6, 1e6)] = 0.25
    """Rewards are multiplied by this, so that the critic's targets are of the order of one."""
    opponent_share: Annotated[float, Bounds(0.0, 1.0)] = 0.2
    """Share of the environments in which one side is played by the opponent pool: past selves of the
    policy (one is kept each twentieth of the run, eight at most) and the fixed opponents."""
    fixed_opponents: Annotated[tuple[str, ...], given("AGENT ...")] = ()
    """Agents in the opponent pool besides the past selves."""
    past_selves: Annotated[int, Bounds(0, 8)] = 3
    """Past selves among the opponents at a time; with 0 the fixed opponents are the only ones."""
    explore_prob: Annotated[float, Bounds(0.0, 1.0)] = 0.05
    """How often a random bid, trump or alone decision takes the place of the policy's own. It is not
    learned from; it keeps contracts in play that the policy has given up bidding."""
    vine_share: Annotated[float, Bounds(0.0, 1.0)] = 0.0
    """Share of the policy's decisions in self-play at which every legal action is tried out to the end
    of the deal, and learned from (the vine of TRPO): slow, for what sampling no longer improves."""
    vine_coef: Annotated[float, Bounds(0.0, 1e6)] = 1.0
    """Coefficient of the loss of what was tried out."""

    processes: Annotated[int, Bounds(1, 1024)] = 1
    """Processes on this machine that train together; on several machines torchrun starts them."""
    num_envs: Annotated[int, Bounds(1, 65536)] = 1024
    """Environments stepped together, in each process."""
    num_steps: Annotated[int, Bounds(1, 4096)] = 32
    """Steps in each environment per rollout; forced actions are taken within a step."""
    update_epochs: Annotated[int, Bounds(1, 1000)] = 1
    """Passes over a rollout."""
    minibatch_size: Annotated[int, Bounds(1, MOST_ROWS)] = 1024
    """Rows of a rollout in a gradient step; a few less where opponents acted."""
    hidden_sizes: tuple[Annotated[int, Bounds(1, 4096)], ...] = (256, 256)
    """Units in each hidden layer of the policy, the first of which costs least."""
    critic_hidden_sizes: tuple[Annotated[int, Bounds(1, 4096)], ...] = (128, 128)
    """Units in each hidden layer of the critic."""
    critic: Literal["privileged", "view"] = "privileged"
    """Whether the critic sees all cards while learning, or the view of the seat only."""
    learning_rate: Annotated[float, Bounds(0.0, 1.0)] = 1e-3
    """Adam's learning rate at the start, annealed linearly."""
    final_learning_rate: Annotated[float, Bounds(0.0, 1.0)] = 1e-4
    """Adam's learning rate at the end."""
    ent_coef: Annotated[float, Bounds(0.0, 100.0)] = 0.05
    """Coefficient of the entropy bonus at the start, annealed linearly."""
    final_ent_coef: Annotated[float, Bounds(0.0, 100.0)] = 0.004
    """Coefficient of the entropy bonus at the end."""
    clip_coef: Annotated[float, Bounds(1e-6, 10.0)] = 0.2
    """How far the probability ratio may move before its gradient is clipped."""
    gamma: Annotated[float, Bounds(0.0, 1.0)] = 1.0
    """Discount for each of a seat's own decisions."""
    gae_lambda: Annotated[float, Bounds(0.0, 1.0)] = 0.95
    """Lambda of generalised advantage estimation."""
    max_grad_norm: Annotated[float, Bounds(1e-6, 1e6)] = 0.5
    """Norm to which the gradient of each network is clipped."""

    eval_interval: Annotated[int, Bounds(1, MANY)] = 5_000_000
    """Timesteps between evaluations against sensible_random and rule_based; there is one at the end."""
    eval_deals: Annotated[int, Bounds(1, 1_000_000)] = 2_000
    """Duplicate deals in each."""
    save_interval: Annotated[int, Bounds(1, MANY)] = 5_000_000
    """Timesteps between checkpoints; Ctrl-C and SIGTERM save one, too."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic of the matrix products; auto takes bfloat16 where the machine is fast at it."""
    device: Annotated[str, arg(metavar="DEVICE")] = "auto"
    """cpu, cuda, cuda:1, or auto."""
    num_threads: Annotated[int, Bounds(0, 1024)] = 0
    """Torch's threads; 0 leaves it to torch. A run repeats bit for bit with 1."""


def check_values(options: Any) -> None:
    """Refuse a value that its option cannot have, in any dataclass of options written like `Args`.

    Raises ValueError naming option, value and what is allowed.
    """
    for name, kind in get_type_hints(type(options), include_extras=True).items():
        value = getattr(options, name)
        check_value(name, kind, value)


def check_value(name: str, kind: Any, value: object) -> None:
    """Refuse a value that is not of a kind: bounds, a choice, a word, or a tuple of one of these.
    Raises ValueError."""
    for bounds in getattr(kind, "__metadata__", ()):
        if isinstance(bounds, Bounds) and not bounds.allows(value):
            what = "a whole number" if bounds.whole else "a number"
            low, high = plainly(bounds.low), plainly(bounds.high)
            raise ValueError(f"{name}={value!r} is not {what} from {low} to {high}")
    plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(plain) is tuple:
        if not isinstance(value, tuple):
            raise ValueError(f"{name}={value!r} is not a tuple")
        for each in value:
            check_value(name, get_args(plain)[0], each)
    if get_origin(plain) is Literal and value not in get_args(plain):
        raise ValueError(f"{name}={value!r} is not one of {', '.join(get_args(plain))}")
    if plain is str and not isinstance(value, str):
        raise ValueError(f"{name}={value!r} is not a word")


def check(args: Args) -> None:
    """Refuse options of a run that make no sense, by themselves or together. Raises ValueError."""
    check_values(args)
    if args.num_envs * args.num_steps > MOST_ROWS:
        raise ValueError(
            f"num_envs={args.num_envs} with num_steps={args.num_steps}: a rollout may have "
            f"{MOST_ROWS:,} rows at most"
        )
    for name in ("hidden_sizes", "critic_hidden_sizes"):
        if not 1 <= len(getattr(args, name)) <= MOST_LAYERS:
            raise ValueError(f"{name}={getattr(args, name)}: give 1 to {MOST_LAYERS} layers")
    if not args.rules:
        raise ValueError("rules: give at least one preset")
    for preset in args.rules:
        get_rules(preset)
    for agent in args.fixed_opponents:
        make_player(agent)
    if args.vine_share and args.reward != "points":
        raise ValueError("vine_share tries actions out for points: it needs reward=points")
    if args.reward == "win" and args.episode == "deal":
        raise ValueError("reward=win needs episode=game: a single deal wins nothing")


def annealed(first: float, last: float, fraction: float) -> float:
    """A value between `first` at the start and `last` at the end; `fraction` of the run is over."""
    return first + fraction * (last - first)


def as_plain(args: Args) -> dict[str, Any]:
    """The options as values that JSON can hold."""
    return {
        key: str(value)
        if isinstance(value, Path)
        else list(value)
        if isinstance(value, tuple)
        else value
        for key, value in dataclasses.asdict(args).items()
    }


def from_plain(options: object) -> Args:
    """The options that `as_plain` wrote, checked. Raises ValueError."""
    if not isinstance(options, dict) or set(options) != {
        field.name for field in dataclasses.fields(Args)
    }:
        raise ValueError("its options are those of another version of hpenv")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in options.items()
    }
    for key in ("run_dir", "init_from"):
        values[key] = None if values[key] is None else Path(values[key])
    args = Args(**values)
    check(args)
    return args


def provenance(args: Args, **counts: int) -> dict[str, Any]:
    """What a policy's description says of how it came about. counts: what the run came to."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {
        "command": command(args),
        "seed": args.seed,
        **counts,
        "written": now,
        "options": as_plain(args),
    }


def command(args: Args) -> str:
    """The command that starts this run: every option that is not at its default."""
    words = ["hpenv", "train"]
    for field in dataclasses.fields(Args):
        value = getattr(args, field.name)
        if value != field.default:
            words.append("--" + field.name.replace("_", "-"))
            words += map(str, value if isinstance(value, tuple) else [value])
    return shlex.join(words)
