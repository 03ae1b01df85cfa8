"""The game for OpenSpiel, as `python_hasenpfeffer`.

``` python
import pyspiel
import hpenv.clients.openspiel

game = pyspiel.load_game("python_hasenpfeffer(rules=set_bid,episode=deal)")
```

Parameters: `rules`, a preset; single options in its place, where 0, -1 and "" leave them as the preset
has them (`hand_size=1`, `alone=0`); `episode`, "deal" or "game"; `reward`, "points" or "win"; `dealer`,
the first dealer as N, E, S or W, or "random".

Players 0 to 3 are North, East, South and West, and their actions are those of the project. Chance
chooses the first dealer and then deals card by card: North's hand, East's, South's and West's; what is
left is the widow. A chance node's outcome is a seat or the number of a card.

An information state is everything the seat has seen in the game as a string; as a tensor it is the
observation of `hpenv.observation` and then the tokens of the deal's history. An observation is the view
as text, and as a tensor. All are empty while cards are dealt.

`resample_from_infostate` lays a random deal that the player's view allows, drawn uniformly. OpenSpiel's
`ISMCTSBot` in Python plays with it; the one in C++ takes no game written in Python.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from hpenv.actions import FACE_DOWN, N_ACTIONS
from hpenv.batch import check_episode_options, end_of_deal
from hpenv.cards import N_CARDS, NO_CARD, PACKS, card_text, set_text
from hpenv.observation import OBSERVATION_SIZE, history_tokens, observe
from hpenv.rulebook import DEAL_OVER, deal, do, legal_actions, new_game, next_deal
from hpenv.rules import Rules, get_rules
from hpenv.seats import N_SEATS, SEAT_LETTERS, WEST
from hpenv.table import HISTORY, Table, new_tables
from hpenv.text import act_text
from hpenv.view import view_of
from hpenv.worlds import world_tables

NAME = "python_hasenpfeffer"
AS_PRESET: dict[str, str | int] = {  # what leaves an option as the preset has it
    "bidding": "",
    "set_penalty": "",
    "all_pass": "",
    "alone": -1,
    "alone_factor": 0,
    "defenders_score": -1,
    "target": 0,
    "max_deals": 0,
    "hand_size": 0,
}
DEFAULTS = {
    "rules": "standard",
    "episode": "deal",
    "reward": "points",
    "dealer": "random",
    **AS_PRESET,
}


def _game_type(reward_model: Any) -> Any:
    return pyspiel.GameType(
        short_name=NAME,
        long_name="Hasenpfeffer",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=reward_model,
        max_num_players=N_SEATS,
        min_num_players=N_SEATS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


def rules_of_parameters(parameters: dict[str, Any]) -> Rules:
    """The rules that a game's parameters name. Raises ValueError with a sentence for unknown ones."""
    preset = get_rules(parameters["rules"])
    options = {name: getattr(preset, name) for name in AS_PRESET}
    for name, unset in AS_PRESET.items():
        if parameters[name] != unset:
            is_flag = name in ("alone", "defenders_score")
            options[name] = bool(parameters[name]) if is_flag else parameters[name]
    return Rules(**options)


