"""Proximal policy optimisation (Schulman et al. 2017) by self-play, on one page.

One network learns auction, trump, discard, alone and play for every seat. Its critic may see all the
cards (`critic="privileged"`); the policy sees its view only. Forced actions are neither asked of the
network nor learned from. From top to bottom: `train` and the loop of a run, the update with its loss,
and the advantages. self_play.py plays the rollouts, options.py explains the options, reporting.py the
curves; checkpoint.py keeps a run, resume.py goes on with it.
"""

import dataclasses
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hpenv.actions import N_ACTIONS
from hpenv.agents.learned import save_policy
from hpenv.agents.network import Network, masked_logprobs
from hpenv.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from hpenv.seats import N_SEATS
from hpenv.training import distributed
from hpenv.training.checkpoint import read_checkpoint, write_checkpoint
from hpenv.training.devices import choose_precision, device_called
from hpenv.training.options import Args, annealed, as_plain, check, provenance
from hpenv.training.reporting import Reporter, finished, goes_on, say
from hpenv.training.run_folder import (
    CHECKPOINT,
    POLICY,
    begin_run,
    fresh_folder,
    keep_origin,
    origin,
    refuse_a_used_folder,
)
from hpenv.training.self_play import (
    OpponentPool,
    Rollout,
    SelfPlay,
    frozen,
    new_rollout,
    new_self_play,
    points_per_deal,
)
from hpenv.training.stopping import StopRequest
from hpenv.training.vine import vine_loss

__all__ = ["Args", "Diverged", "Learner", "train"]

CHUNK = 8192  # rows the critic looks at together
LOSSES = ["policy_loss", "value_loss", "entropy", "approx_kl", "clipfrac"]
LOSSES += ["policy_grad_norm", "value_grad_norm", "vine_loss"]  # norms before clipping


class Diverged(ValueError):
    """A loss or a weight is no longer a finite number."""


def train(args: Args, kind: "type[Learner] | None" = None) -> "Learner":
    """Train as `args` say; returns the learner at the end. kind: its class, if not `Learner` itself.

    Ctrl-C and SIGTERM save first, and then raise KeyboardInterrupt or SystemExit. Raises ValueError for
    options that make no sense, before anything is created, and Diverged.
    """
    check(args)
    device_called(args.device)
    if args.run_dir is not None and distributed.rank() == 0:  # another may come when this run has begun
        refuse_a_used_folder(args.run_dir)
    return distributed.in_processes(args.processes, _train, args, kind or Learner)


def _train(args: Args, kind: "type[Learner]") -> "Learner":
    """A run from its beginning, in one process of those that train together."""
    with StopRequest() as stop, distributed.processes():
        if args.run_dir is None:
            args = dataclasses.replace(args, run_dir=distributed.gathered(fresh_folder("train"))[0])
        learner = kind(args, device_called(args.device))
        if args.init_from is not None:
            learner.take_networks(args.init_from)
        self_play = new_self_play(args)
        if distributed.rank() == 0:
            begin_run(learner.folder, as_plain(args))
            if args.init_from is not None:
                keep_origin(learner.folder, args.init_from)
        return improve(learner, self_play, stop)


