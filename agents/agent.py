"""What an agent is, agents by name, and agents playing a batch of tables to the end of the deal.

**Streams.** All the randomness an agent uses comes from random streams that it is handed, so that a
deal can be played again and come out the same. A stream is one uint64, the state of a counter:
`hpenv.compiled.next_state` moves it on and `mix` makes a random word of it (`hpenv.rulebook.next_below`
does both). Every deal of a seed has one stream for each seat (`streams_for`); an agent advances those
of the seats it acts for in place.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.options import near, split_options
from hpenv.arguments import random_word
from hpenv.compiled import Int, kernel, mix
from hpenv.errors import illegal_action
from hpenv.extras import how_to_install
from hpenv.rulebook import DEAL_OVER, do, legal_actions
from hpenv.seats import N_SEATS
from hpenv.view import VIEW, see

Views: TypeAlias = NDArray[np.void]  # of VIEW, shape (B,)
Streams: TypeAlias = NDArray[np.uint64]  # shape (B,)
Actions: TypeAlias = NDArray[np.int64]  # shape (B,)
Tables: TypeAlias = NDArray[np.void]  # of TABLE, shape (B,)


class Agent(Protocol):
    """Anything that chooses actions from views.

    `act(views, streams)` gets B views, an array of VIEW of shape (B,), each of a seat to act, and B
    random streams, uint64 of shape (B,), one for each view, which it may advance in place. It returns B
    legal actions, int64 of shape (B,).

    An agent may have more: an attribute `deals_in_lockstep`, how many deals at once a match shall play
    with it, if it is slow; a method `opinion(view, stream)`, see `hpenv.agents.opinion`; a method
    `probabilities(views)`, how likely it does each action, shape (B, 39), and an attribute `sample`,
    whether it draws its actions by them.
    """

    name: str

    def act(self, views: Views, streams: Streams) -> Actions: ...


SEES_HIDDEN_CARDS = (
    "agent {} sees hidden cards: it plays only in matches (hpenv evaluate), not from a view"
)
DEALS_IN_LOCKSTEP = 1024  # of quick agents


# ---- agents by name ---------------------------------------------------------------------------

# Where each agent lives: the module has a function `make(spec, options) -> Agent`, where options are
# strings by name.
AGENTS: dict[str, str] = {
    "uniform": "hpenv.agents.uniform",
    "sensible_random": "hpenv.agents.sensible_random",
    "rule_based": "hpenv.agents.rule_based",
    "mixed": "hpenv.agents.mixed",
    "learned": "hpenv.agents.learned",
    "learned_search": "hpenv.agents.search",
    "ismcts": "hpenv.agents.ismcts",
    "pimc": "hpenv.agents.pimc",
    "oracle_partner": "hpenv.agents.oracle",
    "oracle_all": "hpenv.agents.oracle",
}


def make_agent(spec: str) -> Agent:
    """An agent by name, with options after a colon: `rule_based`, `learned:runs/demo`,
    `pimc:worlds=100,bidding=ev`. What follows the colon without `=` is the option `path`.

    An agent from elsewhere is named by its module and a class or function in it that makes it:
    `mymodule:Lowest`, or `mymodule:Lowest:depth=2`, which calls `Lowest(depth="2")`. Where the word
    before the colon is one of the names in AGENTS, it is that agent.

    >>> make_agent("pimc:worlds=20").name
    'pimc:worlds=20'
    >>> make_agent("pimc:wolds=20")
    Traceback (most recent call last):
    ValueError: agent 'pimc:wolds=20': there is no option 'wolds' (there are worlds, bidding, belief); \
