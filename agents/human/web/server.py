"""The page and its requests, served on 127.0.0.1 to the person at this machine only.

Every address begins with a secret token, printed at the start. A request must name this machine as its
host (a foreign name that resolves to it gets an error) and, where the browser states an origin, come
from the page itself. Each connection has a thread: so a request must arrive whole within some seconds,
and the number of connections is limited. For one person the standard library's server is enough.
"""

import hmac
import io
import json
import secrets
import socket
import sys
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hpenv.agents.human.web.page import page
from hpenv.agents.human.web.session import NEW_GAME, RequestError, Session
from hpenv.strict_json import parse_json

HERE = "127.0.0.1"
LARGEST_BODY = 16_384  # bytes
LARGEST_DRAINED = 1 << 20  # bytes of an unread body that are read and thrown away
PATIENCE = 30  # seconds in which a request must arrive and an answer be taken
MOST_CONNECTIONS = 64  # at a time; a browser opens up to 6 for each tab
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'"
JSON, TEXT, PAGE = "application/json", "text/plain; charset=utf-8", "text/html; charset=utf-8"


class Server(ThreadingHTTPServer):
    """Serves one session. port: 0 for any that is free."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        self.token = secrets.token_urlsafe(18)
        super().__init__((HERE, port), Handler)
        self.hosts = {f"{name}:{self.server_port}" for name in (HERE, "localhost")}

    @property
    def address(self) -> str:
        """Where the person finds the page."""
        return f"http://{HERE}:{self.server_port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for a connection, or close one too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print no traceback for a browser that closed the connection in the middle of an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Incoming(io.RawIOBase):
    """What arrives on a connection, up to a moment: after it reading raises TimeoutError.

    A socket's own timeout begins again with every byte, so it does not end a request that trickles in.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.until = 0.0  # of time.monotonic

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request has not arrived in time")
        self.connection.settimeout(left)
        return self.connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "hpenv"
    sys_version = ""
    disable_nagle_algorithm = True  # else the body of an answer waits until its head is acknowledged
    _is_read = False  # has the body of the request been read?

    def setup(self) -> None:
        super().setup()
        self._incoming = Incoming(self.connection)
        self.rfile = io.BufferedReader(self._incoming)

    def handle_one_request(self) -> None:
        self._incoming.until = time.monotonic() + PATIENCE
        super().handle_one_request()

    def do_GET(self) -> None:
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # what follows is not the next request
        self._answer(self._get)

    def do_POST(self) -> None:
        self._is_read = False
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing about requests."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """The standard library's errors, as a sentence in JSON like all others."""
        self.close_connection = True
        self._send(code, _sentence(message or HTTPStatus(code).phrase), JSON)

    # ---- answers and errors -----------------------------------------------------------------------

    def _answer(self, find: Callable[[str, dict[str, list[str]]], None]) -> None:
        try:
            what, query = self._checked()
            find(what, query)
        except RequestError as error:
            self._send_error(str(error), error.status, error.rule)
        except (ValueError, OSError) as error:
            if isinstance(error, ConnectionError | TimeoutError):
                raise
            self._send_error(" ".join(str(error).split()), 409)
        except Exception as error:  # whatever fails in an agent, the game goes on
            print(f"hpenv: {type(error).__name__}: {error}", file=sys.stderr)
            self._send_error(f"this has failed in here: {type(error).__name__}", 500)

    def _send_error(self, sentence: str, status: int, rule: str = "") -> None:
        if self.command == "POST" and not self._is_read:
            self.close_connection = True
            length = self._length() or 0
            self.rfile.read(min(length, LARGEST_DRAINED))  # else the answer may be lost on its way
        self._send(status, _sentence(sentence, rule), JSON)

    def _checked(self) -> tuple[str, dict[str, list[str]]]:
        """What is asked for, after the host, the origin and the token."""
        if self.headers.get_all("Host") not in [[host] for host in self.server.hosts]:
            raise RequestError("this server answers to its own address only", 403)
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            raise RequestError("requests from other pages are refused", 403)
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise RequestError("requests from other pages are refused", 403)
        address = urlsplit(self.path)
        token, slash, what = address.path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise RequestError("open the address that hpenv play --web has printed", 404)
        return what, parse_qs(address.query)

    def _send(self, status: int, body: bytes, kind: str, policy: str = NOTHING_LOADED) -> None:
        self.connection.settimeout(PATIENCE)
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    # ---- reading --------------------------------------------------------------------------------

    def _get(self, what: str, query: dict[str, list[str]]) -> None:
        session = self.server.session
        if what == "":
            html, policy = page()
            self._send(200, html, PAGE, policy)
        elif what == "state":
            self._send(200, session.state(_number(query, "since", None)), JSON)
        elif what == "replay":
            self._send(200, session.replay(_number(query, "deal", 0) or 0), JSON)
        elif what == "analysis":
            self._send(200, session.analysis(_number(query, "deal", 0) or 0), JSON)
        elif what == "records":
            self._send(200, session.records(), TEXT)
        else:
            raise RequestError("there is nothing at this address", 404)

    # ---- doing ----------------------------------------------------------------------------------

    def _post(self, what: str, query: dict[str, list[str]]) -> None:
        if what not in REQUESTS:
            raise RequestError("there is nothing at this address", 404)
        kinds, do = REQUESTS[what]
        self._send(200, do(self.server.session, _checked_parts(self._body(), kinds)), JSON)

    def _body(self) -> Any:
        """The JSON sent. Raises RequestError if it is too long, of no stated length, or no JSON."""
        if self.headers.get_content_type() != JSON:
            raise RequestError("a request is sent as application/json", 415)
        length = self._length()
        if length is None:
            raise RequestError("a request says its length", 411)
        if length > LARGEST_BODY:
            raise RequestError(f"a request has at most {LARGEST_BODY} bytes", 413)
        body, self._is_read = self.rfile.read(length), True
        try:
            return parse_json(body)
        except ValueError:
            raise RequestError("the request is not one JSON object with every key once", 400) from None

    def _length(self) -> int | None:
        """How many bytes follow, if that is said."""
        said = self.headers.get_all("Content-Length") or [""]
        if "Transfer-Encoding" in self.headers or len(said) > 1:
            return None
        is_number = said[0].isascii() and said[0].isdecimal() and len(said[0]) < 16
        return int(said[0]) if is_number else None


