"""`mixed`: one agent made of parts of others, to compare one part of the game at a time.

`mixed:rule_based,lead=uniform` is the rule-based agent with another's leads. The parts are `auction`
(the bids), `trump` (trump, discard and going alone), `lead` and `follow`; each names an agent. A part
that is not given is played by the agent named without `=`, and without that one all four are needed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hpenv.agents.agent import (
    Actions,
    Agent,
    Streams,
    Views,
    check_asked,
    deals_in_lockstep,
    make_player,
)
from hpenv.agents.options import PATH, unknown_option
from hpenv.cards import NO_SUIT
from hpenv.rulebook import AUCTION, PLAY

PARTS = ("auction", "trump", "lead", "follow")


class Mixed:
    """Plays each part of the game as another agent would. agents: one for each part."""

    def __init__(self, name: str, agents: dict[str, Agent]) -> None:
        self.name = name
        self.agents = [agents[part] for part in PARTS]
        self.deals_in_lockstep = deals_in_lockstep(self.agents)

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        return act_by(self.agents, part_of(views), views, streams)


def act_by(
    agents: Sequence[Agent], which: NDArray[np.int64], views: Views, streams: Streams
) -> Actions:
    """The action for each view (B,) of agents[which[i]], each agent asked once for all its views."""
    actions: Actions = np.zeros(len(views), np.int64)
    for number, agent in enumerate(agents):
        rows = np.flatnonzero(which == number)
        if len(rows):
            own_streams = streams[rows]
            actions[rows] = agent.act(views[rows], own_streams)
            streams[rows] = own_streams
    return actions


def part_of(views: Views) -> NDArray[np.int64]:
    """The part of the game each view (B,) stands in: an index into PARTS, shape (B,)."""
    leading = views["led_suit"] == NO_SUIT
    before_play = np.where(views["phase"] == AUCTION, PARTS.index("auction"), PARTS.index("trump"))
    in_play = np.where(leading, PARTS.index("lead"), PARTS.index("follow"))
    return np.where(views["phase"] == PLAY, in_play, before_play)


def make(spec: str, options: dict[str, str]) -> Mixed:
    for key, text in options.items():
        if key not in (PATH, *PARTS):
            raise ValueError(f"agent {spec!r}: {unknown_option(key, text, dict.fromkeys(PARTS))}")
    named = {part: options.get(part, options.get(PATH)) for part in PARTS}
    for part, agent in named.items():
        if agent is None:
            raise ValueError(f"agent {spec!r}: no agent is named for {part!r}, and none for the rest")
    made = {agent: make_player(agent) for agent in set(named.values()) if agent is not None}
    return Mixed(spec, {part: made[agent] for part, agent in named.items() if agent is not None})
