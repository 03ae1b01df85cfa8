"""The arrays of a batch, and what a batch refuses."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hpenv.batch import Batch
from hpenv.cards import CARD_TEXT
from hpenv.errors import IllegalAction
from hpenv.observation import HIDDEN_SIZE, observe, write_hidden
from hpenv.suits import UNLABEL
from hpenv.view import view_of
from random_deals import mixture, random_actions

# ---- arrays -----------------------------------------------------------------------------------

ARRAYS = ("observations", "masks", "legal", "seats", "rewards", "terminated", "truncated", "deal_over")


def everything(batch: Batch) -> str:
    """A digest of all that a batch holds."""
    digest = hashlib.sha256(batch.tables.tobytes())
    for name in (*ARRAYS, "steps", "orders", "hidden"):
        digest.update(getattr(batch, name).tobytes())
    return digest.hexdigest()


def pickled(batch: Batch) -> Batch:
    """A batch put away and read back."""
    other = pickle.loads(pickle.dumps(batch))
    assert isinstance(other, Batch)
    return other


def test_torch_wraps_the_arrays_without_copying() -> None:
    """The arrays stay where they are, so a tensor made once shows every later step."""
    import torch  # noqa: PLC0415  (heavy, and only this test needs it)

    batch, rng = Batch(4, with_hidden=True, dtype=np.float32), np.random.default_rng(0)
    names = [*ARRAYS, "steps", "hidden", "orders"]
    tensors = {name: torch.from_numpy(getattr(batch, name)) for name in names}
    for _ in range(60):
        batch.step(torch.from_numpy(random_actions(batch.masks, rng)))
        for name, tensor in tensors.items():
            assert tensor.data_ptr() == getattr(batch, name).ctypes.data
            assert tensor.numpy().tolist() == getattr(batch, name).tolist()
    assert tensors["observations"].dtype == torch.float32


def test_any_seat_may_be_observed_for_a_critic() -> None:
    """`observe_seats` shows the seats asked for and disturbs nothing; `views` are those to act."""
    batch = Batch(12, mixture(12), seed=4, with_hidden=True)
    rng = np.random.default_rng(4)
    for _ in range(60):
        before = [getattr(batch, name).tobytes() for name in (*ARRAYS, "hidden", "tables", "orders")]
        seats = rng.integers(0, 4, 12)
        observations, hidden = batch.observe_seats(seats)
        for i, seat in enumerate(seats.tolist()):
            out = np.zeros(HIDDEN_SIZE, np.int8)
            write_hidden(batch.tables[i], seat, 0, out)
            assert hidden[i].tolist() == out.tolist()
            assert observations[i].tolist() == observe(view_of(batch.tables[i], seat)).tolist()
        for i, view in enumerate(batch.views()):
            assert view.tobytes() == view_of(batch.tables[i], int(batch.seats[i])).tobytes()
        assert before == [
            getattr(batch, name).tobytes() for name in (*ARRAYS, "hidden", "tables", "orders")
        ]
        batch.step(random_actions(batch.masks, rng))


def test_refresh_shows_tables_put_back() -> None:
    """Tables restored by hand show what they showed when they were kept."""
    batch, rng = Batch(9, "pepper", seed=6, suits="canonical", threads=2), np.random.default_rng(6)
    for _ in range(10):
        batch.step(random_actions(batch.masks, rng))
    kept, names = batch.tables.copy(), ("observations", "masks", "legal", "seats", "orders")
    shown = [getattr(batch, name).tolist() for name in names]
    for _ in range(10):
        batch.step(random_actions(batch.masks, rng))
    batch.tables[:] = kept
    batch.refresh()
    assert [getattr(batch, name).tolist() for name in names] == shown


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled], ids=lambda f: f.__name__)
def test_a_copy_plays_on_exactly(duplicate: Callable[[Batch], Batch]) -> None:
    """All arrays alike, step for step, also after the original has gone its own way."""
    options: dict[str, Any] = {"suits": "canonical", "with_hidden": True, "threads": 2, "seed": 3}
    batch, rng = Batch(5, mixture(5), **options), np.random.default_rng(3)
    for _ in range(20):
        batch.step(random_actions(batch.masks, rng))
    other, actions, shown = duplicate(batch), [], []
    assert everything(other) == everything(batch)
    for _ in range(60):
        actions.append(random_actions(batch.masks, rng))
        batch.step(actions[-1])
        shown.append(everything(batch))
    for chosen, expected in zip(actions, shown, strict=True):
        other.step(chosen)
        assert everything(other) == expected


def test_numpy_numbers_are_whole_numbers_too() -> None:
    """For every option that is one, of any width; and actions may be a plain list."""
    plain = Batch(3, seed=5, first_index=2, dealer=1, threads=2, score=(1, 2))
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        batch = Batch(
            kind(3),
            seed=kind(5),
            first_index=kind(2),
            dealer=kind(1),
            threads=kind(2),
            score=(kind(1), kind(2)),
        )
        batch.step([25, 25, 26])
        other = copy.copy(plain)
        other.step(np.array([25, 25, 26], np.uint8))
        assert everything(batch) == everything(other)
    packs = [Batch(2, seed=seed).tables["pack"].tolist() for seed in (-1, np.int64(-1), 2**64 - 1)]
    assert packs[0] == packs[1] == packs[2]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seed": None}, "seed=None is not a whole number"),
        ({"seed": "1"}, "seed='1' is not a whole number"),
        ({"seed": 1.0}, "seed=1.0 is not a whole number"),
        ({"seed": True}, "seed=True is not a whole number"),
        ({"first_index": None}, "first_index=None is not a whole number"),
        ({"first_index": -1}, "first_index=-1 is not a whole number from 0 to "),
        ({"first_index": 2**63}, "first_index=9223372036854775808 is not a whole number from 0 to "),
        ({"first_index": np.uint64(2**63)}, "first_index=9223372036854775808 is not a whole number"),
    ],
)
def test_seeds_and_indices_that_are_none(options: dict[str, Any], sentence: str) -> None:
    """A sentence names the option and the value."""
    with pytest.raises((TypeError, ValueError), match=sentence):
        Batch(2, **options)


# ---- what is refused --------------------------------------------------------------------------


def test_legality_is_decided_by_the_tables() -> None:
    """Never by what a caller has written into the arrays that a batch shows."""
    batch, rng = Batch(6, mixture(6), seed=9, suits="canonical"), np.random.default_rng(9)
    twin = Batch(6, mixture(6), seed=9, suits="canonical")
    for _ in range(100):
        actions, illegal = random_actions(twin.masks, rng), twin.masks == 0
        for array in (batch.observations, batch.masks, batch.legal, batch.seats, batch.orders):
            array[:] = rng.integers(0, 8, array.shape)
        batch.masks[:] = illegal
        wrong = actions.copy()
        table = int(rng.integers(6))
        wrong[table] = rng.choice(np.flatnonzero(illegal[table]))
        with pytest.raises(IllegalAction, match=rf"^table {table}: "):
            batch.step(wrong)
        batch.step(actions)
        twin.step(actions)
        assert everything(batch) == everything(twin)


def test_a_table_changed_by_hand_wants_a_refresh() -> None:
    """An action that has become legal is not taken from a batch that has not looked again."""
    batch = Batch(1, dealer=3)
    batch.step([26])
    for _ in range(3):
        batch.step([25])
    named = batch.tables.copy()
    fresh = Batch(1, dealer=3)
    fresh.tables[:] = named
    with pytest.raises(ValueError, match=r"table 0 was changed .* call refresh\(\) first"):
        fresh.step([33])
    fresh.refresh()
    fresh.step([33])
    batch.step([33])
    assert fresh.tables.tobytes() == batch.tables.tobytes()


@pytest.mark.parametrize("suits", ["as_dealt", "canonical"])
def test_an_illegal_action_changes_nothing(suits: str) -> None:
    """Refused with the table's number and the rule's sentence, and no table has moved."""
    batch, rng = Batch(6, mixture(6), seed=8, suits=suits, threads=2), np.random.default_rng(8)
    for _ in range(150):
        wrong = random_actions(batch.masks, rng)
        table = int(rng.integers(6))
        wrong[table] = rng.choice(np.flatnonzero(batch.masks[table] == 0))
        before = everything(batch)
        with pytest.raises(IllegalAction, match=rf"^table {table}: .+ \(R\d+\)") as refused:
            batch.step(wrong)
        assert refused.value.rule in str(refused.value)
        assert everything(batch) == before
        for number in (-1, 39, 10_000):
            wrong[table] = number
            with pytest.raises(ValueError, match=rf"table {table}: no such action: {number} \(actions"):
                batch.step(wrong)
        assert everything(batch) == before
        batch.step(random_actions(batch.masks, rng))


def test_an_error_speaks_of_the_cards_as_dealt() -> None:
    """Also where the batch shows the suits relabelled."""
    batch = Batch(1, seed=3, suits="canonical", dealer=3)
    batch.step([26])
    for _ in range(3):
        batch.step([25])
    assert batch.seats[0] == 0
    with pytest.raises(IllegalAction, match=r"table 0: North .* name a trump suit .*\(R8\)"):
        batch.step([0])
    batch.step([33])  # suit 0, whichever that is
    order = int(batch.orders[0])
    not_held = int(np.flatnonzero(batch.masks[0, :25] == 0)[0])
    with pytest.raises(IllegalAction) as refused:
        batch.step([not_held])
    assert CARD_TEXT[UNLABEL[order, not_held]] in str(refused.value)


def test_actions_of_another_shape_or_kind_are_refused() -> None:
    """With a sentence that says what was given."""
    batch = Batch(3)
    for given, kind, sentence in (
        ([25, 25], ValueError, r"actions has shape \(2,\), not \(3,\)"),
        ([[25, 25, 25]], ValueError, r"actions has shape \(1, 3\), not \(3,\)"),
        (25, ValueError, r"actions has shape \(\), not \(3,\)"),
        ([25.0, 25.0, 25.0], TypeError, "actions are float64, not whole numbers"),
        ([True, True, True], TypeError, "actions are bool, not whole numbers"),
    ):
        with pytest.raises(kind, match=sentence):
            batch.step(given)
    with pytest.raises(ValueError, match=r"seats has shape \(2,\), not \(3,\)"):
        batch.observe_seats([0, 1])
    with pytest.raises(ValueError, match=r"seats=\[0, 1, 4\] are not all seats 0 to 3"):
        batch.observe_seats([0, 1, 4])
    batch.step(np.array([25, 25, 25], np.uint8))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n": 0}, "n=0 is not a whole number of at least 1"),
        ({"threads": 0}, "threads=0 is not a whole number of at least 1"),
        ({"suits": "sorted"}, "suits='sorted' is not one of as_dealt, canonical"),
        ({"dtype": np.float64}, "float64.* is not one of int8, float32"),
        ({"episode": "round"}, "episode='round' is not one of game, deal"),
        ({"reward": "tricks"}, "reward='tricks' is not one of points, win"),
        ({"reward": "win", "episode": "deal"}, "reward='win' needs episode='game'"),
        ({"dealer": 7}, r"dealer 7 is neither 0 to 3 nor N, E, S or W \(R1\)"),
        ({"dealer": "X"}, "dealer 'X' is neither 0 to 3 nor N, E, S or W"),
        ({"score": (10, 0)}, r"score=\(10, 0\): each must be below the target of 10 \(R18\)"),
        ({"score": (0, 3), "rules": {"target": 3}}, "below the target of 3"),
        ({"score": (0, 5), "rules": ["standard", {"target": 5}]}, "below the target of 5"),
        ({"score": (-1_000_001, 0)}, "at least -1000000"),
        ({"rules": ["house"]}, "rules: 1 given for 2 tables"),
        ({"rules": "hause"}, "rules: no preset 'hause'"),
        ({"rules": {"targets": 3}}, "rules: no option 'targets'"),
        ({"rules": {"hand_size": 7}}, "rules: hand_size=7 is not one of"),
    ],
)
def test_options_a_batch_cannot_have_are_refused(options: dict[str, Any], sentence: str) -> None:
    """With a sentence that names the option and the value."""
    with pytest.raises(ValueError, match=sentence):
        Batch(**{"n": 2, **options})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n": 2.0}, "n=2.0 is not a whole number"),
        ({"n": "2"}, "n='2' is not a whole number"),
        ({"threads": True}, "threads=True is not a whole number"),
        ({"dealer": True}, "dealer True is neither 0 to 3 nor N, E, S or W"),
        ({"dealer": 1.0}, "dealer 1.0 is neither 0 to 3 nor N, E, S or W"),
        ({"score": (1.5, 0)}, r"score=\(1.5, 0\) is not two whole numbers"),
        ({"score": 3}, "score=3 is not two whole numbers"),
        ({"score": (1, 2, 3)}, r"score=\(1, 2, 3\) is not two whole numbers"),
        ({"rules": 3}, "rules: 3 is neither a preset's name nor a dictionary of options"),
    ],
)
def test_options_of_a_wrong_type_are_type_errors(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        Batch(**{"n": 2, **options})


@pytest.mark.parametrize("dealer", [2, np.int8(2), "S", "s", "South"])
def test_a_dealer_is_named_as_in_a_deal(dealer: Any) -> None:
    batch = Batch(3, dealer=dealer)
    assert batch.tables["dealer"].tolist() == [2, 2, 2]
    assert batch.seats.tolist() == [3, 3, 3]  # West is at South's left (R3)
