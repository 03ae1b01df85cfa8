"""`hpenv play --web`: the game on a page in the browser, kept as at the terminal."""

import os
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpenv.agents.human.game import Game
    from hpenv.agents.human.web.session import Kept
    from hpenv.notation import Record


def play_in_browser(
    game: "Game",
    kept: "Kept",
    begin: "Callable[[Game], Kept]",
    hints: tuple[str, ...],
    finish: "Callable[[Record], None]",
    resumed: bool,
    port: int,
    is_opened: bool,
) -> None:
    """Serve the page until the person stops it with Ctrl-C.

    port: 0 for any that is free. is_opened: does the browser open by itself. The rest as for
    `hpenv.agents.human.web.session.Session`. Raises ValueError for a port that is none or is taken.
    """
    from hpenv.agents.human.web.server import HERE, Server  # noqa: PLC0415
    from hpenv.agents.human.web.session import Session  # noqa: PLC0415

    if not 0 <= port < 1 << 16:
        raise ValueError(f"port: {port} is not 0 to 65535")
    session = Session(game, kept, begin, hints, finish, resumed)
    session.advisers.is_ready = False
    try:
        server = Server(session, port)
    except OSError as error:
        raise ValueError(f"port {port} of {HERE} cannot be had: {error.strerror}") from None
    with server:
        print(f"The table is laid at {server.address}\nCtrl-C ends it.", flush=True)
        Thread(target=session.advisers.get_ready, daemon=True).start()
        if is_opened and not (has_screen() and webbrowser.open(server.address)):
            print("No browser has opened: open the address yourself.", file=sys.stderr)
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)
    session.close()
    print(f"\n{session.kept.farewell(session.game)}Good-bye.")


def has_screen() -> bool:
    """Is there a screen for windows? Without one a browser for terminals would take this one over."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in screens)
