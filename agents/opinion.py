"""An agent's opinion of a view: how likely it does each action and, where it estimates them, the points
of each. For hints, pictures and notebooks."""

from dataclasses import dataclass, replace
from html import escape
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.agents.agent import Agent, as_agent, streams_for, whole_numbers
from hpenv.cards import set_cards
from hpenv.text import act_text
from hpenv.view import VIEW, View

TRIES = 64

PerAction: TypeAlias = NDArray[np.float64]  # shape (39,)


@dataclass(frozen=True, eq=False, repr=False)
class Opinion:
    """An agent's opinion of one view of a seat to act. Printed, it is a table of the legal actions.

    action: what it does. probabilities: shape (39,), how likely it does each action, 0 for an illegal
    one. points: shape (39,), what it expects of each action, its side's points of the deal minus the
    other side's, nan where it does not say. spread: shape (39,), their standard deviation from world to
    world, nan likewise. worlds: how many it looked at, 0 if it does not look at worlds. note: why it
    chose as it did where the numbers do not show it, or empty; up to a colon it can stand by itself.
    name, view: whose opinion of what, which `opinion_of` fills in.
    """

    action: int
    probabilities: PerAction
    points: PerAction
    spread: PerAction
    worlds: int = 0
    note: str = ""
    name: str = ""
    view: View | None = None

    def ranking(self) -> list[int]:
        """The legal actions, best first: what the agent does, then by probability, then by points."""
        if self.view is None:
            legal = np.flatnonzero((self.probabilities > 0) | np.isfinite(self.points)).tolist()
        else:
            legal = set_cards(int(self.view.legal))
        points = np.nan_to_num(self.points, nan=-np.inf)
        return sorted(legal, key=lambda a: (a != self.action, -self.probabilities[a], -points[a], a))

    def text_of(self, action: int) -> str:
        """An action in words, as this view has them."""
        return ACTION_TEXT[action] if self.view is None else call_text(self.view, action)

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, its head first: action and probability, and points and spread where the
        agent expects any."""
        rows = [("action", "likely", "points", "spread")]
        for action in self.ranking():
            points, spread = self.points[action], self.spread[action]
            expected = f"{points:+.2f}" if np.isfinite(points) else "-"
            deviation = f"{spread:.2f}" if np.isfinite(spread) else "-"
            likely = f"{self.probabilities[action]:.0%}"
            rows.append((self.text_of(action), likely, expected, deviation))
        return list(rows) if np.isfinite(self.points).any() else [row[:2] for row in rows]

    def headline(self) -> str:
        """`pimc: bid 4 (100 worlds)`."""
        worlds = f" ({self.worlds} worlds)" if self.worlds else ""
        return f"{self.name or 'the agent'}: {self.text_of(self.action)}{worlds}"

    def lines(self) -> list[str]:
        """The table as lines of text, and the note below it if there is one."""
        table = [
            f"  {action:<14}" + "".join(f"{cell:>8}" for cell in cells)
            for action, *cells in self.rows()
        ]
        return [*table, *([self.note] if self.note else [])]

    def __str__(self) -> str:
        return "\n".join([self.headline(), *self.lines()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *body = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self.rows())
        rows = "".join(f"<tr>{cells}</tr>" for cells in body)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f"<b>{escape(self.headline())}</b>{table}{escape(self.note)}"


def ask(agent: Agent | str, view: View, seed: int = 1) -> Opinion:
    """One decision of an agent, given as such or by name, with its opinion of every legal action.

    >>> import hpenv
    >>> table = hpenv.deal("set_bid", seed=1, dealer="North")
    >>> opinion = ask("pimc:worlds=20", hpenv.view_of(table, "East"))
    >>> opinion
    pimc:worlds=20: pass (20 worlds)
      action          likely  points  spread
      pass              100%   -0.55    5.27
      bid 5               0%   -1.35    4.98
      bid 1               0%   -1.95    4.84
      bid 2               0%   -2.05    4.70
      bid 4               0%   -2.35    5.05
      bid 3               0%   -2.55    4.33
      bid 6               0%   -4.20    4.28
    >>> table.step(opinion.action)

    seed: of the agent's randomness. Raises as `opinion_of`, and as `make_agent` for a name.
    """
    return opinion_of(as_agent(agent), view, seed)


def opinion_of(agent: Agent, view: View, seed: int = 1) -> Opinion:
    """The agent's own opinion if it has a method `opinion(view, stream)`; else how often it does what,
    asked 64 times with different streams. The same for the same seed.

    Raises TypeError for anything but a View of one seat, and ValueError if the seat is not to act.
    """
    if not isinstance(view, View):
        raise TypeError(
            "an agent is asked about the View of one seat, as hpenv.view_of(table, seat) makes it, "
            f"not about a {type(view).__name__}"
        )
    if not view.legal:
        raise ValueError("opinion: the seat of this view is not to act")
    if hasattr(agent, "opinion"):
        opinion = cast(Opinion, agent.opinion(view, streams_for(seed, 1)[0, 0]))
    else:
        views = np.zeros(TRIES, VIEW)
        views[:] = view
        actions = whole_numbers(agent, views, streams_for(seed, TRIES)[:, 0].copy())
        often = np.bincount(actions, minlength=N_ACTIONS) / TRIES
        unknown = np.full(N_ACTIONS, np.nan)
        opinion = Opinion(int(often.argmax()), often, unknown, unknown)
    return replace(opinion, name=agent.name, view=view.copy())


def call_text(view: View, action: int) -> str:
    """An action in notation, in pepper form `little pepper` for the bid of all tricks (R7)."""
    return act_text(view, action)
