"""The PettingZoo environment: PettingZoo's own tests, masks, options and illegal actions."""

from __future__ import annotations

import random
import re
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from episodes import OFFICIAL, SEAT_OF, complaints, decisions, flat, infos, mask_of, play
from hpenv.actions import ACTION_TEXT, ALONE, N_ACTIONS
from hpenv.cards import set_cards
from hpenv.errors import IllegalAction
from hpenv.hasenpfeffer_v0 import env, raw_env
from hpenv.rulebook import legal_actions
from hpenv.rules import Rules
from hpenv.table import rules_of
from naive_rules import PRESETS

with warnings.catch_warnings():
    # With pygame installed PettingZoo's tests import a game of PettingZoo's in a way it deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.state_test import state_test


# PettingZoo's api_test knows the names of its own games whose observations are dictionaries or whose
# masks are zero at the end, and warns of any other.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}:UserWarning")
    for text in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]


NON_DEFAULT = {
    "rules": {
        "bidding": "pepper",
        "set_penalty": "bid",
        "all_pass": "dealer_bids",
        "alone": False,
        "alone_factor": 2,
        "defenders_score": True,
        "target": 7,
        "max_deals": 2,
        "hand_size": 4,
    },
    "dtype": "float32",
    "score": (3, -2),
    "dealer": 2,
    "render_mode": "ansi",
}


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("preset", OFFICIAL)
def test_api_test_passes(preset: str, episode: str, mask_in: str, dtype: str) -> None:
    api_test(env(rules=preset, episode=episode, mask_in=mask_in, dtype=dtype), num_cycles=300)


@pytest.mark.parametrize(
    "options",
    [{}, {"history": True}, {"mask_in": "info"}, {"dtype": "float32", "reward": "win"}, NON_DEFAULT],
)
def test_seed_test_passes(options: dict[str, Any]) -> None:
    seed_test(lambda: env(**options), num_cycles=100)


def test_render_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(env)
    assert capsys.readouterr().out.count("dealer") > 5


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.filterwarnings("error")
def test_state_test_passes(dtype: str) -> None:
    state_test(env(dtype=dtype), env(dtype=dtype), num_cycles=20)


@pytest.mark.filterwarnings("error")
def test_api_test_warns_of_nothing_where_observations_are_arrays() -> None:
    with warnings.catch_warnings():
        api_test(env(mask_in="info"), num_cycles=100)


@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_100_000_random_steps_never_meet_an_empty_mask(mask_in: str) -> None:
    steps = 0
    sat_out = 0
    for n in range(1_000_000):
        game = raw_env(OFFICIAL[n % len(OFFICIAL)], mask_in=mask_in)
        game.reset(seed=n)
        rng = random.Random(n)
        while True:
            agent = game.agent_selection
            observation, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                break
            mask = mask_of(game, observation)
            legal = mask.nonzero()[0]
            assert len(legal)
            assert not game.table.sitting_out >> SEAT_OF[agent] & 1
            if steps % 50 == 0:
                assert set_cards(legal_actions(game.table)) == list(legal)
                others = [each for each in SEAT_OF if each != agent]
                seen = [game.observe(each) for each in others]
                assert not any(o["action_mask"].any() for o in seen if isinstance(o, dict))
                told = [game.infos[each] for each in others if game.infos[each]]
                assert not any(info["action_mask"].any() for info in told)
                sat_out += game.table.sitting_out > 0
            game.step(int(rng.choice(legal)))
            steps += 1
        assert not mask.all()
        everyone = [game.observe(each) for each in SEAT_OF]
        assert not any(o["action_mask"].any() for o in everyone if isinstance(o, dict))
        assert not any(info["action_mask"].any() for info in game.infos.values() if info)
        if steps >= 50_000:
            break
    assert sat_out > 0


