"""Proximal policy optimisation (Schulman et al. 2017) by self-play: one page, top to bottom.

One network learns auction, trump, discard, alone and play for every seat. Its critic may see all the
cards (`critic="privileged"`); the policy sees its view only. Forced actions are neither asked of the
network nor learned from. training/reporting.py says what each logged curve means.
"""

import dataclasses
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import functional

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import make_player
from hpenv.agents.learned import Network
from hpenv.batch import Batch
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from hpenv.rules import get_rules
from hpenv.training.checkpoint import load_checkpoint, load_networks, save_checkpoint, saved_options
from hpenv.training.reporting import Reporter
from hpenv.training.self_play import Experience, Pilot, SelfPlay, advantages, frozen, new_experience

REWARD_UNIT = 4.0  # points are divided by this, so that the critic's targets are of the order of one
MOST_PAST_SELVES = 8
PAST_SELVES_AT_ONCE = 3
CHUNK = 8192  # decisions the critic looks at together


@dataclass
class Args:
    """Train a policy by self-play. Everything a run needs to be repeated stands here."""

    run: Path = Path("runs/train")
    """Folder for checkpoints, the policy, the options and TensorBoard's files."""
    rules: tuple[str, ...] = ("standard",)
    """Presets; with several, the tables are shared out among them."""
    seed: int = 1
    """Seed of everything random."""
    decisions: int = 30_000_000
    """Actions to play in all, forced ones included."""
    resume: bool = False
    """Go on from the run's checkpoint, with the options it was started with."""

    start: str = ""
    """Folder of an earlier run of the same sizes, to begin with its policy and critic."""
    episode: Literal["deal", "game"] = "deal"
    """Learn single deals, or whole games to the target."""
    reward: Literal["points", "win"] = "points"
    """A deal's points, own minus other side's; or +1 and -1 at the end of a game."""
    past_selves: float = 0.2
    """Share of the tables at which one side is played by past selves."""
    fixed_agents: tuple[str, ...] = ()
    """Agents that share those tables with the past selves."""

    exploring: float = 0.05
    """How often a random call, trump or answer is made in the learner's place, and not learned from."""

    tables: int = 1024
    """Tables stepped together, in each process."""
    steps: int = 32
    """Steps at each table between updates."""
    epochs: int = 1
    """Passes over the experience in an update."""
    minibatch: int = 1024
    """Decisions in a gradient step."""
    width: int = 256
    """Units in a hidden layer."""
    depth: int = 2
    """Hidden layers."""
    critic: Literal["privileged", "view"] = "privileged"
    """May the critic see all cards while learning?"""
    learning_rate: float = 1e-3
    """Adam's step at the start; it falls in a straight line."""
    last_learning_rate: float = 1e-4
    """Adam's step at the end."""
    entropy: float = 0.05
    """Weight of the entropy bonus at the start; it falls in a straight line."""
    last_entropy: float = 0.004
    """Weight of the entropy bonus at the end."""
    clip: float = 0.2
    """How far the probability ratio may move (epsilon)."""
    gamma: float = 1.0
    """Discount for each of a seat's own decisions."""
    smoothing: float = 0.95
    """Lambda of the advantage estimates."""
    max_gradient: float = 0.5
    """Longest gradient of each network."""

    evaluate_every: int = 5_000_000
    """Decisions between evaluations against the fixed agents."""
    evaluate_deals: int = 2_000
    """Duplicate deals in each."""
    save_every: int = 5_000_000
    """Decisions between checkpoints."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic of the matrix products; auto takes bfloat16 where the machine is fast at it."""
    device: str = "auto"
    """cpu, cuda, or auto."""
    threads: int = 0
    """Torch's threads; 0 leaves it to torch. A run repeats bit for bit with 1."""


