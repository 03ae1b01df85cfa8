"""`learned_search`: every action tried out in worlds of the view, with all seats going on as the
network does.

One-agent search over a blueprint (SPARTA; Lerer, Hu, Foerster and Brown, AAAI 2020). Everybody is taken
to play the blueprint, here the network of `learned`, from the next action on. Worlds are drawn, more
than are needed, and weighed by the network's own probabilities of all that the other seats have done
(policy inference; Rebstock, Solinas, Buro and Sturtevant, 2019); as many as are needed are drawn from
those by weight. Every action is then played on to the end of the deal in the same worlds. The agent
departs from the blueprint's action only for one that is better by `caution` standard errors of the
paired difference.

All views asked at once are searched together, so that the network is asked about thousands of positions
at a time (search_blueprint.py): to weigh the worlds (search_worlds.py) and to play them on
(search_rollouts.py). A view's answer depends on the view and its stream alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import N_ACTIONS
from hpenv.agents.agent import Actions, Streams, Views, check_asked
from hpenv.agents.network import Network
from hpenv.agents.opinion import Opinion, PerAction, call_text
from hpenv.agents.options import Choice, Number, Option, Whole, Words, read_options
from hpenv.agents.search_blueprint import DEFAULT_WEIGHTS, Blueprint, load_blueprint
from hpenv.agents.search_rollouts import Rollouts, set_rollouts, write_alike_each
from hpenv.agents.search_worlds import BELIEFS, TIE, Drawing, Worlds, compare, still_in_doubt
from hpenv.cards import MAX_HAND_SIZE
from hpenv.rulebook import AUCTION, PLAY
from hpenv.seats import side_of
from hpenv.table import TABLE
from hpenv.view import VIEW, View

PARTS = ("auction", "trump", "play")
PHASES = ("auction+trump+play", "auction+trump", "auction+play", "trump+play", *PARTS)
MOST_TABLES = 16384  # worlds drawn at once, for all views together
# Actions are compared after a quarter and a half of the worlds; see `still_in_doubt`.
SHARES = (4, 2, 1)
FEW = 16  # worlds of a view that are not shared out


@dataclass
class Settings:
    """The options of `make`."""

    worlds: int = 100
    drawn: int = 4
    caution: float = 1.0
    exact: int = 0
    phases: str = PHASES[0]
    belief: str = BELIEFS[0]
    halving: str = "on"


@dataclass
class Found:
    """What a search of views (B,) has found.

    actions, default (B,): the choice, and the blueprint's. alike (B, 39): the action that was tried for
    each, -1 for an illegal one. tried (B, 39): the actions that were tried to the end. gain, error
    (B, 39): how much better than the default one each action is, and the standard error of that; nan
    for those that another stands for. points (R, 39): of each action in each of the `worlds`, nan where
    it was not tried.
    """

    actions: NDArray[np.int64]
    default: NDArray[np.int64]
    alike: NDArray[np.int64]
    tried: NDArray[np.bool_]
    gain: NDArray[np.float64]
    error: NDArray[np.float64]
    points: NDArray[np.float64]
    worlds: Worlds

    def of_first(self) -> tuple[PerAction, PerAction]:
        """The mean points and their standard deviation of each legal action of the first view. The mean
        is that of the default action and the action's gain, so that equal worlds are compared."""
        mine = self.worlds.owners == 0
        points, weights = self.points[mine], self.worlds.weights[mine, None]
        known = np.isfinite(points)
        share = known * weights / np.maximum((known * weights).sum(axis=0), TIE)
        mean = (share * np.where(known, points, 0.0)).sum(axis=0)
        spread = np.sqrt((share * np.where(known, points - mean, 0.0) ** 2).sum(axis=0))
        mean = mean[self.default[0]] + self.gain[0]
        alike = self.alike[0]
        return np.where(alike >= 0, mean[alike], np.nan), np.where(alike >= 0, spread[alike], np.nan)