def test_a_mask_can_sample_an_action() -> None:
    game = env()
    game.reset(seed=3)
    game.action_space("player_0").seed(3)
    for agent, observation in decisions(game, random.Random(3)):
        mask = observation["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (N_ACTIONS,)
        assert mask[game.action_space(agent).sample(mask)] == 1


def test_the_mask_is_in_one_place_only_and_infos_have_constant_keys() -> None:
    for mask_in in ("obs", "info"):
        game = env(mask_in=mask_in)
        game.reset(seed=1)
        for agent, observation in decisions(game, random.Random(1)):
            keys = {"obs": set(), "info": {"action_mask"}}[mask_in]
            assert [set(game.infos[each]) for each in SEAT_OF] == [keys] * 4
            assert isinstance(observation, dict) == (mask_in == "obs")
            if mask_in == "info":
                masks = [game.infos[each]["action_mask"] for each in SEAT_OF]
                assert [bool(mask.any()) for mask in masks] == [each == agent for each in SEAT_OF]


@pytest.mark.parametrize(
    "more",
    [
        {"episode": "deal", "history": True},
        {"episode": "deal", "mask_in": "info"},
        {"reward": "win", "history": True},
    ],
)
@pytest.mark.parametrize("seeds", [(8, 8), (8, None), (None, None)])
def test_every_option_outlasts_resets(more: dict[str, Any], seeds: tuple[int | None, ...]) -> None:
    options = NON_DEFAULT | more
    game = env(**options)
    for seed in (*seeds, *seeds):
        game.reset(seed=seed, options={"score": (1, 1), "dealer": 0, "anything": 1})
        table = game.unwrapped.table
        assert rules_of(table) == game.unwrapped.rules == Rules(**options["rules"])
        assert table.dealer == 2
        assert list(table.score) == [3, -2]
        assert isinstance(game.render(), str)
        observation = game.last()[0]
        if options.get("mask_in") == "info":
            assert game.infos[game.agent_selection]["action_mask"].any()
            assert observation.dtype == np.float32
        else:
            assert set(observation) == {"observation", "action_mask", "history"}
            assert observation["observation"].dtype == np.float32
        turns = play(game, random.Random(5))
        rewards = {turn[2] for turn in turns}
        ours = float(table.points[0] - table.points[1])
        if options.get("episode") == "deal":
            assert table.deals_played == 1
            assert rewards <= {0.0, ours, -ours}
        else:
            assert 1 <= table.deals_played <= 2
            assert rewards <= {0.0, 1.0, -1.0}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rules": "skat"}, "no preset 'skat'"),
        ({"rules": {"targets": 3}}, "no option 'targets'"),
        ({"episode": "hand"}, "episode='hand' is not one of game, deal"),
        ({"reward": "tricks"}, "reward='tricks' is not one of points, win"),
        ({"reward": "win", "episode": "deal"}, "needs episode='game'"),
        ({"mask_in": "both"}, "mask_in='both' is not one of obs, info"),
        ({"dtype": "float64"}, "dtype='float64' is not one of int8, float32"),
        ({"score": (10, 0)}, "below the target of 10"),
        ({"dealer": 4}, "dealer 4 is neither 0 to 3 nor N, E, S or W"),
        ({"history": "yes"}, "history='yes' is not one of False, True"),
        ({"history": True, "mask_in": "info"}, "history=True .* needs mask_in='obs'"),
        ({"render_mode": "rgb"}, "render_mode='rgb' is not one of None, human, ansi"),
    ],
)
def test_a_wrong_option_is_an_error_that_names_it(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        env(**options)


def test_an_illegal_action_is_an_error_of_the_raw_environment_and_changes_nothing() -> None:
    game = raw_env({**PRESETS["house"], "max_deals": 2}, mask_in="info")
    owed = False
    for seed in range(4):
        game.reset(seed=seed)
        for _ in decisions(game, random.Random(seed)):
            owed |= game.last()[1] != 0
            before, before_infos = game.get_state(), infos(game)
            said = complaints(game)
            assert said[0] == "no such action: -1 (actions are 0 to 38)"
            assert said[-1] == "no such action: 39 (actions are 0 to 38)"
            assert all(re.search(r"\(R\d+\).*tried", sentence) for sentence in said[1:-1])
            for junk in (None, "pass", 2.0, 2**70, np.array([25, 26]), np.float32(25)):
                with pytest.raises(IllegalAction, match="no such action"):
                    game.step(junk)
            assert game.get_state() == before
            assert infos(game) == before_infos
    assert owed  # some of them while a reward was waiting for the agent


def test_the_first_illegal_call_is_named_with_its_rule() -> None:
    game = raw_env(dealer=0)
    game.reset(seed=1)
    with pytest.raises(IllegalAction, match=r"^East must pass or bid.*, tried alone$"):
        game.step(ALONE)
    game.step(ACTION_TEXT.index("bid 4"))
    with pytest.raises(IllegalAction, match=r"South must bid more than the standing bid 4 \(R5\)"):
        game.step(ACTION_TEXT.index("bid 4"))


@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("turn", [0, 3, 9, 20])
def test_the_wrapped_environment_ends_the_game_at_an_illegal_action(mask_in: str, turn: int) -> None:
    game = env(mask_in=mask_in)
    game.reset(seed=8)
    for n, (agent, observation) in enumerate(decisions(game, random.Random(8))):
        if n == turn:
            offender, illegal = agent, int(np.argmin(mask_of(game, observation)))
            owed = dict(game.unwrapped.get_state()["cumulative_rewards"])
            break
    game.step(illegal)
    assert game.rewards == {each: -1.0 if each == offender else 0 for each in SEAT_OF}
    assert set(game.terminations.values()) == set(game.truncations.values()) == {True}
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        assert terminated
        assert truncated
        assert reward == (-1 if agent == offender else owed[agent])
        assert not mask_of(game, observation).any()
        game.step(None)
    assert game.agents == []
    game.reset(seed=8)
    assert len(play(game, random.Random(1))) > 4


def test_an_action_outside_the_space_is_caught_by_the_wrapper() -> None:
    game = env()
    game.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        game.step(N_ACTIONS)


def test_the_action_of_a_terminated_agent_is_none() -> None:
    game = raw_env("mini2", episode="deal")
    game.reset(seed=1)
    while not any(game.terminations.values()):
        game.step(int(game.last()[0]["action_mask"].argmax()))
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(25)


@pytest.mark.parametrize("kind", [int, np.int32, np.int64, np.int8])
@pytest.mark.parametrize("make", [raw_env, env])
def test_an_action_may_be_any_whole_number(make: Any, kind: Any) -> None:
    game, reference = make(episode="deal"), raw_env(episode="deal")
    for each in (game, reference):
        each.reset(seed=2)
    while not any(game.terminations.values()):
        action = int(reference.last()[0]["action_mask"].nonzero()[0][-1])
        game.step(kind(action))
        reference.step(action)
        assert flat(game.last()[0]) == flat(reference.last()[0])


# ---- the end of an episode ------------------------------------------------------------------------


@pytest.mark.parametrize("make", [raw_env, env])
def test_after_the_last_agent_last_asks_for_a_reset(make: Any) -> None:
    game = make(rules="mini2", episode="deal")
    game.reset(seed=1)
    play(game, random.Random(1))
    assert game.agents == list(game.agent_iter()) == []
    before = game.get_state()
    for observe in (True, False):
        with pytest.raises(ResetNeeded, match=r"no agent is left: .* call reset\(\)"):
            game.last(observe)
    assert game.get_state() == before
    game.reset(seed=1)
    assert game.last()[1:4] == (0.0, False, False)


def test_after_the_last_agent_a_step_asks_for_a_reset_or_warns() -> None:
    raw, wrapped = raw_env("mini2", episode="deal"), env(rules="mini2", episode="deal")
    for game in (raw, wrapped):
        game.reset(seed=1)
        play(game, random.Random(1))
    for action in (None, 25):
        with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
            raw.step(action)
        before = wrapped.get_state()
        wrapped.step(action)  # PettingZoo's wrapper logs a warning
        assert wrapped.get_state() == before


def test_before_the_first_reset_last_asks_for_one() -> None:
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        raw_env().last()
    with pytest.raises(AttributeError, match="before reset"):
        env().last()
