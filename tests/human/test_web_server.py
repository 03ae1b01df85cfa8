"""The server of the page: slow, idle and many clients, and the time an answer takes."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

import pytest

from hpenv.agents.human.web import server as web_server
from hpenv.agents.human.web.server import HERE, MOST_CONNECTIONS
from web_tab import Tab, new, served

LONG = 120  # seconds that a busy machine may take for anything


@pytest.fixture
def tab() -> Iterator[Tab]:
    wait_for_no_handlers()  # of tests before
    with served(new()) as tab:
        yield tab


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> float:
    """A server that waits half a second for a request."""
    monkeypatch.setattr(web_server, "PATIENCE", 0.5)
    return 0.5


def connected(tab: Tab) -> socket.socket:
    return socket.create_connection((HERE, tab.server.server_port), timeout=LONG)


def is_closed_while_sending(client: socket.socket, data: bytes) -> bool:
    """Send byte after byte, each within the server's patience; True if the server hangs up first."""
    for byte in data:
        try:
            client.sendall(bytes([byte]))
            client.settimeout(0.05)
            if client.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def handlers() -> int:
    """The threads that serve a connection."""
    return sum("process_request_thread" in thread.name for thread in threading.enumerate())


def wait_for_no_handlers() -> None:
    until = time.monotonic() + LONG
    while handlers():
        assert time.monotonic() < until, "a connection still holds a thread"
        time.sleep(0.02)


@pytest.mark.parametrize("part", ["request line", "headers", "body"])
def test_a_request_that_trickles_in_is_cut_off(tab: Tab, hasty: float, part: str) -> None:
    """Twenty bytes a second for some minutes would be enough for a thread to be held for ever."""
    head = f"POST /{tab.server.token}/act HTTP/1.1\r\nHost: {HERE}:{tab.server.server_port}\r\n"
    body = "Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n"
    whole = {"request line": "", "headers": head, "body": head + body}[part]
    with connected(tab) as client:
        client.sendall(whole.encode())
        assert is_closed_while_sending(client, b"x" * int(LONG / 0.05))
    wait_for_no_handlers()
    assert tab.ask("GET", "state")[0] == 200


def test_an_idle_connection_is_closed(tab: Tab, hasty: float) -> None:
    with connected(tab) as client:
        assert client.recv(1) == b""
    connection = http.client.HTTPConnection(HERE, tab.server.server_port, timeout=LONG)
    connection.request("GET", f"/{tab.server.token}/state")
    connection.getresponse().read()
    assert connection.sock.recv(1) == b""
    connection.close()
    wait_for_no_handlers()


def test_each_request_of_a_kept_alive_connection_has_its_own_time(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "PATIENCE", 5)
    connection = http.client.HTTPConnection(HERE, tab.server.server_port, timeout=LONG)
    connection.connect()
    first = connection.sock
    for pause in (0, 2, 2, 2):  # longer in all than one request may take
        time.sleep(pause)
        connection.request("GET", f"/{tab.server.token}/state")
        assert connection.getresponse().read()
        assert connection.sock is first
    connection.close()


def test_connections_are_limited_and_the_person_gets_in_when_they_end(tab: Tab) -> None:
    with ExitStack() as idle:
        clients = [idle.enter_context(connected(tab)) for _ in range(MOST_CONNECTIONS)]
        until = time.monotonic() + LONG
        while handlers() < MOST_CONNECTIONS:
            assert time.monotonic() < until
            time.sleep(0.02)
        for _ in range(5):
            with connected(tab) as client:
                assert client.recv(1) == b"", "one connection too many is closed at once"
        assert handlers() == MOST_CONNECTIONS
        request = (
            f"GET /{tab.server.token}/state HTTP/1.1\r\nHost: {HERE}:{tab.server.server_port}\r\n\r\n"
        )
        clients[-1].sendall(request.encode())  # those that are in are served
        assert clients[-1].recv(12) == b"HTTP/1.1 200"
    wait_for_no_handlers()
    assert tab.ask("GET", "state")[0] == 200


def test_an_answer_on_a_kept_alive_connection_is_as_quick_as_on_a_new_one(tab: Tab) -> None:
    """The body of an answer does not wait for the client's system to acknowledge the head (40 ms)."""
    path = f"/{tab.server.token}/state?since={tab.session.position}"

    def seconds(connection: http.client.HTTPConnection) -> float:
        began = time.perf_counter()
        connection.request("GET", path)
        assert json.loads(connection.getresponse().read())["position"] == tab.session.position
        return time.perf_counter() - began

    kept = http.client.HTTPConnection(HERE, tab.server.server_port, timeout=LONG)
    seconds(kept)
    times: dict[str, list[float]] = {"kept": [], "new": []}
    for _ in range(40):  # in turn, so that both meet the same load
        fresh = http.client.HTTPConnection(HERE, tab.server.server_port, timeout=LONG)
        times["new"].append(seconds(fresh))
        fresh.close()
        times["kept"].append(seconds(kept))
    kept.close()
    assert median(times["kept"]) < 3 * median(times["new"]), times
