"""Episodes of the PettingZoo environment, played at random by a test."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Any

import pytest

from hpenv.actions import N_ACTIONS
from hpenv.errors import IllegalAction
from hpenv.hasenpfeffer_v0 import env
from hpenv.rulebook import legal_actions
from naive_rules import PRESETS

OFFICIAL = list(PRESETS)
SEAT_OF = {f"player_{seat}": seat for seat in range(4)}


def mask_of(game: Any, observation: Any) -> Any:
    """The mask, wherever the environment puts it."""
    if isinstance(observation, dict):
        return observation["action_mask"]
    return game.infos[game.agent_selection]["action_mask"]


def play(game: Any, rng: random.Random) -> list[Any]:
    """Play legal actions to the end of the episode; gives every agent's turn as `last()` gave it."""
    turns = []
    while game.agents:
        agent = game.agent_selection
        observation, reward, terminated, truncated, _ = game.last()
        action = None
        if not (terminated or truncated):
            action = rng.choice([int(a) for a in mask_of(game, observation).nonzero()[0]])
        turns.append((agent, flat(observation), reward, terminated, truncated, action))
        game.step(action)
    return turns


def flat(observation: Any) -> bytes:
    """An observation as bytes."""
    if isinstance(observation, dict):
        return b"".join(observation[key].tobytes() for key in sorted(observation))
    return bytes(observation.tobytes())


def infos(game: Any) -> dict[str, Any]:
    """What the infos hold, as bytes."""
    return {agent: {key: flat(each[key]) for key in each} for agent, each in game.infos.items()}


def decisions(game: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Each decision of one random episode: the agent and what it observes."""
    for agent in game.agent_iter():
        observation, _, terminated, truncated, _ = game.last()
        if terminated or truncated:
            game.step(None)
            continue
        yield agent, observation
        game.step(rng.choice([int(a) for a in mask_of(game, observation).nonzero()[0]]))


def transcript(seed: int) -> str:
    """A hash over everything that a seeded environment shows in one game and the next."""
    game = env(rules="house", history=True, render_mode="ansi")
    game.reset(seed=seed)
    rng = random.Random(seed)
    said = hashlib.sha256(repr(play(game, rng)).encode())
    game.reset()
    said.update(repr(play(game, rng)).encode())
    said.update(str(game.render()).encode() + game.state().tobytes())
    return said.hexdigest()


def complaints(game: Any) -> list[str]:
    """What the environment says to each illegal action, nothing being changed by them."""
    said = []
    for action in range(-1, N_ACTIONS + 1):
        if action < 0 or not legal_actions(game.table) >> action & 1:
            with pytest.raises(IllegalAction) as caught:
                game.step(action)
            said.append(str(caught.value))
    return said
