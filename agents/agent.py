"""What an agent is, agents by name, and agents playing a batch of tables to the end of the deal."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from hpenv.actions import N_ACTIONS
from hpenv.compiled import MASK64, Int, kernel, mix
from hpenv.errors import illegal_action
from hpenv.rulebook import DEAL_OVER, do, legal_actions
from hpenv.seats import N_SEATS
from hpenv.view import VIEW, see


class Agent(Protocol):
    """Anything that chooses actions from views.

    `act(views, streams)` gets B views, an array of VIEW of shape (B,), each of a seat to act, and B
    random streams, uint64 of shape (B,), one for each view, which it may advance in place (see
    `hpenv.rulebook.next_below`). It gives B legal actions, int64 of shape (B,). All the chance an agent
    uses comes from the streams, so that a deal can be played again and come out the same. A slow agent
    says with an attribute `at_once` how many deals it plays in lockstep in a match.
    """

    name: str

    def act(self, views: Any, streams: Any) -> Any: ...


SEES_HIDDEN_CARDS = (
    "agent {} sees hidden cards: it plays only in matches (hpenv evaluate), not from a view"
)
AT_ONCE = 1024  # deals that quick agents play in lockstep

# Where each agent lives: the module has a function `make(options) -> Agent` taking strings.
AGENTS: dict[str, str] = {
    "uniform": "hpenv.agents.uniform",
    "sensible_random": "hpenv.agents.sensible_random",
    "rule_based": "hpenv.agents.rule_based",
    "mixed": "hpenv.agents.mixed",
    "learned": "hpenv.agents.learned",
    "ismcts": "hpenv.agents.ismcts",
    "pimc": "hpenv.agents.pimc",
    "oracle_partner": "hpenv.agents.oracle",
    "oracle_all": "hpenv.agents.oracle",
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


def as_agent(agent: Agent | str) -> Agent:
    """An agent given as such or by name."""
    return make_agent(agent) if isinstance(agent, str) else agent


def make_player(spec: str) -> Agent:
    """As `make_agent`, for a seat where only its view may be known. Raises ValueError for an agent that
    sees hidden cards, too."""
    agent = make_agent(spec)
    if hasattr(agent, "act_oracle"):
        raise ValueError(SEES_HIDDEN_CARDS.format(agent.name))
    return agent


def no_options(spec: str, options: dict[str, str]) -> None:
    """Refuse options given to an agent that takes none."""
    if options:
        raise ValueError(f"agent {spec!r}: there is no option {next(iter(options))!r}")


def at_once(agents: Iterable[Agent]) -> int:
    """How many deals these agents play in lockstep in a match: few if one is slow, so that progress can
    be seen. A fixed number, since a network's answers may depend on the size of its batch in the last
    digit."""
    return min(int(getattr(agent, "at_once", AT_ONCE)) for agent in agents)


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
def see_at_tables(tables: Any, rows: Any, streams: Any, views: Any, own_streams: Any) -> None:
    """For each row write the view of the seat to act at that table, and that seat's stream."""
    for i in range(len(rows)):
        table = tables[rows[i]]
        seat = np.int64(table.to_act)
        see(table, seat, views[i])
        own_streams[i] = streams[rows[i], seat]


@kernel
def act_at_tables(tables: Any, rows: Any, actions: Any, own_streams: Any, streams: Any) -> Int:
    """Do each action at the table of its row, and put the seat's stream back; returns the first index
    whose action is illegal, or -1."""
    for i in range(len(rows)):
        table = tables[rows[i]]
        streams[rows[i], np.int64(table.to_act)] = own_streams[i]
        action = actions[i]
        if action < 0 or action >= N_ACTIONS or not (legal_actions(table) >> action) & 1:
            return i
        do(table, action)
    return -1


def play_deals(tables: Any, agents: Sequence[Agent], streams: Any, until: int = DEAL_OVER) -> None:
    """Play every table (B,) on to the end of its deal, or to the phase `until` if that comes before.
    agents: one for each seat. streams (B, 4).

    Tables run in lockstep and each agent is asked once for all its tables. Seats that share one
    agent object are asked together; the agent of the lowest seat is asked first. An illegal action
    raises IllegalAction naming the agent.
    """
    slot_of_seat = np.array([[id(a) for a in agents].index(id(agent)) for agent in agents])
    in_turn = sorted(set(slot_of_seat.tolist()))
    while len(rows := np.flatnonzero((tables["phase"] != DEAL_OVER) & (tables["phase"] != until))):
        slots = slot_of_seat[tables["to_act"][rows]]
        for slot in in_turn:
            asked = rows[slots == slot]
            if not len(asked):
                continue
            views = np.zeros(len(asked), VIEW)
            own_streams = np.zeros(len(asked), np.uint64)
            see_at_tables(tables, asked, streams, views, own_streams)
            if hasattr(agents[slot], "act_oracle"):  # see agents/oracle.py
                actions = agents[slot].act_oracle(tables[asked], own_streams)
            else:
                actions = whole_numbers(agents[slot], views, own_streams)
            wrong = act_at_tables(tables, asked, actions, own_streams, streams)
            if wrong >= 0:
                error = illegal_action(tables[asked[wrong]], actions[wrong])
                raise type(error)(error.rule, f"agent {agents[slot].name}: {error}")


def whole_numbers(agent: Agent, views: Any, streams: Any) -> Any:
    """The agent's actions, int64 of shape (B,). Raises TypeError if it gives anything else."""
    actions = np.asarray(agent.act(views, streams))
    if actions.shape != views.shape or actions.dtype.kind not in "iu":
        raise TypeError(
            f"agent {agent.name}: act gave {actions.dtype} of shape {actions.shape} "
            f"for {len(views)} views, not whole numbers of shape ({len(views)},)"
        )
    return actions.astype(np.int64, copy=False)
