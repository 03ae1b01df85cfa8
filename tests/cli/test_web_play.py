"""The command `hpenv play --web`."""

from __future__ import annotations

import http.client
import json
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hpenv.agents.human.saved_game import as_json
from hpenv.training.cli.main import main
from human_games import resume


def test_the_command_serves_until_it_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    words = ["--web", "--no-open", "--opponents", "uniform", "--seed", "3", "--save", str(path)]
    command = [sys.executable, "-m", "hpenv.training.cli.main", "play", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            assert select.select([running.stdout], [], [], 600)[0]  # it may compile first
            address = running.stdout.readline().split()[-1]
            _, place, token, _ = address.replace("//", "/").split("/")
            connection = http.client.HTTPConnection(place, timeout=120)
            connection.request("GET", f"/{token}/state")
            state = json.loads(connection.getresponse().read())
            assert state["seat"] == "S"
            connection.close()
        finally:
            running.send_signal(signal.SIGINT)
        said = running.stdout.read()
        assert running.wait(120) == 0, said
    assert f"hpenv play --resume {path}" in said
    assert as_json(resume(path))["seed"] == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "8000"], "add --web"),
        (["--no-open"], "add --web"),
        (["--web", "--deals", "1"], "leave --deals out"),
        (["--web", "--port", "70000"], "not 0 to 65535"),
        (["--web", "--port", "-1"], "not 0 to 65535"),
        (["--web", "--port", "TAKEN"], "cannot be had"),
    ],
)
def test_wrong_options_end_in_a_sentence(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        assert main(["play", *(word.replace("TAKEN", taken) for word in words)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