class HasenpfefferGame(pyspiel.Game):  # type: ignore[misc]
    """The game under one choice of rules."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen = DEFAULTS | (params or {})
        self.rules = rules_of_parameters(chosen)
        dealer = None if chosen["dealer"] == "random" else chosen["dealer"]
        first, _, self.by_deal, self.by_win = check_episode_options(
            chosen["episode"], chosen["reward"], (0, 0), dealer
        )
        self.first_dealer = None if dealer is None else first
        deals = 1 if self.by_deal else self.rules.max_deals
        k = self.rules.hand_size
        most = 2 * k * self.rules.alone_factor + k * self.rules.defenders_score  # R16, R17
        utility = 1 if self.by_win else deals * most
        model = pyspiel.GameType.RewardModel
        super().__init__(
            _game_type(model.TERMINAL if self.by_deal or self.by_win else model.REWARDS),
            pyspiel.GameInfo(
                num_distinct_actions=N_ACTIONS,
                max_chance_outcomes=N_CARDS,
                num_players=N_SEATS,
                min_utility=-utility,
                max_utility=utility,
                utility_sum=0.0,
                max_game_length=deals * HISTORY,
            ),
            params or {},
        )

    def new_initial_state(self) -> "HasenpfefferState":
        """Before the first dealer is known, or where it is given, before the first card is dealt."""
        return HasenpfefferState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The first dealer, and every card but the widow of every deal."""
        deals = 1 if self.by_deal else self.rules.max_deals
        return 1 + deals * N_SEATS * self.rules.hand_size

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """What a player sees, or with perfect recall all that it has seen."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        own = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not kind.public_info or kind.private_info != own:
            raise ValueError(f"{NAME}: an observation is what one player sees, and has no parameters")
        return Observer(kind.perfect_recall)


class HasenpfefferState(pyspiel.State):  # type: ignore[misc]
    """A position of the game, or of dealing."""

    def __init__(self, game: HasenpfefferGame) -> None:
        super().__init__(game)
        self._tables = new_tables(1, game.rules)
        self._by_deal, self._by_win = game.by_deal, game.by_win
        self._over = False
        self._total = self._last = 0.0  # North-South's return so far, and its last reward
        self._cards: list[int] = []  # dealt so far
        self._deal_began = 0  # at this place of the history
        self._seen: list[list[str]] = [[] for _ in range(N_SEATS)]  # earlier deals of the game
        self._has_dealer = game.first_dealer is not None
        if game.first_dealer is not None:
            new_game(self.table, game.first_dealer, 0, 0)

    @property
    def table(self) -> Table:
        """The record of the table; while cards are dealt, not yet theirs."""
        table: Table = self._tables[0]
        return table

    def is_dealt(self) -> bool:
        """Whether all cards of the deal are dealt."""
        return self._has_dealer and len(self._cards) > N_SEATS * self.table.hand_size

    # ---- OpenSpiel's API ------------------------------------------------------------------------

    def current_player(self) -> int:
        if self._over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.table.to_act if self.is_dealt() else pyspiel.PlayerId.CHANCE)

    def is_terminal(self) -> bool:
        return self._over

    def _legal_actions(self, player: int) -> list[int]:
        return _members(int(legal_actions(self.table)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if not self._has_dealer:
            return [(seat, 1 / N_SEATS) for seat in range(N_SEATS)]
        left = sorted({int(card) for card in self._pack()} - set(self._cards))
        return [(card, 1 / len(left)) for card in left]

    def _pack(self) -> NDArray[np.int8]:
        k = int(self.table.hand_size)
        pack: NDArray[np.int8] = PACKS[k][: N_SEATS * k + 1]
        return pack

    def _apply_action(self, action: int) -> None:
        table = self.table
        if self.is_dealt():
            self._last = 0.0  # a reward stays while cards are dealt, until the next decision
            if not legal_actions(table) >> action & 1:
                raise ValueError(f"illegal action {action}: {act_text(table, action)}")
            do(table, action)
            if table.phase == DEAL_OVER:
                self._finish_deal()
        elif not self._has_dealer:
            new_game(table, action, 0, 0)
            self._has_dealer = True
            self._deal_began = 1
        else:
            self._cards.append(action)
            if len(self._cards) == N_SEATS * table.hand_size:
                self._cards += {int(card) for card in self._pack()} - set(self._cards)
                table.pack[: len(self._cards)] = self._cards
                deal(table)

    def _finish_deal(self) -> None:
        end, reward = end_of_deal(self.table, self._by_deal, self._by_win)
        self._last = float(reward)
        self._total += self._last
        if end:
            self._over = True
            return
        for seat in range(N_SEATS):
            self._seen[seat].append(self._deal_as_seen(seat))
        next_deal(self.table)
        self._cards = []
        self._deal_began = len(self.history()) + 1  # this action is not yet in it

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return act_text(self.table, action)
        if not self._has_dealer:
            return f"dealer {SEAT_LETTERS[action]}"
        seat = min(len(self._cards) // int(self.table.hand_size), WEST)
        return f"{card_text(action)} to {SEAT_LETTERS[seat]}"

    def rewards(self) -> list[float]:
        return [self._last, -self._last] * 2

    def returns(self) -> list[float]:
        over = self._over or not (self._by_deal or self._by_win)
        return [self._total, -self._total] * 2 if over else [0.0] * N_SEATS

    def __str__(self) -> str:
        if self.is_dealt():
            return str(self.table)
        dealer = SEAT_LETTERS[self.table.dealer] if self._has_dealer else "nobody"
        return f"dealing, dealer {dealer}, dealt {' '.join(map(card_text, self._cards))}"

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "HasenpfefferState":
        """A state that the player cannot tell from this one: the hidden cards dealt anew, uniformly.
        sampler: gives numbers from 0 up to 1. While cards are dealt, a copy of this state."""
        if not self.is_dealt():
            return self.clone()  # type: ignore[no-any-return]
        stream = int(sampler() * 2**53)
        world = world_tables(view_of(self.table, player), 1, stream)[0]
        n_dealt = N_SEATS * int(world.hand_size)
        twin: HasenpfefferState = self.get_game().new_initial_state()
        history = self.history()
        for action in history[: self._deal_began]:
            twin.apply_action(action)
        for card in world.pack[:n_dealt]:
            twin.apply_action(int(card))
        discard = np.flatnonzero(self.table.history[: self.table.history_length] == FACE_DOWN)
        for i, action in enumerate(history[self._deal_began + n_dealt :]):
            hidden = len(discard) and i == discard[0]
            twin.apply_action(int(world.discard) if hidden else action)
        return twin

    # ---- what a player sees ---------------------------------------------------------------------

    def _deal_as_seen(self, seat: int) -> str:
        """Everything a seat has seen of the deal: what it was dealt, and each action in order."""
        view = view_of(self.table, seat)
        dealt = int(view.hand | view.played[seat])
        own = ""
        if view.discard != NO_CARD:
            dealt |= 1 << int(view.discard)
        if view.widow != NO_CARD:
            dealt &= ~(1 << int(view.widow))
            own = f" widow {card_text(int(view.widow))}"
        said = []
        for i in range(int(view.history_length)):
            action = int(view.history[i])
            if action == FACE_DOWN and view.discard != NO_CARD:
                action = int(view.discard)
            word = "a card" if action == FACE_DOWN else act_text(view, action)
            said.append(f"{SEAT_LETTERS[view.history_seat[i]]} {word}")
        return (
            f"{SEAT_LETTERS[seat]} dealer {SEAT_LETTERS[view.dealer]} dealt {set_text(dealt)}{own}: "
            f"{', '.join(said)}"
        )

    def seen_by(self, player: int) -> str:
        """Everything a player has seen in the game."""
        now = self._deal_as_seen(player) if self.is_dealt() else "dealing"
        return "\n".join([*self._seen[player], now])


class Observer:
    """OpenSpiel's observer: `tensor`, its parts in `dict`, and strings."""

    def __init__(self, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        size = OBSERVATION_SIZE + (HISTORY if perfect_recall else 0)
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"observation": self.tensor[:OBSERVATION_SIZE]}
        if perfect_recall:
            self.dict["history"] = self.tensor[OBSERVATION_SIZE:]

    def set_from(self, state: HasenpfefferState, player: int) -> None:
        self.tensor.fill(0)
        if state.is_dealt():
            view = view_of(state.table, player)
            self.dict["observation"][:] = observe(view)
            if self._perfect_recall:
                self.dict["history"][:] = history_tokens(view)

    def string_from(self, state: HasenpfefferState, player: int) -> str:
        if self._perfect_recall:
            return state.seen_by(player)
        return str(view_of(state.table, player)) if state.is_dealt() else "dealing"


def _members(bits: int) -> list[int]:
    """The members of a set in order."""
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


pyspiel.register_game(_game_type(pyspiel.GameType.RewardModel.TERMINAL), HasenpfefferGame)