class Learner:
    """Policy and critic, and one optimiser for both."""

    def __init__(self, args: Args, device: torch.device) -> None:
        torch.manual_seed(args.seed)
        self.args = args
        self.device = device
        self.policy = Network(N_ACTIONS, args.width, args.depth).to(device)
        self.privileged = args.critic == "privileged"
        self.critic = Network(1, args.width, args.depth, hidden=self.privileged).to(device)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(parameters, lr=args.learning_rate, eps=1e-5, fused=True)
        self.precision = choose_precision(args.precision, device)
        self.updates = 0
        self.decisions = 0
        self.torch_seconds = 0.0  # spent learning since the start
        self.past: list[dict[str, Tensor]] = []

    def values(self, observations: Any, hidden: Any) -> Any:
        """The critic's values of observations (N, F) and hidden parts (N, H): (N,) float32."""
        found, started = [], time.perf_counter()
        pieces = -(-len(observations) // CHUNK)
        with torch.inference_mode():
            for seen, unseen in zip(
                torch.from_numpy(observations).tensor_split(pieces),
                torch.from_numpy(hidden).tensor_split(pieces),
                strict=True,
            ):
                found.append(self._value(seen.to(self.device), unseen.to(self.device)))
        values = torch.cat(found).cpu().numpy()
        self.torch_seconds += time.perf_counter() - started
        return values

    def _value(self, seen: Tensor, unseen: Tensor) -> Tensor:
        hidden = unseen if self.privileged else None
        values: Tensor = self.critic(seen, hidden, self.precision)
        return values.squeeze(1)

    def learn(self, played: Experience, fraction: float) -> dict[str, float]:
        """One update from a rollout, `fraction` of the run being over; returns what it measured."""
        args = self.args
        observations = played.observations.reshape(-1, OBSERVATION_SIZE)
        hidden = played.hidden.reshape(-1, HIDDEN_SIZE)
        judged = np.flatnonzero(played.learner | played.explored)
        values = np.zeros(played.seats.shape, np.float32)
        values.reshape(-1)[judged] = self.values(observations[judged], hidden[judged])
        last = zip(played.last_observations, played.last_hidden, strict=True)
        last_values = np.stack([self.values(seen, unseen) for seen, unseen in last], 1)
        advantage = np.zeros_like(values)
        advantages(
            played.seats,
            played.learner,
            played.explored,
            played.rewards / np.float32(REWARD_UNIT),
            played.ended,
            values,
            last_values,
            np.float32(args.gamma),
            np.float32(args.smoothing),
            advantage,
        )
        rows = np.flatnonzero(played.learner)
        values, advantage = values.reshape(-1)[rows], advantage.reshape(-1)[rows]
        data = (
            observations[rows],
            hidden[rows],
            played.masks.reshape(-1, N_ACTIONS)[rows],
            played.actions.reshape(-1)[rows],
            played.log_probs.reshape(-1)[rows],
            (advantage - advantage.mean()) / (advantage.std() + 1e-8),
            advantage + values,
        )
        tensors = [torch.from_numpy(array).to(self.device) for array in data]
        self._set_learning_rate(fraction)
        entropy = args.entropy + fraction * (args.last_entropy - args.entropy)
        started = time.perf_counter()
        measured = self._gradient_steps(tensors, entropy, played.seats.size)
        self.torch_seconds += time.perf_counter() - started
        self.updates += 1
        spread = float(np.var(advantage + values))
        return measured | {
            "explained_variance": 1 - float(np.var(advantage)) / spread if spread else 0.0,
            "learned_from": float(len(rows)),
        }

    def _set_learning_rate(self, fraction: float) -> None:
        args = self.args
        rate = args.learning_rate + fraction * (args.last_learning_rate - args.learning_rate)
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def _gradient_steps(self, tensors: list[Tensor], entropy: float, size: int) -> dict[str, float]:
        """Epochs of gradient steps. Every process takes the same number of steps, set by `size`."""
        pieces = max(1, size // self.args.minibatch)
        totals: Tensor = torch.zeros(5, device=self.device)
        generator = np.random.default_rng([self.args.seed, rank(), self.updates])
        for _ in range(self.args.epochs):
            order = torch.from_numpy(generator.permutation(len(tensors[0]))).to(self.device)
            for rows in order.tensor_split(pieces):
                totals += self._gradient_step([tensor[rows] for tensor in tensors], entropy)
        names = ("policy_loss", "value_loss", "entropy", "approximate_kl", "clip_fraction")
        return dict(zip(names, (totals / (pieces * self.args.epochs)).tolist(), strict=True))

    def _gradient_step(self, batch: list[Tensor], entropy_weight: float) -> Tensor:
        observations, hidden, masks, actions, old_log_probs, advantage, returns = batch
        log_probs = masked_log_probs(self.policy(observations, None, self.precision), masks)
        log_prob = log_probs.gather(1, actions[:, None]).squeeze(1)
        log_ratio = log_prob - old_log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - self.args.clip, 1 + self.args.clip)
        policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        value_loss = functional.mse_loss(self._value(observations, hidden), returns)
        loss = policy_loss - entropy_weight * entropy + value_loss
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        for network in (self.policy, self.critic):
            share_gradients(network)
            torch.nn.utils.clip_grad_norm_(network.parameters(), self.args.max_gradient)
        self.optimiser.step()
        with torch.no_grad():
            kl = ((ratio - 1) - log_ratio).mean()
            moved = ((ratio - 1).abs() > self.args.clip).float().mean()
            return torch.stack([policy_loss, value_loss, entropy, kl, moved]).detach()

    def options(self) -> dict[str, Any]:
        """The options as plain values that JSON and a checkpoint can hold."""
        return plain(self.args)

    def remember_self(self) -> None:
        """Put the policy among the past selves; when they are too many, one goes, evenly spread."""
        self.past.append({k: v.clone() for k, v in frozen(self.policy).state_dict().items()})
        if len(self.past) > MOST_PAST_SELVES:
            generator = np.random.default_rng([self.args.seed, self.updates])
            del self.past[int(generator.integers(len(self.past) - 1))]

    def opponents(self) -> list[Pilot]:
        """Some past selves, another choice at each update, and the fixed agents."""
        generator = np.random.default_rng([self.args.seed, self.updates, 1])
        n = min(PAST_SELVES_AT_ONCE, len(self.past))
        chosen: list[Pilot] = []
        for i in generator.choice(len(self.past), n, replace=False) if n else ():
            twin = frozen(self.policy)
            twin.load_state_dict(self.past[i])
            chosen.append(frozen(twin, self.precision))
        return chosen + [make_player(name) for name in self.args.fixed_agents]


def masked_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities (N, A) of the legal actions; illegal ones get a very low but finite number,
    so that nothing is ever NaN, not even if no action were legal."""
    return functional.log_softmax(logits.masked_fill(masks == 0, -1e9), 1)


def choose_precision(wish: str, device: torch.device) -> torch.dtype:
    """bfloat16 where the processor multiplies it natively, unless a precision is asked for."""
    if wish == "auto":
        fast = (
            torch.ops.mkldnn._is_mkldnn_bf16_supported()
            if device.type == "cpu"
            else torch.cuda.is_bf16_supported()
        )
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if wish == "bfloat16" else torch.float32


def rank() -> int:
    """This process's number among those that train together."""
    return dist.get_rank() if dist.is_initialized() else 0


def over_all(number: int) -> int:
    """The sum of a number over the processes that train together: their loops must stay in step."""
    if not dist.is_initialized():
        return number
    total = torch.tensor(number)
    dist.all_reduce(total)
    return int(total)


def share_gradients(network: Network) -> None:
    """Average the gradients over the processes that train together."""
    if dist.is_initialized():
        gradients = [p.grad for p in network.parameters() if p.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()


def new_self_play(args: Args) -> SelfPlay:
    """This process's tables; each process deals other cards."""
    rules = [get_rules(args.rules[i % len(args.rules)]) for i in range(args.tables)]
    first = rank() * args.tables
    batch = Batch(
        args.tables,
        rules,
        seed=args.seed,
        first_index=first,
        episode=args.episode,
        reward=args.reward,
        suits="canonical",
        skip_forced=True,
        with_hidden=True,
    )
    return SelfPlay(batch, args.past_selves, args.seed, first, args.exploring)


def train(args: Args) -> Learner:
    """Train as `args` say; returns the learner at the end. Raises ValueError for options that do not
    go together."""
    if args.resume:
        args = resumed(args)
    check(args)
    if "RANK" in os.environ and not dist.is_initialized():  # started by torchrun
        dist.init_process_group("gloo")
    if args.threads:
        torch.set_num_threads(args.threads)
    name = ("cuda" if torch.cuda.is_available() else "cpu") if args.device == "auto" else args.device
    learner = Learner(args, torch.device(name))
    self_play = new_self_play(args)
    if args.resume:
        load_checkpoint(learner, self_play, rank())
    elif args.start:
        load_networks(learner, Path(args.start))
    played = new_experience(args.steps, args.tables)
    with Reporter(args, learner, first=rank() == 0) as reporter:
        while learner.decisions < args.decisions:
            fraction = learner.decisions / args.decisions
            self_play.seat_opponents(learner.opponents() if args.past_selves else [])
            self_play.rollout(frozen(learner.policy, learner.precision), played)
            measured = learner.learn(played, fraction)
            before, now = learner.decisions, learner.decisions + over_all(played.decisions)
            learner.decisions = now
            reporter.update(played, measured, learner.torch_seconds + self_play.torch_seconds)
            if crossed(before, now, max(1, args.decisions // 20)):
                learner.remember_self()
            if crossed(before, now, args.evaluate_every):
                reporter.evaluate()
            if crossed(before, now, args.save_every) or now >= args.decisions:
                save_checkpoint(learner, self_play, rank())
    return learner


def resumed(args: Args) -> Args:
    """The options the run was started with."""
    saved = saved_options(args.run)
    if set(saved) != {field.name for field in dataclasses.fields(Args)}:
        raise ValueError(f"{args.run}: was trained by another version of hpenv")
    saved = {k: tuple(v) if isinstance(v, list) else v for k, v in saved.items()}
    return Args(**saved | {"run": args.run, "resume": True})


def crossed(before: int, now: int, every: int) -> bool:
    """Whether a multiple of `every` lies after `before` and not after `now`."""
    return now // every > before // every


def check(args: Args) -> None:
    """Refuse options that make no sense, naming them."""
    positive = (
        "decisions tables steps epochs minibatch width depth evaluate_every evaluate_deals save_every"
    )
    for name in positive.split():
        if getattr(args, name) < 1:
            raise ValueError(f"{name}={getattr(args, name)}: must be at least 1")
    if not args.rules:
        raise ValueError("rules: give at least one preset")
    for preset in args.rules:
        get_rules(preset)
    for share in ("past_selves", "exploring", "gamma", "smoothing"):
        if not 0 <= getattr(args, share) <= 1:
            raise ValueError(f"{share}={getattr(args, share)}: must be from 0 to 1")
    for agent in args.fixed_agents:
        make_player(agent)
    if args.reward == "win" and args.episode == "deal":
        raise ValueError("reward=win needs episode=game: a single deal wins nothing")


def plain(args: Args) -> dict[str, Any]:
    """The options as plain values that JSON and a checkpoint can hold."""
    return {
        key: str(value)
        if isinstance(value, Path)
        else list(value)
        if isinstance(value, tuple)
        else value
        for key, value in dataclasses.asdict(args).items()
    }
