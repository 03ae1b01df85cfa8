"""What an agent is, agents by name, and agents playing a batch of tables to the end of the deal."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.compiled import MASK64, Int, kernel, mix
from hpenv.refusals import refusal
from hpenv.rulebook import DEAL_OVER, N_SEATS, do, legal_actions
from hpenv.view import VIEW, see_each


class Agent(Protocol):
    """Anything that chooses actions from views.

    `act(views, streams)` gets B views, an array of VIEW of shape (B,), each of a seat to act, and B
    random streams, uint64 of shape (B,), one for each view, which it may advance in place (see
    `hpenv.rulebook.next_below`). It gives B legal actions, int64 of shape (B,). All the chance an agent
    uses comes from the streams, so that a deal can be played again and come out the same.
    """

    name: str

    def act(self, views: Any, streams: Any) -> Any: ...


# Where each agent lives: the module has a function `make(options) -> Agent` taking strings.
AGENTS: dict[str, str] = {
    "uniform": "agents.uniform",
    "sensible_random": "agents.sensible_random",
    "rule_based": "agents.rule_based",
    "learned": "agents.learned",
}


def make_agent(spec: str) -> Agent:
    """An agent by name, with options after a colon: `rule_based`, `learned:runs/demo`,
    `pimc:worlds=100,bidding=ev`. What follows the colon without `=` is the option `path`.

    Raises ValueError with a sentence for an unknown name or option.
    """
    name, _, rest = spec.strip().partition(":")
    if name not in AGENTS:
        raise ValueError(f"no agent {name!r} (there are {', '.join(AGENTS)})")
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = part.partition("=")
        key, value = (key.strip(), value.strip()) if equals else ("path", key.strip())
        if key in options:
            raise ValueError(f"agent {spec!r}: option {key!r} is given twice")
        options[key] = value
    make: Callable[[str, dict[str, str]], Agent] = import_module(AGENTS[name]).make
    return make(spec.strip(), options)


def no_options(spec: str, options: dict[str, str]) -> None:
    """Refuse options given to an agent that takes none."""
    if options:
        raise ValueError(f"agent {spec!r}: there is no option {next(iter(options))!r}")


@kernel
def new_streams(seed: Any, first: Int, streams: Any) -> None:
    """Fill streams (B, S): one random stream for each deal `first + i` of a seed and each seat."""
    for i in range(streams.shape[0]):
        for seat in range(streams.shape[1]):
            number = streams.shape[1] * (first + i) + seat
            streams[i, seat] = mix(mix(seed) ^ mix(np.uint64(2 * number + 2)))


def streams_for(seed: int, n: int, first: int = 0) -> Any:
    """Random streams for n deals, uint64 of shape (n, 4): the same for a deal whatever n is."""
    streams = np.zeros((n, N_SEATS), np.uint64)
    new_streams(np.uint64(seed & MASK64), first, streams)
    return streams


@kernel
def act_at_tables(tables: Any, rows: Any, actions: Any) -> Int:
    """Do each action at the table of its row; gives the first index whose action is illegal, or -1."""
    for i in range(len(rows)):
        table = tables[rows[i]]
        action = np.int64(actions[i])
        if action < 0 or action >= N_ACTIONS or not (legal_actions(table) >> action) & 1:
            return i
        do(table, action)
    return -1


def play_deals(tables: Any, agents: Sequence[Agent], streams: Any) -> None:
    """Play every table (B,) on to the end of its deal. agents: one for each seat. streams (B, 4).

    Tables run in lockstep and each agent is asked once for all its tables. Seats that share one
    agent object are asked together. An illegal action raises IllegalAction naming the agent.
    """
    slot_of_seat = np.array([[id(a) for a in agents].index(id(agent)) for agent in agents])
    rows = np.flatnonzero(tables["phase"] != DEAL_OVER)
    while len(rows):
        seats = tables["to_act"][rows].astype(np.int64)
        slots = slot_of_seat[seats]
        for slot in np.unique(slot_of_seat):
            mine = slots == slot
            if not mine.any():
                continue
            asked, asked_seats = rows[mine], seats[mine]
            views = np.zeros(len(asked), VIEW)
            see_each(tables[asked], asked_seats, views)
            own_streams = streams[asked, asked_seats]
            actions = np.asarray(agents[slot].act(views, own_streams))
            streams[asked, asked_seats] = own_streams
            wrong = act_at_tables(tables, asked, actions)
            if wrong >= 0:
                error = refusal(tables[asked[wrong]], actions[wrong])
                raise type(error)(error.rule, f"agent {agents[slot].name}: {error}")
        rows = rows[tables["phase"][rows] != DEAL_OVER]