did you mean worlds?

    Raises ValueError with a sentence for an unknown name or option, and if what was found is no agent;
    ModuleNotFoundError with one for an agent whose packages are not installed.
    """
    if not isinstance(spec, str):
        raise TypeError(f"an agent is named by a string, not by {spec!r}")
    spec = spec.strip()
    name, _, rest = spec.partition(":")
    if name in AGENTS:
        try:
            make: Callable[[str, dict[str, str]], Agent] = import_module(AGENTS[name]).make
            return make(spec, split_options(spec, rest))
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"agent {spec!r} needs {how_to_install(error.name)}", name=error.name
            ) from error
    attribute, _, words = rest.partition(":")
    if attribute.isidentifier() and all(part.isidentifier() for part in name.split(".")):
        return _from_elsewhere(spec, name, attribute, split_options(spec, words))
    raise ValueError(
        f"no agent {name!r} (there are {', '.join(AGENTS)}, and your own as MODULE:CLASS)"
        f"{near(name, AGENTS)}"
    )


def _from_elsewhere(spec: str, module: str, attribute: str, options: dict[str, str]) -> Agent:
    """The agent that a class or function of any module makes."""
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise ValueError(f"agent {spec!r}: the module {module!r} fails: {error}") from error
        raise ValueError(
            f"agent {spec!r}: there is neither an agent {module!r} nor a module of that name"
            f"{near(module, AGENTS)}"
        ) from None
    except Exception as error:
        raise ValueError(f"agent {spec!r}: the module {module!r} fails: {error}") from error
    if not hasattr(found, attribute):
        public = tuple(name for name in vars(found) if not name.startswith("_"))
        raise ValueError(
            f"agent {spec!r}: the module {module!r} has no {attribute!r}{near(attribute, public)}"
        )
    make = getattr(found, attribute)
    if not callable(make):
        raise ValueError(f"agent {spec!r}: {attribute!r} is neither a class nor a function")
    try:
        made = make(**options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"agent {spec!r}: {attribute!r} cannot be made: {error}") from error
    if missing := what_is_missing(made):
        raise ValueError(f"agent {spec!r}: what {attribute!r} makes is no agent: it has no {missing}")
    agent: Agent = made
    return agent


def what_is_missing(thing: object) -> str:
    """What an object lacks to be an agent, or an empty string."""
    if not callable(getattr(thing, "act", None)):
        return "method act(views, streams)"
    return "" if isinstance(getattr(thing, "name", None), str) else "attribute name, a string"


def as_agent(agent: Agent | str) -> Agent:
    """An agent given as such or by name. Raises as `make_agent`, and TypeError for what is no agent."""
    if isinstance(agent, str):
        return make_agent(agent)
    if missing := what_is_missing(agent):
        raise TypeError(
            f"an agent is a name such as 'rule_based' or an object that acts: {agent!r} has no "
            f"{missing}"
        )
    return agent


def make_player(spec: str) -> Agent:
    """As `make_agent`, for a seat where only its view may be known. Raises ValueError for an agent that
    sees hidden cards, too."""
    agent = make_agent(spec)
    if hasattr(agent, "act_oracle"):
        raise ValueError(SEES_HIDDEN_CARDS.format(agent.name))
    return agent


def deals_in_lockstep(agents: Iterable[Agent]) -> int:
    """How many deals these agents play in lockstep in a match: few if one is slow, so that progress can
    be seen. A fixed number, since a network's answers may depend on the size of its batch in the last
    digit."""
    return min(int(getattr(agent, "deals_in_lockstep", DEALS_IN_LOCKSTEP)) for agent in agents)


def check_asked(agent: Agent, views: Views, streams: Streams) -> None:
    """Raise TypeError unless these are views (B,) and streams (B,), and ValueError where the seat of a
    view is not to act: for the `act` of an agent."""
    if not isinstance(views, np.ndarray) or views.dtype != VIEW or views.ndim != 1:
        got = f"{views.dtype} of shape {views.shape}" if isinstance(views, np.ndarray) else type(views)
        raise TypeError(
            f"agent {agent.name}: act wants views, an array of hpenv.view.VIEW of shape (B,), not "
            f"{got if isinstance(got, str) else f'a {got.__name__}'}; to ask about one view: "
            "hpenv.agents.ask(agent, view)"
        )
    fits = isinstance(streams, np.ndarray) and streams.dtype == np.uint64
    if not fits or streams.shape != views.shape:
        raise TypeError(
            f"agent {agent.name}: act wants a random stream for each of the {len(views)} views, uint64 "
            f"of shape ({len(views)},), as hpenv.agents.agent.streams_for makes them"
        )
    if not views["legal"].all():
        at = int(np.flatnonzero(views["legal"] == 0)[0])
        raise ValueError(f"agent {agent.name}: the seat of view {at} is not to act")


# ---- agents at tables -------------------------------------------------------------------------


@kernel
def new_streams(seed: Any, first: Int, streams: Any) -> None:
    """Fill streams (B, S): one random stream for each deal `first + i` of a seed and each seat."""
    for i in range(streams.shape[0]):
        for seat in range(streams.shape[1]):
            number = streams.shape[1] * (first + i) + seat
            streams[i, seat] = mix(mix(seed) ^ mix(np.uint64(2 * number + 2)))


def streams_for(seed: int, n: int, first: int = 0) -> Streams:
    """Random streams for n deals, uint64 of shape (n, 4): the same for a deal whatever n is."""
    streams = np.zeros((n, N_SEATS), np.uint64)
    new_streams(random_word("seed", seed), first, streams)
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


def play_deals(
    tables: Tables,
    agents: Sequence[Agent],
    streams: Streams,
    until: int = DEAL_OVER,
    watch: Callable[[NDArray[np.int64], Views], None] | None = None,
) -> None:
    """Play every table (B,) on to the end of its deal, or to the phase `until` if that comes before.
    agents: one for each seat. streams (B, 4). watch: called with the rows of the tables and the
    views at them before each call of an agent.

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
            if watch:
                watch(asked, views)
            agent: Any = agents[slot]
            if hasattr(agent, "act_oracle"):  # see agents/oracle.py
                actions = agent.act_oracle(tables[asked], own_streams)
            else:
                actions = whole_numbers(agent, views, own_streams)
            wrong = act_at_tables(tables, asked, actions, own_streams, streams)
            if wrong >= 0:
                error = illegal_action(tables[asked[wrong]], actions[wrong])
                raise type(error)(error.rule, f"agent {agent.name}: {error}")


def whole_numbers(agent: Agent, views: Views, streams: Streams) -> Actions:
    """The agent's actions, int64 of shape (B,). Raises TypeError if it returns anything else."""
    actions = np.asarray(agent.act(views, streams))
    if actions.shape != views.shape or actions.dtype.kind not in "iu":
        raise TypeError(
            f"agent {agent.name}: act returned {actions.dtype} of shape {actions.shape} "
            f"for {len(views)} views, not whole numbers of shape ({len(views)},)"
        )
    return actions.astype(np.int64, copy=False)