class LearnedSearch:
    """Searches over the network of `blueprint`."""

    deals_in_lockstep = 32

    def __init__(self, blueprint: Blueprint, settings: Settings, name: str = "learned_search") -> None:
        self.blueprint, self.settings, self.name = blueprint, settings, name
        self.rollouts = Rollouts(blueprint, settings.exact)
        self.draw = Drawing(settings.worlds, settings.drawn, settings.belief, blueprint.probabilities)
        self.at_once = max(1, MOST_TABLES // self.draw.drawn)

    @property
    def network(self) -> Network:
        """The network searched over."""
        return self.blueprint.learned.network

    def act(self, views: Views, streams: Streams) -> Actions:
        check_asked(self, views, streams)
        actions: Actions = self.blueprint.choices(views)
        rows = np.flatnonzero(self.searches(views))
        for at in range(0, len(rows), self.at_once):
            some = rows[at : at + self.at_once]
            own_streams = streams[some]
            actions[some] = self.search(views[some], own_streams).actions
            streams[some] = own_streams
        return actions

    def searches(self, views: Views) -> NDArray[np.bool_]:
        """Whether each view (B,) is searched: it has a choice, in one of the phases asked for."""
        phases, legal = views["phase"], views["legal"]
        part = np.where(phases == AUCTION, 0, np.where(phases == PLAY, 2, 1))
        wanted = np.isin(part, [PARTS.index(name) for name in self.settings.phases.split("+")])
        chosen: NDArray[np.bool_] = wanted & (legal & (legal - 1) != 0)
        return chosen

    # ---- the search -----------------------------------------------------------------------------

    def search(self, views: Views, streams: Streams) -> Found:
        """Search views (B,) that have a choice, each with its stream."""
        n = len(views)
        default, likely = self.blueprint.choices(views), self.blueprint.probabilities(views)
        likely[np.arange(n), default] = 2.0  # it stands for its equals
        alike = np.zeros((n, N_ACTIONS), np.int64)
        write_alike_each(views, likely, alike)
        worlds = self.draw(views, streams)
        tried = alike == np.arange(N_ACTIONS)
        points = np.full((len(worlds.owners), N_ACTIONS), np.nan)
        for share in SHARES if self.settings.halving == "on" else (1,):
            self.try_out(views, worlds, tried, share, points)
            gain, error = compare(points, worlds, default)
            if share > 1:
                tried &= still_in_doubt(gain, error, default, tried)
        best = np.where(tried, gain, -np.inf).argmax(axis=1)
        rows = np.arange(n)
        unsure = np.isinf(error[rows, best])
        margin = self.settings.caution * np.where(unsure, 0.0, error[rows, best]) + TIE
        better = ~unsure & (gain[rows, best] > margin)
        return Found(
            np.where(better, best, default), default, alike, tried, gain, error, points, worlds
        )

    def try_out(
        self,
        views: Views,
        worlds: Worlds,
        tried: NDArray[np.bool_],
        share: int,
        points: NDArray[np.float64],
    ) -> None:
        """Write the points (R, 39) of the actions tried (B, 39), for the side of the view's seat, in
        one world of `share` of each view, where they are not known yet."""
        owners, counts = worlds.owners, np.bincount(worlds.owners, minlength=len(views))
        number = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        now = (number % share == 0) | (counts[owners] <= FEW)
        rows, actions = np.nonzero(tried[owners] & now[:, None] & np.isnan(points))
        tables = np.zeros(len(rows), TABLE)
        set_rollouts(
            views,
            owners[rows],
            worlds.hands[rows],
            worlds.discards[rows],
            worlds.widows[rows],
            actions,
            tables,
        )
        sign = 1 - 2 * side_of(views["seat"][owners[rows]].astype(np.int64))
        points[rows, actions] = sign * self.rollouts.play(tables)

    # ---- one view -------------------------------------------------------------------------------

    def opinion(self, view: View, stream: np.uint64) -> Opinion:
        """The points of each action tried, mean and standard deviation over the worlds; the probability
        is all its choice's. Equal cards have the points of the one that was tried for them. Without a
        search, the network's probabilities. See `hpenv.agents.opinion`."""
        views, streams = np.zeros(1, VIEW), np.array([stream], np.uint64)
        views[0] = view
        sure, unknown = np.zeros(N_ACTIONS), np.full(N_ACTIONS, np.nan)
        if not self.searches(views)[0]:
            action = int(self.blueprint.choices(views)[0])
            likely = self.blueprint.probabilities(views)[0]
            return Opinion(
                action, likely, unknown, unknown, note="plays as the network, without a search"
            )
        found = self.search(views, streams)
        action = int(found.actions[0])
        sure[action] = 1.0
        return Opinion(action, sure, *found.of_first(), len(found.points), self._note(view, found))

    def _note(self, view: View, found: Found) -> str:
        """Why the choice is not the action with the best mean, where it is not."""
        gain, action = found.gain[0], int(found.actions[0])
        best = int(np.nanargmax(gain))
        if gain[best] <= gain[action] + TIE:
            return ""
        if not found.tried[0, best]:
            return f"{call_text(view, best)} was dropped, after fewer worlds, for a better one"
        return (
            f"too close to call, keeps the action of the network: {call_text(view, best)} is ahead by "
            f"{gain[best]:.2f} points, standard error {found.error[0, best]:.2f}"
        )


# ---- by name ----------------------------------------------------------------------------------

OPTIONS: dict[str, Option] = {
    "worlds": Whole(100, 1, 10_000),
    "drawn": Whole(4, 1, 64),
    "caution": Number(1.0, 0.0, 100.0),
    "exact": Whole(0, 0, MAX_HAND_SIZE),
    "phases": Choice(PHASES[0], PHASES),
    "belief": Choice(BELIEFS[0], BELIEFS),
    "halving": Choice("on", ("on", "off")),
    "weights": Words(DEFAULT_WEIGHTS),
}


def make(spec: str, options: dict[str, str]) -> LearnedSearch:
    """`learned_search`, or with some of `worlds=100`, `drawn=4`, `caution=1.0`, `exact=0`,
    `phases=auction+trump+play`, `belief=learned`, `halving=on`, `weights=FOLDER_OR_FILE`.

    worlds: in how many every action is tried. drawn: times as many are drawn to be weighed. caution:
    standard errors by which an action must be better than the network's. exact: how many last tricks
    of each try are played perfectly with all hands open, not by the network. phases: which decisions
    are searched; the network makes the others. belief: what the worlds are weighed by: the network's
    probabilities, what `rule_based` would have done, or nothing (`uniform`). halving: whether actions
    that fall behind are tried in fewer worlds. weights: of the network, as for `learned`.
    """
    chosen = read_options(spec, options, OPTIONS)
    blueprint = load_blueprint(chosen.pop("weights"), spec)
    return LearnedSearch(blueprint, Settings(**chosen), spec)
