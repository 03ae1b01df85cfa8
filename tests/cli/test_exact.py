"""`hpenv exact`, the small game made smaller still."""

import json

import pytest

from hpenv.rules import PRESETS
from hpenv.training.cli.main import main
from small_trees import ONE_CARD

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _one_card_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "mini2", ONE_CARD)


def test_an_equilibrium_and_what_is_bid_in_it(capsys: Printed) -> None:
    assert main(["exact", "mini2", "--iterations", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == pytest.approx(-0.2, abs=0.01)
    assert found["best_response_seat"] < 0.01
    assert found["best_response_team_lower"] <= found["best_response_team_upper"] < 0.01
    assert found["contracts"]["bid 1"]["share"] == pytest.approx(1, abs=0.01)
    assert found["makers"]["E"] == pytest.approx(1, abs=0.01)
    assert main(["exact", "mini2", "--no-widow"]) == 0
    assert "value for the dealer's side     -0.2000" in capsys.readouterr().out


def test_an_agent_and_best_responses_to_it(capsys: Printed) -> None:
    assert main(["exact", "mini2", "--policy", "uniform", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["policy"] == "uniform"
    assert found["exact"] is True
    assert 0.1 < found["best_response_team_lower"] <= found["best_response_team_upper"]
    assert main(["exact", "mini2", "--policy", "uniform", "--rules", "standard"]) == 0
    assert "rules {'hand_size': 1}: uniform; points per deal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("mini3", "hand_size=3: small games are solved with at most 2 cards each (R20)"),
        ("mini2 --policy oracle_all", "sees hidden cards"),
        ("mini2 --policy uniform --no-widow", "an agent plays by the rules"),
        ("mini2 --rules nothing", "no preset 'nothing'"),
        ("mini4", "invalid choice"),
    ],
)
def test_what_makes_no_sense(words: str, said: str, capsys: Printed) -> None:
    assert main(["exact", *words.split()]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
