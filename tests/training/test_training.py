"""Self-play and PPO: credit by hand, exact ratios, masks that never give NaN, runs that resume."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hpenv.actions import N_ACTIONS, PASS
from hpenv.agents.agent import make_agent
from hpenv.agents.learned import Learned, Network, choose_by_chance, load_policy
from hpenv.batch import Batch
from hpenv.observation import OBSERVATION_SIZE
from hpenv.training.checkpoint import checkpoint_path
from hpenv.training.ppo import Args, Learner, masked_log_probs, new_self_play, train
from hpenv.training.self_play import SelfPlay, advantages, frozen, new_experience

CPU = torch.device("cpu")


def small(run: Path, **changes: Any) -> Args:
    """A run of a few seconds."""
    options = {
        "run": run,
        "rules": ("mini2", "standard"),
        "decisions": 6_000,
        "tables": 16,
        "steps": 16,
        "minibatch": 64,
        "width": 16,
        "evaluate_every": 3_000,
        "evaluate_deals": 20,
        "save_every": 2_000,
        "precision": "float32",
        "threads": 1,
    }
    return Args(**(options | changes))  # type: ignore[arg-type]


# ---- credit -----------------------------------------------------------------------------------


def test_advantages_of_a_hand_worked_case() -> None:
    """One table, gamma 1, lambda 1/2; seats 0 and 1 act in turn; the episode ends after step 3.

    Seat 0 acts at steps 0 and 2, seat 1 at 1 and 3, and the end brings seat 0 +3 and seat 1 -3. Step 4
    begins another episode with seat 0, of whom the critic still expects 2 at the end.
    Seat 0: step 2: 3 - 0.5 = 2.5; step 0: 0.5 - 1 + 0.5 * 2.5 = 0.75.
    Seat 1: step 3: -3 - (-1) = -2; step 1: -1 - 0 + 0.5 * -2 = -2. Step 4: 2 - 1.5 = 0.5.
    """
    seats = np.array([[0], [1], [0], [1], [0]])
    learner = np.ones((5, 1), np.bool_)
    rewards = np.zeros((5, 1, 4), np.float32)
    rewards[3, 0] = [3, -3, 3, -3]
    ended = np.array([[False], [False], [False], [True], [False]])
    explored = np.zeros((5, 1), np.bool_)
    values = np.array([[1], [0], [0.5], [-1], [1.5]], np.float32)
    last = np.array([[2, 7, 7, 7]], np.float32)
    out = np.zeros((5, 1), np.float32)
    half, one = np.float32(0.5), np.float32(1)
    advantages(seats, learner, explored, rewards, ended, values, last, one, half, out)
    assert out[:, 0].tolist() == [0.75, -2.0, 2.5, -2.0, 0.5]


def test_a_reward_belongs_to_the_latest_decision_before_it_and_guests_learn_nothing() -> None:
    """Seat 0 decides at step 0; its rewards of steps 1 and 2 are its own, though others act there."""
    seats = np.array([[0], [1], [2]])
    learner = np.array([[True], [False], [True]])
    rewards = np.zeros((3, 1, 4), np.float32)
    rewards[1, 0, 0], rewards[2, 0, 0], rewards[2, 0, 2] = 1, 2, 5
    ended = np.array([[False], [False], [True]])
    out = np.full((3, 1), 99, np.float32)
    zeros = np.zeros((3, 1), np.float32)
    nothing = np.zeros((1, 4), np.float32)
    one, explored = np.float32(1), np.zeros((3, 1), np.bool_)
    advantages(seats, learner, explored, rewards, ended, zeros, nothing, one, one, out)
    assert out[:, 0].tolist() == [3.0, 99.0, 5.0]


def test_an_explored_action_cuts_its_seats_chain() -> None:
    """Seat 0 decides at step 0, chance at step 1 in its place, seat 0 again at step 2, for +8 in all.
    The decision before chance may expect the critic's 0.25 there, not the 8 that came of it."""
    seats = np.zeros((3, 1), np.int64)
    learner, explored = np.array([[True], [False], [True]]), np.array([[False], [True], [False]])
    rewards = np.zeros((3, 1, 4), np.float32)
    rewards[2, 0, 0] = 8
    ended = np.array([[False], [False], [True]])
    values = np.array([[1], [0.25], [3]], np.float32)
    out, nothing, one = np.zeros((3, 1), np.float32), np.zeros((1, 4), np.float32), np.float32(1)
    advantages(seats, learner, explored, rewards, ended, values, nothing, one, one, out)
    assert out[:, 0].tolist() == [-0.75, 0.0, 5.0]