# The requests that change something: their parts, and the method that handles them.
Parts = dict[str, Any]
Kinds = dict[str, tuple[type, ...]]
REQUESTS: dict[str, tuple[Kinds, Callable[[Session, Parts], bytes]]] = {
    "act": (
        {"position": (int,), "seat": (str,), "action": (str,)},
        lambda session, asked: session.act(asked["position"], asked["seat"], asked["action"]),
    ),
    "next": ({"position": (int,)}, lambda session, asked: session.next_deal(asked["position"])),
    "undo": ({"position": (int,)}, lambda session, asked: session.undo(asked["position"])),
    "hint": ({"position": (int,)}, lambda session, asked: session.hint(asked["position"])),
    "save": ({}, lambda session, asked: session.save()),
    "new": (
        {
            "position": (int,),
            "rules": (str, dict),
            "seed": (int, type(None)),
            "seat": (str,),
            "agents": (dict,),
            "practice": (bool,),
        },
        lambda session, asked: session.new_game(
            asked["position"], {part: asked[part] for part in NEW_GAME}
        ),
    ),
}


def _checked_parts(asked: Any, kinds: Kinds) -> Parts:
    """The parts of a request: all of them, no others, each of its kind."""
    if not isinstance(asked, dict):
        raise RequestError("the request is not one JSON object with every key once", 400)
    for part in sorted(set(asked) ^ set(kinds)):
        odd = "is missing" if part in kinds else "is no part of this request"
        raise RequestError(f"{part[:40]!r} {odd}", 400)
    for part, kind in kinds.items():
        if type(asked[part]) not in kind:
            raise RequestError(f"{part} is {asked[part]!r}"[:80], 400)
    return asked


def _number(query: dict[str, list[str]], name: str, default: int | None) -> int | None:
    """A whole number in the address."""
    if name not in query:
        return default
    word = query[name][0]
    if len(query[name]) > 1 or not (word.isascii() and word.isdecimal() and len(word) < 16):
        raise RequestError(f"{name} is not a whole number", 400)
    return int(word)


def _sentence(sentence: str, rule: str = "") -> bytes:
    return json.dumps({"error": sentence, "rule": rule}).encode()