def improve(learner: "Learner", self_play: SelfPlay, stop: StopRequest) -> "Learner":
    """The loop of a run: roll out, update, and now and then remember, evaluate, save."""
    args, first = learner.args, distributed.rank() == 0
    if args.num_threads:
        torch.set_num_threads(args.num_threads)
    rollout = new_rollout(args.num_steps, args.num_envs)
    reporter = Reporter(learner.folder, as_plain(args), learner.timesteps, learner.seconds, first)
    with reporter:

        def evaluate() -> None:
            learner.evaluation_due = not reporter.evaluate(frozen(learner.policy), lambda: bool(stop))

        def save() -> None:
            learner.seconds = reporter.seconds
            states = distributed.gathered(self_play.state())
            reporter.flush()  # so that no point is missing that is older than the checkpoint
            if first:
                learner.save(states)

        if learner.evaluation_due:
            evaluate()
            save()
        stopped = False
        while learner.timesteps < args.total_timesteps and not stopped:
            if args.opponent_share:
                self_play.seat_opponents(learner.pool.chosen(learner.policy, learner.updates))
            self_play.play(frozen(learner.policy, learner.precision), rollout)
            curves = learner.update(rollout)
            before = learner.timesteps
            learner.timesteps += distributed.total(rollout.timesteps)
            torch_seconds = learner.torch_seconds + self_play.torch_seconds
            reporter.update(learner.timesteps, learner.updates, curves, torch_seconds)
            done = learner.timesteps >= args.total_timesteps
            if crossed(before, learner.timesteps, max(1, args.total_timesteps // 20)):
                learner.pool.remember(learner.policy, learner.updates)
            if done or crossed(before, learner.timesteps, args.eval_interval):
                evaluate()
            stopped = distributed.total(int(bool(stop))) > 0
            if done or stopped or crossed(before, learner.timesteps, args.save_interval):
                save()
    whole = learner.timesteps >= args.total_timesteps and not learner.evaluation_due
    if first and whole:
        say(finished(learner.folder, learner.timesteps))
    elif first:
        say(goes_on(learner.folder, learner.timesteps))
    if stopped or stop:
        stop.leave()
    return learner


class Learner:
    """Policy and critic, one optimizer for both, and how far the run has come."""

    def __init__(self, args: Args, device: torch.device) -> None:
        torch.manual_seed(args.seed)
        self.args = args
        self.device = device
        self.policy = Network(N_ACTIONS, args.hidden_sizes).to(device)
        self.privileged = args.critic == "privileged"
        self.critic = Network(1, args.critic_hidden_sizes, hidden=self.privileged).to(device)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=args.learning_rate, eps=1e-5, fused=True)
        self.precision = choose_precision(args.precision, device)
        self.timesteps = 0
        self.updates = 0
        self.seconds = 0.0  # of the run when it was last saved
        self.evaluation_due = False  # it was stopped before the evaluation at this point
        self.torch_seconds = 0.0  # spent learning by this process
        self.pool = OpponentPool(args.fixed_opponents, args.seed, self.precision, args.past_selves)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        assert self.args.run_dir is not None
        return self.args.run_dir

    def update(self, rollout: Rollout) -> dict[str, float]:
        """One update from a rollout; returns its curves. Raises Diverged.

        If in some process the policy did not act at all, none of them learns from this rollout.
        """
        args = self.args
        fraction = self.timesteps / args.total_timesteps
        learning_rate = annealed(args.learning_rate, args.final_learning_rate, fraction)
        ent_coef = annealed(args.ent_coef, args.final_ent_coef, fraction)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        observations = rollout.observations.reshape(-1, OBSERVATION_SIZE)
        hidden = rollout.hidden.reshape(-1, HIDDEN_SIZE)
        valued = np.flatnonzero(rollout.own | rollout.explored)
        values = np.zeros(rollout.seats.shape, np.float32)
        values.reshape(-1)[valued] = self.values(observations[valued], hidden[valued])
        ends = zip(rollout.next_observations, rollout.next_hidden, strict=True)
        bootstrap = np.stack([self.values(*end) for end in ends], 1)
        advantages = gae(rollout, values, bootstrap, args.reward_scale, args.gamma, args.gae_lambda)

        rows = np.flatnonzero(rollout.own)
        b_values, b_advantages = values.reshape(-1)[rows], advantages.reshape(-1)[rows]
        returns = b_advantages + b_values
        curves = {
            "charts/learning_rate": learning_rate,
            "charts/ent_coef": ent_coef,
            "charts/points_per_deal": points_per_deal(rollout),
            "charts/own_share": len(rows) / rollout.seats.size,
        }
        fewest = distributed.least(len(rows))
        if fewest:
            data = (
                observations[rows],
                hidden[rows],
                rollout.masks.reshape(-1, N_ACTIONS)[rows],
                rollout.actions.reshape(-1)[rows],
                rollout.logprobs.reshape(-1)[rows],
                (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8),
                returns,
            )
            tensors = [torch.from_numpy(array).to(self.device) for array in data]
            minibatches = min(fewest, max(1, rollout.seats.size // args.minibatch_size))
            curves |= self._epochs(tensors, self._tried(rollout), minibatches, ent_coef)
            variance = float(np.var(returns))
            explained = 1 - float(np.var(b_advantages)) / variance if variance else 0.0
            curves["losses/explained_variance"] = explained
        self.updates += 1
        return curves

    def _tried(self, rollout: Rollout) -> list[Tensor]:
        """What `vine_loss` takes of the decisions where every action was tried out, observations first;
        nothing if there are none."""
        tried = rollout.tried
        if tried is None or not len(tried.rows):
            return []
        legal = rollout.masks.reshape(-1, N_ACTIONS)[tried.rows] != 0
        observations = rollout.observations.reshape(-1, OBSERVATION_SIZE)[tried.rows]
        data = observations, legal, tried.likely, tried.advantages(legal)
        return [torch.from_numpy(array).to(self.device) for array in data]

    def _epochs(
        self, tensors: list[Tensor], tried: list[Tensor], minibatches: int, ent_coef: float
    ) -> dict[str, float]:
        """Gradient steps, as many in every process; returns the mean of each loss."""
        started = time.perf_counter()
        sums: Tensor = torch.zeros(len(LOSSES), device=self.device)
        generator = np.random.default_rng([self.args.seed, distributed.rank(), self.updates])
        for _ in range(self.args.update_epochs):
            order = torch.from_numpy(generator.permutation(len(tensors[0]))).to(self.device)
            mixed = torch.from_numpy(generator.permutation(len(tried[0]) if tried else 0))
            parts = [tensor[mixed].tensor_split(minibatches) for tensor in tried]
            for i, rows in enumerate(order.tensor_split(minibatches)):
                minibatch = [tensor[rows] for tensor in tensors]
                sums += self._gradient_step(minibatch, [part[i] for part in parts], ent_coef)
        means = (sums / (minibatches * self.args.update_epochs)).tolist()
        losses = dict(zip(LOSSES, means, strict=True))
        if not tried:
            del losses["vine_loss"]
        weights = [*self.policy.parameters(), *self.critic.parameters()]
        if not (np.isfinite(means).all() and all(bool(w.isfinite().all()) for w in weights)):
            raise Diverged(self._divergence(losses))
        self.torch_seconds += time.perf_counter() - started
        return {f"losses/{name}": value for name, value in losses.items()}

    def _gradient_step(self, minibatch: list[Tensor], tried: list[Tensor], ent_coef: float) -> Tensor:
        """One step of Adam on the clipped objective; returns LOSSES, a tensor (8,)."""
        observations, hidden, masks, actions, old_logprobs, advantages, returns = minibatch
        legal = masks != 0
        logprobs = masked_logprobs(self.policy(observations, None, self.precision), legal)
        newlogprob = logprobs.gather(1, actions[:, None]).squeeze(1)
        logratio = newlogprob - old_logprobs
        ratio = logratio.exp()
        clipped = ratio.clamp(1 - self.args.clip_coef, 1 + self.args.clip_coef)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        legal_logprobs = logprobs * legal  # exp is slow where it comes to nothing
        entropy = -(legal_logprobs.exp() * legal_logprobs).sum(1).mean()
        value_loss = functional.mse_loss(self._value(observations, hidden), returns)
        loss = policy_loss - ent_coef * entropy + value_loss
        of_tried = torch.zeros((), device=self.device)
        if tried:
            seen, *known = tried
            of_tried = vine_loss(self.policy(seen, None, self.precision), *known)
            loss = loss + self.args.vine_coef * of_tried
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norms = []
        for network in (self.policy, self.critic):
            distributed.average_gradients(network)
            norm = torch.nn.utils.clip_grad_norm_(network.parameters(), self.args.max_grad_norm)
            norms.append(norm)
        self.optimizer.step()
        with torch.no_grad():
            approx_kl = ((ratio - 1) - logratio).mean()
            clipfrac = ((ratio - 1).abs() > self.args.clip_coef).float().mean()
            losses = [policy_loss, value_loss, entropy, approx_kl, clipfrac, *norms, of_tried]
            return torch.stack(losses).detach()

    def values(self, observations: NDArray[np.int8], hidden: NDArray[np.int8]) -> NDArray[np.float32]:
        """The critic's values of observations (N, F) and hidden parts (N, H): (N,)."""
        found, started = [], time.perf_counter()
        pieces = max(1, -(-len(observations) // CHUNK))
        with torch.inference_mode():
            for seen, unseen in zip(
                torch.from_numpy(observations).tensor_split(pieces),
                torch.from_numpy(hidden).tensor_split(pieces),
                strict=True,
            ):
                found.append(self._value(seen.to(self.device), unseen.to(self.device)))
        values: NDArray[np.float32] = torch.cat(found).cpu().numpy()
        self.torch_seconds += time.perf_counter() - started
        return values

    def _value(self, seen: Tensor, unseen: Tensor) -> Tensor:
        hidden = unseen if self.privileged else None
        values: Tensor = self.critic(seen, hidden, self.precision)
        return values.squeeze(1)

    def save(self, self_play: list[dict[str, Tensor]]) -> None:
        """Write the checkpoint, with the tables of all processes, and the policy as it stands."""
        parts = {
            "options": json.dumps(as_plain(self.args)),
            "timesteps": self.timesteps,
            "updates": self.updates,
            "seconds": self.seconds,
            "evaluation_due": self.evaluation_due,
            "policy": dict(self.policy.state_dict()),
            "critic": dict(self.critic.state_dict()),
            "optimizer": self.optimizer.state_dict(),
            "past_selves": self.pool.past_selves,
            "self_play": self_play,
        }
        write_checkpoint(self.folder, parts)
        counts = {"timesteps": self.timesteps, "updates": self.updates, "processes": len(self_play)}
        facts = provenance(self.args, **counts, seconds=round(self.seconds)) | origin(self.folder)
        save_policy(self.policy, self.folder / POLICY, facts)

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from the parts of a checkpoint. Raises KeyError, RuntimeError or ValueError."""
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self.optimizer.load_state_dict(state["optimizer"])
        for past in state["past_selves"]:
            frozen(self.policy).load_state_dict(past)
        self.pool.past_selves = state["past_selves"]
        self.timesteps, self.updates = state["timesteps"], state["updates"]
        self.seconds, self.evaluation_due = state["seconds"], state["evaluation_due"]

    def take_networks(self, folder: Path) -> None:
        """Begin with the policy and critic of another run. Raises ValueError."""
        state = read_checkpoint(folder)
        try:
            self.policy.grow_from(state["policy"])
            self.critic.grow_from(state["critic"])
        except ValueError as error:
            raise ValueError(
                f"init_from: the networks in {folder} do not fit into this run's: {error}"
            ) from error

    def _divergence(self, losses: dict[str, float]) -> str:
        wrong = [name for name, value in losses.items() if not np.isfinite(value)] or ["a weight"]
        saved = self.folder / CHECKPOINT
        kept = f"{saved} is as it was last saved" if saved.exists() else "nothing had been saved yet"
        return (
            f"training diverged at update {self.updates}, {self.timesteps:,} timesteps: "
            f"{', '.join(wrong)} not finite; {kept}. A smaller learning_rate may help"
        )


def gae(
    rollout: Rollout,
    values: NDArray[np.float32],
    bootstrap: NDArray[np.float32],
    reward_scale: float,
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Generalised advantage estimates (Schulman et al. 2016), each seat's decisions its own chain.

    values (T, B): of the policy's and the explored decisions. bootstrap (B, S): what each seat may
    still expect after the last step. Returns (T, B), 0 where the policy did not act. A reward belongs
    to the seat's latest decision before it; the end of an episode cuts every chain; an explored action
    cuts its seat's, which may expect there what the critic does.
    """
    discount, trace = np.float32(gamma), np.float32(gamma) * np.float32(gae_lambda)
    rewards = rollout.rewards * np.float32(reward_scale)
    num_steps, num_envs = rollout.seats.shape
    every = np.arange(num_envs)
    advantages = np.zeros((num_steps, num_envs), np.float32)
    next_value = bootstrap.copy()
    next_advantage = np.zeros((num_envs, N_SEATS), np.float32)
    earned = np.zeros((num_envs, N_SEATS), np.float32)
    for t in reversed(range(num_steps)):
        over = rollout.dones[t]
        next_value[over] = next_advantage[over] = earned[over] = 0
        earned += rewards[t]
        own = rollout.own[t]
        seat = every[own], rollout.seats[t, own]
        delta = earned[seat] + discount * next_value[seat] - values[t, own]
        advantages[t, own] = delta + trace * next_advantage[seat]
        decided = own | rollout.explored[t]
        seat = every[decided], rollout.seats[t, decided]
        next_value[seat] = values[t, decided]
        next_advantage[seat] = advantages[t, decided]
        earned[seat] = 0
    return advantages


def crossed(before: int, now: int, every: int) -> bool:
    """Whether a multiple of `every` lies after `before` and not after `now`."""
    return now // every > before // every