def test_exploring_replaces_calls_and_never_cards() -> None:
    batch = Batch(64, "standard", seed=4, episode="deal", skip_forced=True, with_hidden=True)
    play = SelfPlay(batch, 0.0, 1, exploring=0.3)
    play.seat_opponents([])
    played = new_experience(40, 64)
    play.rollout(Network(N_ACTIONS, 8, 1), played)
    calls = played.masks[:, :, PASS:].any(2)
    share = played.explored[calls].mean()
    assert 0.25 < share < 0.35
    assert not played.explored[~calls].any()
    assert np.array_equal(played.explored, ~played.learner)


@pytest.mark.parametrize("episode", ["deal", "game"])
def test_returns_equal_what_the_environment_paid_each_seat(episode: str) -> None:
    """With values of zero and lambda 1, the advantage of a seat's first decision of an episode is the
    sum of all the rewards the batch gave that seat until the episode's end."""
    batch = Batch(8, "house", seed=5, episode=episode, skip_forced=True, with_hidden=True)
    play = SelfPlay(batch, 0.0, 1)
    play.seat_opponents([])
    played = new_experience(120, 8)
    play.rollout(Network(N_ACTIONS, 8, 1), played)
    out, zeros = np.zeros((120, 8), np.float32), np.zeros((120, 8), np.float32)
    nothing = np.zeros((8, 4), np.float32)
    one = np.float32(1)
    advantages(
        played.seats,
        played.learner,
        played.explored,
        played.rewards,
        played.ended,
        zeros,
        nothing,
        one,
        one,
        out,
    )
    checked = 0
    for table in range(8):
        start, first = 0, dict[int, int]()
        for t in range(120):
            first.setdefault(int(played.seats[t, table]), t)
            if played.ended[t, table]:
                paid = played.rewards[start : t + 1, table].sum(0)
                for seat, step in first.items():
                    assert out[step, table] == paid[seat]
                    checked += paid[seat] != 0
                start, first = t + 1, {}
    assert checked > 3


# ---- policy -----------------------------------------------------------------------------------


def test_masked_policy_never_gives_nan() -> None:
    logits = torch.tensor([[1e4, -1e4, 3.0], [5.0, 5.0, 5.0]], requires_grad=True)
    masks = torch.tensor([[0, 1, 1], [0, 0, 0]], dtype=torch.int8)
    log_probs = masked_log_probs(logits, masks)
    entropy = -(log_probs.exp() * log_probs).sum()
    (entropy + log_probs[0, 2]).backward()
    assert torch.isfinite(log_probs).all()
    assert torch.isfinite(logits.grad).all()  # type: ignore[arg-type]
    assert log_probs[0].exp().tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_ratio_is_one_before_the_first_update(tmp_path: Path, precision: str) -> None:
    """Old log-probabilities come from the compiled chooser, new ones from torch: they must agree."""
    args = small(tmp_path, precision=precision, exploring=0.0)
    learner = Learner(args, CPU)
    play, played = new_self_play(args), new_experience(args.steps, args.tables)
    play.seat_opponents([])
    play.rollout(frozen(learner.policy, learner.precision), played)
    assert played.learner.all()
    observations = torch.from_numpy(played.observations.reshape(-1, OBSERVATION_SIZE))
    masks = torch.from_numpy(played.masks.reshape(-1, N_ACTIONS))
    actions = torch.from_numpy(played.actions.reshape(-1, 1))
    with torch.inference_mode():
        logits = learner.policy(observations, None, learner.precision)
        new = masked_log_probs(logits, masks).gather(1, actions).squeeze(1).numpy()
    assert (masks.sum(1) >= 2).all(), "forced actions stay out of the batch"
    assert np.abs(np.exp(new - played.log_probs.reshape(-1)) - 1).max() < 1e-5


