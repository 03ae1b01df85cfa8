"""`hpenv solve` and what it is made of: the worth of every choice and what it lost, against deals
worked out by hand, against trying everything, and against the count at the end of the deal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minimax
from hpenv.actions import ACTION_TEXT, BIG
from hpenv.cards import N_CARDS, set_cards
from hpenv.double_dummy import OBJECTIVES, best_contracts
from hpenv.double_dummy_search import new_memory
from hpenv.hindsight import Losses, action_values, losses
from hpenv.notation import RecordError, deal_from, parse_record, record_of, record_text, replay
from hpenv.rulebook import AUCTION, DEAL_OVER, PLAY, legal_actions
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.training.benchmark.solver_speed import Deals, Task
from hpenv.training.cli.main import main
from places import SOLVED
from random_deals import RULES, copy_of, positions
from table_talk import red

Printed = pytest.CaptureFixture[str]

# One card each. North takes the Joker and throws it away: with South's right bower that costs nothing,
# but then North goes alone with a club, and East, who leads, has the left bower.
ONE_TRICK: dict[str, Any] = {
    "rules": {"hand_size": 1, "set_penalty": "bid"},
    "dealer": "W",
    "hands": {"N": "JC", "E": "JD", "S": "JH", "W": "JS"},
    "widow": "Jo",
    "actions": [
        *("bid 1", "trump H", "Jo", "alone", "with partner", "with partner"),
        *("JD", "JS", "JC"),
    ],
    "points": [-1, 0],
}
# North, to win both tricks, need only draw the trumps with the Joker: East's ace and West's jack fall
# together, and then AC is high. But North leads AC, and West, who has no club, ruffs it.
TWO_TRICKS: dict[str, Any] = {
    "rules": "mini2",
    "dealer": "W",
    "hands": {"N": "Jo AC", "E": "AH JC", "S": "AS JS", "W": "AD JH"},
    "widow": "JD",
    "actions": [
        *("bid 2", "trump H", "JD", "with partner"),
        *("AC", "JC", "JS", "JH", "AD", "Jo", "AH", "AS"),
    ],
    "points": [-2, 0],
}


def up_to(record: dict[str, Any], n: int) -> dict[str, Any]:
    """The position after the first n actions of a record."""
    return {key: record[key] for key in record if key != "points"} | {"actions": record["actions"][:n]}


def finished_deals(name: str, seed: int, n: int) -> list[Any]:
    """The records of some random deals that had a maker."""
    found = [
        record_of(table)
        for table in positions(name, seed, n)
        if table.phase == DEAL_OVER and table.maker != NOBODY
    ]
    assert found
    return found


# ---- what choices lost ------------------------------------------------------------------------


def told(found: Losses, column: int) -> list[tuple[str, str, int, int]]:
    """Seat, choice, its worth and the best worth, in tricks (0) or points (1)."""
    return [
        ("NESW"[seat], ACTION_TEXT[action], int(worth[column]), int(best[column]))
        for seat, action, worth, best in zip(
            found.seats, found.actions, found.worth, found.best, strict=True
        )
    ]


def test_one_trick_worked_out_by_hand() -> None:
    """Only going alone without a trump loses: the trick, and minus one instead of plus one."""
    found = losses(parse_record(ONE_TRICK))
    assert told(found, 0) == [
        ("N", "trump H", 1, 1),
        ("N", "Jo", 1, 1),
        ("N", "alone", 0, 1),
        ("E", "with partner", 1, 1),
        ("W", "with partner", 1, 1),
        ("E", "JD", 1, 1),
        ("W", "JS", 1, 1),
        ("N", "JC", 0, 0),
    ]
    assert [worth for *_, worth, _ in told(found, 1)] == [1, 1, -1, 1, 1, 1, 1, -1]
    assert found.lost.tolist() == [[0, 0], [0, 0], [1, 2], *[[0, 0]] * 5]
    assert found.at.tolist() == list(range(1, 9))
    assert found.tricks.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert found.by_seat().tolist() == [[0, 0]] * 4
    assert found.by_seat(in_play=False).tolist() == [[1, 2], [0, 0], [0, 0], [0, 0]]


def test_two_tricks_worked_out_by_hand() -> None:
    """North's AC loses a trick, and minus two instead of plus two; West's ruff keeps what it gives."""
    found = losses(parse_record(TWO_TRICKS))
    lead = 3  # after trump, discard and the answer
    assert told(found, 0)[lead : lead + 5] == [
        ("N", "AC", 1, 2),
        ("E", "JC", 1, 1),
        ("S", "JS", 1, 1),
        ("W", "JH", 1, 1),
        ("W", "AD", 0, 0),
    ]
    assert told(found, 1)[lead : lead + 4] == [
        ("N", "AC", -2, 2),
        ("E", "JC", 2, 2),
        ("S", "JS", -2, -2),
        ("W", "JH", 2, 2),
    ]
    assert found.by_seat().tolist() == [[1, 4], [0, 0], [0, 0], [0, 0]]
    assert found.by_seat(in_play=False).tolist() == [[0, 0]] * 4
    best = {place: set_cards(int(found.best_actions[place, 1])) for place in (lead, lead + 2, lead + 3)}
    assert {place: [ACTION_TEXT[a] for a in cards] for place, cards in best.items()} == {
        lead: ["Jo"],
        lead + 2: ["JS", "AS"],
        lead + 3: ["JH"],
    }
    passive = up_to(TWO_TRICKS, 7) | {"actions": [*TWO_TRICKS["actions"][:7], "AD"]}
    assert losses(parse_record(passive)).lost[-1].tolist() == [1, 4]  # West lets AC hold


@pytest.mark.parametrize("name", RULES)
def test_what_was_lost_adds_up_to_the_result(name: str) -> None:
    """The best of the first choice, less what the makers lost, and with what the defenders lost, is
    what the deal came to, in tricks and in points: loners, pepper and small hands included."""
    memory = new_memory()
    for record in finished_deals(name, 21, 12):
        found, end = losses(record, memory), replay(record).table
        makers = int(end.maker) & 1
        sign = np.where((found.seats & 1) == makers, -1, 1)
        came = found.best[0] + (sign[:, None] * found.lost).sum(axis=0)
        apart = int(end.points[makers] - end.points[1 - makers])
        assert came.tolist() == [int(end.tricks[makers]), apart], record_text(record)
        assert (found.lost >= 0).all()
        total = found.by_seat() + found.by_seat(in_play=False)
        assert total.sum(axis=0).tolist() == found.lost.sum(axis=0).tolist()
        for i, action in enumerate(found.actions.tolist()):
            for column in range(2):
                best = int(found.best_actions[i, column]) >> action & 1
                assert best == (found.lost[i, column] == 0)


def test_loners_and_their_answers_are_among_those_deals() -> None:
    counts = {"alone": 0, "two loners": 0}
    for record in finished_deals("standard", 21, 12) + finished_deals("house", 21, 12):
        lone = int(replay(record).table.alone).bit_count()
        counts["alone"] += lone == 1
        counts["two loners"] += lone == 2
    assert min(counts.values()) > 0


def tried(table: Any, objective: str, already: int) -> int:
    """What North-South get beyond the tricks they had already, or in points, every choice tried: the
    cards by the oracle, what comes before them here."""
    if table.phase in (PLAY, DEAL_OVER):
        payoffs = minimax.payoffs(table, objective)
        over = table.phase == DEAL_OVER
        value = payoffs[table.tricks[0]] if over else minimax.value(table, payoffs)
        return value + (int(table.tricks[0]) - already if objective == "tricks" else 0)
    values = []
    for action in set_cards(legal_actions(table)):
        after = copy_of(table)
        after.step(action)
        values.append(tried(after, objective, already))
    return max(values) if table.to_act % 2 == 0 else min(values)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["mini2", "mini3", "one card", "house"])
def test_every_choice_against_trying_everything(name: str, objective: str) -> None:
    """From the naming of trump on; of six-card hands only what little remains to be tried."""
    phases, checked = set(), 0
    for table in positions(name, 22, 25):
        left = int(table.hand_size - table.tricks_played)
        if table.phase in (AUCTION, DEAL_OVER) or left > 3:
            continue
        values = action_values(table, objective)
        assert set(np.flatnonzero(~np.isnan(values)).tolist()) == set(set_cards(legal_actions(table)))
        for action in set_cards(legal_actions(table)):
            after = copy_of(table)
            after.step(action)
            value = tried(after, objective, int(table.tricks[0]))
            if table.to_act % 2:
                value = left - value if objective == "tricks" else -value
            assert values[action] == value, f"{table}\n{ACTION_TEXT[action]}"
            checked += 1
        phases.add(int(table.phase))
    assert checked > 50
    assert phases == ({PLAY} if name == "house" else set(range(1, PLAY + 1)))


def test_hindsight_of_deals_without_choices() -> None:
    """A deal thrown in, a deal still in the auction: nothing to tell, and the shapes stay."""
    for actions in (["pass"] * 4, ["pass"], []):
        found = losses(parse_record(up_to(TWO_TRICKS, 0) | {"actions": actions}))
        assert found.lost.shape == found.best_actions.shape == (0, 2)
        assert found.by_seat().tolist() == [[0, 0]] * 4


def test_what_has_no_worth_is_refused() -> None:
    with pytest.raises(ValueError, match="auction"):
        action_values(red("standard", "W"))
    with pytest.raises(ValueError, match="over"):
        action_values(red("standard", "W", "pass, pass, pass, pass"))
    with pytest.raises(ValueError, match="objective='win'"):
        action_values(red("standard", "W", "bid 6, trump H, AC, with partner"), "win")
    with pytest.raises(RecordError, match="R11"):
        losses(parse_record(TWO_TRICKS | {"actions": [*TWO_TRICKS["actions"][:5], "AH"]}))


# ---- the command ------------------------------------------------------------------------------

KEYS = [
    *("line", "rules", "phase", "seat", "tricks_won", "bid"),
    *("contracts", "actions", "losses", "lost"),
]
CONTRACT = ["maker", "alone", "trump", "tricks", "discard", "points", "points_discard"]
ACTION = ["action", "tricks", "points", "best_for_tricks", "best_for_points"]
LOSS = [
    *("at", "trick", "seat", "action"),
    *("tricks", "best_tricks", "tricks_lost", "best_for_tricks"),
    *("points", "best_points", "points_lost", "best_for_points"),
]


def no_nan(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


def found_by(capsys: Printed, *words: str) -> list[dict[str, Any]]:
    """What `hpenv solve --json` prints; every key is there in every line."""
    assert main(["solve", *words, "--json"]) == 0
    out = capsys.readouterr().out
    found = [json.loads(line, parse_constant=no_nan) for line in out.splitlines()]
    for facts in found:
        assert list(facts) == KEYS
        assert all(list(contract) == CONTRACT for contract in facts["contracts"] or [])
        assert all(list(action) == ACTION for action in facts["actions"] or [])
        assert all(list(loss) == LOSS for loss in facts["losses"] or [])
        assert (facts["losses"] is None) == (facts["lost"] is None)
    return found


def file_of(tmp_path: Path, *records: dict[str, Any]) -> str:
    file = tmp_path / "deals.jsonl"
    file.write_text("\n\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    return str(file)


def test_each_position_is_told_what_it_can_be(tmp_path: Path, capsys: Printed) -> None:
    """Contracts until the discard, choices from the naming of trump on, losses of a finished deal; with
    --all contracts and losses at any time. Empty lines count as lines."""
    cuts = {0: "auction", 1: "naming trump", 2: "discarding", 3: "alone or with partner", 4: "play"}
    records = [up_to(TWO_TRICKS, n) for n in cuts]
    file = file_of(tmp_path, *records, TWO_TRICKS, up_to(TWO_TRICKS, 0) | {"actions": ["pass"] * 4})
    found = found_by(capsys, file)
    assert [facts["line"] for facts in found] == [1, 3, 5, 7, 9, 11, 13]
    assert [facts["phase"] for facts in found] == [*cuts.values(), "deal over", "deal over"]
    assert [facts["seat"] for facts in found] == [*"NNNNN", None, None]
    told = [[facts[key] is not None for key in KEYS[-4:-1]] for facts in found]
    assert told == [
        [True, False, False],
        [True, True, False],
        [True, True, False],
        [False, True, False],
        [False, True, False],
        [False, False, True],
        [True, False, True],  # thrown in: what it might have been
    ]
    assert [facts["bid"] for facts in found] == [None, *["bid 2"] * 5, None]
    assert found[-1]["losses"] == []
    for facts in found_by(capsys, file, "--all"):
        assert facts["contracts"] is not None
        assert facts["losses"] is not None
    assert found_by(capsys, file, "--every-card") == found_by(capsys, file, "--all")


def test_the_cards_of_the_two_tricks(capsys: Printed) -> None:
    """The record given as JSON, at the lead: the Joker brings both tricks, AC one."""
    (found,) = found_by(capsys, json.dumps(up_to(TWO_TRICKS, 4)))
    assert found["actions"] == [
        dict(zip(ACTION, ("Jo", 2, 2, True, True), strict=True)),
        dict(zip(ACTION, ("AC", 1, -2, False, False), strict=True)),
    ]


def test_the_losses_of_the_two_tricks(capsys: Printed) -> None:
    (found,) = found_by(capsys, json.dumps(TWO_TRICKS))
    lead = {"at": 4, "trick": 1, "seat": "N", "action": "AC"}
    tricks = {"tricks": 1, "best_tricks": 2, "tricks_lost": 1, "best_for_tricks": ["Jo"]}
    points = {"points": -2, "best_points": 2, "points_lost": 4, "best_for_points": ["Jo"]}
    assert [loss for loss in found["losses"] if loss["points_lost"]] == [lead | tricks | points]
    assert found["losses"][0]["trick"] is None
    nothing = {"tricks": 0, "points": 0}
    assert found["lost"] == {
        "N": {"before_play": nothing, "in_play": {"tricks": 1, "points": 4}},
        **{seat: {"before_play": nothing, "in_play": nothing} for seat in "ESW"},
    }


def test_contracts_are_those_of_the_solver(tmp_path: Path, capsys: Printed) -> None:
    """Of a random deal of six cards each, in tricks and in points of a chosen bid."""
    record = finished_deals("house", 23, 1)[0]
    dealt = deal_from(record)
    for word, level in (("4", 4), ("bid 2", 2), ("big pepper", BIG), ("Little Pepper", 6)):
        (found,) = found_by(capsys, record_text(record), "--all", "--bid", word)
        assert found["bid"] == ("big pepper" if level == BIG else f"bid {level}")
        assert len(found["contracts"]) == 32
        expected = {
            (lone, about): best_contracts(np.array([dealt], dealt.dtype), about, lone)
            for lone in (False, True)
            for about in (0, level)
        }
        for contract in found["contracts"]:
            place = (0, "NESW".index(contract["maker"]), "CDHS".index(contract["trump"]))
            in_tricks, in_points = (expected[contract["alone"], about] for about in (0, level))
            assert contract["tricks"] == in_tricks.values[place]
            assert contract["points"] == in_points.values[place]
            assert ACTION_TEXT.index(contract["discard"]) == in_tricks.discards[place]
            assert ACTION_TEXT.index(contract["points_discard"]) == in_points.discards[place]


def test_nobody_is_alone_where_the_rules_forbid_it(capsys: Printed) -> None:
    rules = {"hand_size": 2, "alone": False}
    (found,) = found_by(capsys, json.dumps(up_to(TWO_TRICKS, 0) | {"rules": rules}))
    assert [contract["alone"] for contract in found["contracts"]] == [False] * 16
    assert [contract["points"] for contract in found["contracts"]] == [None] * 16


def test_solved_deals_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    """Deals with all their answers, as records at the opening lead; the maker discards the widow."""
    records, answers = [], []
    pack = set(ACTION_TEXT[:N_CARDS])
    for line in SOLVED.read_text(encoding="utf-8").splitlines()[:12]:
        cards, north_south = line.split(" = ")
        hands = dict(zip("NESW", (hand.strip() for hand in cards.split("/")), strict=True))
        widow = (pack - set(" ".join(hands.values()).split())).pop()
        for t, trump in enumerate("CDHS"):
            for leader in range(4):
                calls = ["bid 3", "pass", "pass", "pass", f"trump {trump}", widow]
                records.append(
                    {"rules": {"alone": False}, "dealer": "NESW"[leader - 1], "hands": hands}
                    | {"widow": widow, "actions": calls}
                )
                taken = int(north_south.split()[t][leader])
                answers.append(6 - taken if leader % 2 else taken)
    lines = "\n".join(map(json.dumps, records)).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    found = found_by(capsys, "-")
    assert [max(act["tricks"] for act in facts["actions"]) for facts in found] == answers
    for facts in found:
        best = max(act["points"] for act in facts["actions"])
        assert [act["points"] == best for act in facts["actions"]] == [
            act["best_for_points"] for act in facts["actions"]
        ]
        assert facts["actions"][0]["best_for_points"]


def test_tables_to_read(tmp_path: Path, capsys: Printed) -> None:
    """Plain text where it is piped: the best marked, losses shown where there are any."""
    file = file_of(tmp_path, up_to(TWO_TRICKS, 2), up_to(TWO_TRICKS, 4), TWO_TRICKS)
    assert main(["solve", file]) == 0
    discarding, lead, over = capsys.readouterr().out.split("\nline ")
    squeezed = [[" ".join(row.split()) for row in part.splitlines()] for part in (lead, over)]
    assert "maker    clubs  diamonds  hearts  spades" in discarding
    assert "W alone" in discarding
    assert "points of bid 2" in discarding
    assert {"Jo 2* +2*", "AC 1 -2"} <= set(squeezed[0])
    assert {"1 N AC Jo 1 -1 -2 -4", "W JH 1 +2", "2 W AD 0 +2", "N 1 4 0 0"} <= set(squeezed[1])
    assert "N holds AC Jo" in over  # the cards as they were dealt
    assert not set(discarding + lead + over) & set("│─┃━\x1b")


def test_the_best_for_tricks_and_for_points_are_marked_apart(capsys: Printed) -> None:
    """Makers who must fail want few tricks under R15 as written, so that the two often differ."""
    differ = 0
    for table in positions("standard", 25, 6):
        if table.phase != PLAY:
            continue
        text = record_text(record_of(table))
        (found,) = found_by(capsys, text)
        marks = [(act["best_for_tricks"], act["best_for_points"]) for act in found["actions"]]
        differ += any(tricks != points for tricks, points in marks)
        assert main(["solve", text]) == 0
        rows = capsys.readouterr().out.rstrip().splitlines()[-len(marks) :]
        assert [tuple(cell.endswith("*") for cell in row.split()[1:]) for row in rows] == marks
    assert differ > 0


def test_a_fault_names_its_line_with_status_1(tmp_path: Path, capsys: Printed) -> None:
    wrong = TWO_TRICKS | {"actions": [*TWO_TRICKS["actions"][:5], "AH"]}
    assert main(["solve", file_of(tmp_path, TWO_TRICKS, wrong, TWO_TRICKS), "--json"]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert said.err.count("\n") == 1
    assert all(words in said.err for words in ("deals.jsonl, line 3: ", "action 6, 'AH'", "R11"))
    assert main(["solve", "{not a record"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "the record, line 1: notation" in said.err
    assert main(["solve", json.dumps(TWO_TRICKS | {"points": [2, 0]})]) == 1
    assert "[-2, 0]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "hpenv solve --help"),
        (["no/such.jsonl"], "no/such.jsonl: no such file"),
        (["."], "is a directory"),
        ([json.dumps(TWO_TRICKS), "--bid", "3"], "'3' is no bid under the rules of line 1 (R5"),
        ([json.dumps(TWO_TRICKS), "--bid", "0"], "'0' is no bid"),
        ([json.dumps(TWO_TRICKS), "--bid", "big pepper"], "'big pepper' is no bid"),
        ([json.dumps(TWO_TRICKS), "--bid", "pass"], "'pass' is no bid"),
        ([json.dumps(TWO_TRICKS), "--bid", "AS"], "'AS' is no bid"),
    ],
)
def test_a_users_error_is_one_sentence_and_status_2(
    words: list[str], says: str, capsys: Printed
) -> None:
    assert main(["solve", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hpenv: ")
    assert says in said.err
    assert said.err.count("\n") == 1


# ---- how fast ---------------------------------------------------------------------------------


def test_solver_speed_measures_its_four_rows(capsys: Printed) -> None:
    assert main(["speed", "solver", "--rules", "mini3", "--seconds", "0.005", "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=no_nan)
    units = {
        "solve": "deals_per_s",
        "solve_all_cards": "deals_per_s",
        "worlds": "worlds_per_s",
        "pimc100_lead": "decisions_per_s",
    }
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == list(units)
    for name, row in rows.items():
        assert 0 < row["lowest"] <= row[units[name]] <= row["highest"]
        assert row["repetitions"] >= 3
    assert rows["solve"]["ms_p99"] > 0
    assert rows["solve_all_cards"]["points_deals_per_s"] > 0
    assert rows["pimc100_lead"]["ms"] == pytest.approx(1000 / rows["pimc100_lead"]["decisions_per_s"])
    assert rows["worlds"]["worlds_per_s"] > rows["solve"]["deals_per_s"]
    assert found["rules"] == "mini3"
    assert {"processor", "cores", "python", "numba"} <= found["machine"].keys()
    assert main(["speed", "solver", "--rules", "mini2", "--seconds", "0.002"]) == 0
    assert "pimc100_lead" in capsys.readouterr().out


@pytest.mark.parametrize("name", PRESETS)
def test_deals_to_solve_are_new_and_of_every_kind(name: str) -> None:
    """At the opening lead with partner, every seat the maker and every suit the trump, none twice."""
    deals = Deals(get_rules(name))
    taken = [deals.take(200) for _ in range(2)]
    tables = np.concatenate([tables for tables, _, _ in taken])
    views = np.concatenate([views for _, views, _ in taken])
    assert (tables["phase"] == PLAY).all()
    assert not tables["cards_in_trick"].any()
    assert not tables["alone"].any()
    assert (views["seat"] == tables["leader"]).all()
    assert (views["hand"] == tables["hands"][np.arange(400), tables["leader"]]).all()
    for field in ("maker", "trump", "dealer"):
        assert set(tables[field].tolist()) == set(range(4))
    assert set(tables["bid"].tolist()) == set(range(1, int(tables["hand_size"][0]) + 1))
    assert len({bytes(pack) for pack in tables["pack"]}) > (390 if tables["hand_size"][0] > 3 else 200)


def test_every_deal_is_asked_about_once() -> None:
    """So many new deals in calls of at most so many; the spans are those of the calls."""
    asked: list[Any] = []
    task = Task(lambda tables, views, streams: asked.append(tables["key"].copy()), 8)
    assert task.turn(Deals(get_rules("mini2")), 20) > 0
    assert [len(keys) for keys in asked] == [8, 8, 4]
    assert len(np.unique(np.concatenate(asked))) == 20
    assert len(task.spans) == 3