def test_actions_are_drawn_with_the_softmax_probabilities() -> None:
    n = 40_000
    logits = np.tile(np.log(np.array([0.0001, 0.5, 0.3, 0.2], np.float32)), (n, 1))
    legal = np.full(n, 0b1110, np.int64)
    streams = np.arange(n).astype(np.uint64) * np.uint64(7)
    actions, log_probs = np.zeros(n, np.int64), np.zeros(n, np.float32)
    choose_by_chance(logits, legal, streams, actions, log_probs)
    drawn = np.bincount(actions, minlength=4) / n
    assert drawn[0] == 0
    assert np.abs(drawn[1:] - [0.5, 0.3, 0.2]).max() < 0.012
    assert np.allclose(np.exp(log_probs), np.array([0, 0.5, 0.3, 0.2])[actions], atol=1e-6)


def test_guests_sit_on_one_side_and_only_the_learner_learns() -> None:
    batch = Batch(10, "standard", seed=2, episode="deal", skip_forced=True, with_hidden=True)
    play = SelfPlay(batch, 0.4, 1)
    play.seat_opponents([make_agent("uniform")])
    assert play.pilots.tolist() == [[0] * 4] * 6 + [[1, 0, 1, 0], [0, 1, 0, 1]] * 2
    played = new_experience(30, 10)
    play.rollout(Network(N_ACTIONS, 8, 1), played)
    guests = play.pilots[np.arange(10), played.seats] > 0
    assert np.array_equal(played.learner, ~guests)
    assert (played.log_probs[guests] == 0).all()


# ---- runs -------------------------------------------------------------------------------------


def test_a_killed_run_resumes_to_the_same_policy_bit_for_bit(tmp_path: Path) -> None:
    whole = train(small(tmp_path / "whole", past_selves=0.3, fixed_agents=("uniform",)))
    args = small(tmp_path / "cut", past_selves=0.3, fixed_agents=("uniform",))

    class Killed(Exception):
        pass

    def killed(learner: Learner, *_: Any) -> None:
        if learner.decisions > 3_000:
            raise Killed

    original = Learner.remember_self
    Learner.remember_self = lambda self: (original(self), killed(self))[0]  # type: ignore[method-assign]
    try:
        with pytest.raises(Killed):
            train(args)
    finally:
        Learner.remember_self = original  # type: ignore[method-assign]
    resumed = train(Args(run=args.run, resume=True))
    assert resumed.updates == whole.updates
    assert resumed.decisions == whole.decisions
    for name, tensor in whole.policy.state_dict().items():
        assert torch.equal(tensor, resumed.policy.state_dict()[name]), name


def test_a_run_can_start_from_another(tmp_path: Path) -> None:
    first = train(small(tmp_path / "first", decisions=600))
    args = small(tmp_path / "second", start=str(tmp_path / "first"), decisions=1, learning_rate=0.0)
    second = train(dataclasses.replace(args, last_learning_rate=0.0))
    for name, tensor in first.policy.state_dict().items():
        assert torch.equal(tensor, second.policy.state_dict()[name])
    with pytest.raises(ValueError, match="other sizes"):
        train(dataclasses.replace(args, width=8))


def test_a_run_leaves_options_curves_and_a_policy_that_plays(tmp_path: Path) -> None:
    learner = train(small(tmp_path))
    options = json.loads((tmp_path / "options.json").read_text(encoding="utf-8"))
    assert options["tables"] == 16
    assert set(options) == {field.name for field in dataclasses.fields(Args)}
    events = EventAccumulator(str(tmp_path)).Reload()
    tags = set(events.Tags()["scalars"])
    for tag in (
        "eval/rule_based/mini2/points",
        "eval/sensible_random/standard/won",
        "eval/rule_based/standard/made",
        "losses/entropy",
        "losses/approximate_kl",
        "losses/clip_fraction",
        "train/explained_variance",
        "time/decisions_per_second",
        "time/torch_share",
    ):
        assert tag in tags, tag
    assert "eval/rule_based/standard/bids" in events.Tags()["histograms"]
    agent = make_agent(f"learned:{tmp_path}")
    assert isinstance(agent, Learned)
    saved = agent.network.state_dict()
    for name, tensor in learner.policy.state_dict().items():
        assert torch.equal(tensor.half().float(), saved[name])


def test_learning_learns_mini2(tmp_path: Path) -> None:
    """Some thousand deals of the two-card game are enough to beat random play clearly."""
    from hpenv.training.benchmark.matches import duplicate_match  # noqa: PLC0415

    args = small(tmp_path, rules=("mini2",), decisions=120_000, tables=128, minibatch=256, width=64)
    args = dataclasses.replace(args, evaluate_every=10**9, save_every=10**9, epochs=2)
    learner = train(args)
    match = duplicate_match(Learned(frozen(learner.policy)), "uniform", "mini2", 2_000, 3)
    assert match.low > 0.3


def test_two_processes_train_one_policy(tmp_path: Path) -> None:
    code = (
        f"import sys; from pathlib import Path; sys.path.insert(0, {str(Path(__file__).parent)!r});"
        "from test_training import small; from hpenv.training.ppo import train, rank; import torch;"
        f"learner = train(small(Path({str(tmp_path)!r})));"
        "sums = [float(p.double().sum()) for p in learner.policy.parameters()];"
        f"Path({str(tmp_path)!r}, f'sums-{{rank()}}').write_text(repr(sums))"
    )
    script = tmp_path / "both.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    first, second = ((tmp_path / f"sums-{i}").read_text(encoding="utf-8") for i in range(2))
    assert first == second
    assert checkpoint_path(tmp_path, 0).exists()
    assert checkpoint_path(tmp_path, 1).exists()


# ---- faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tables": 0}, "tables=0: must be at least 1"),
        ({"rules": ()}, "rules: give at least one preset"),
        ({"rules": ("whist",)}, "no preset 'whist'"),
        ({"past_selves": 1.5}, "past_selves=1.5: must be from 0 to 1"),
        ({"fixed_agents": ("nobody",)}, "no agent 'nobody'"),
        ({"reward": "win"}, "reward=win needs episode=game"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        train(small(tmp_path, **changes))


def test_damaged_missing_and_foreign_checkpoints_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"checkpoint\.pt: there is no checkpoint"):
        train(Args(run=tmp_path, resume=True))
    path = checkpoint_path(tmp_path, 0)
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match=r"checkpoint\.pt: damaged"):
        train(Args(run=tmp_path, resume=True))
    torch.save({"format": 999}, path)
    with pytest.raises(ValueError, match="another version"):
        train(Args(run=tmp_path, resume=True))


def test_damaged_weights_are_refused_by_name(tmp_path: Path) -> None:
    train(small(tmp_path, decisions=300))
    tensors, sheet = tmp_path / "policy.safetensors", tmp_path / "policy.json"
    whole = tensors.read_bytes()
    tensors.write_bytes(whole[:-40])
    with pytest.raises(ValueError, match=r"policy\.safetensors: damaged"):
        load_policy(tmp_path / "policy")
    tensors.write_bytes(whole)
    facts = json.loads(sheet.read_text(encoding="utf-8"))
    sheet.write_text(json.dumps(facts | {"pieces": facts["pieces"][1:]}), encoding="utf-8")
    with pytest.raises(ValueError, match="another version of the observation"):
        load_policy(tmp_path / "policy")
    sheet.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"policy\.json: damaged"):
        load_policy(tmp_path / "policy")
    tensors.unlink()
    with pytest.raises(ValueError, match=r"policy\.safetensors: there is no such file"):
        load_policy(tmp_path / "policy")
