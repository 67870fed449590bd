"""`boardref serve`: a real table."""

from __future__ import annotations

import argparse
import logging
import socket

from controller.cli.games_backup import settings_files
from controller.errors import CommandError, StartError
from controller.keeping import keeping_of
from controller.local import NAME, Local
from controller.logs import set_up
from controller.logs import tell as log
from controller.service import Beside, answering, listening_socket, serve
from controller.standin import StandIn
from controller.starting import Parts, Start
from controller.web.access import ApiKey
from controller.web.callers import Callers
from controller.web.keys import access_of
from controller.web.players import Passes, Players, kept_secret
from controller.web.sharing import address_of
from controller.web.shelf import Records
from firmware_bridge.ports import finder
from firmware_bridge.talks import check_wire, split_wire


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `serve`."""
    parser.add_argument("--config", metavar="table.toml", help="the table's settings")
    parser.add_argument("--lights", metavar="PORT[,WIRE]", help="the lights' port, whatever the settings say")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve the table until stopped. While its settings are wrong, serve a page that says so, and wait."""
    if args.lights:
        port, wire = split_wire(args.lights)
        finder(port)
        check_wire(wire)
    start = Start(args.config, args.lights)
    settings = start.salvaged()
    set_up(settings.log.format, settings.log.level)
    listener = listening_socket(settings.host, settings.port)
    try:
        parts = start.parts()
    except StartError as error:
        listener, parts = _stand_in(start, error, listener, (settings.host, settings.port))
    said: list[str] = []
    access = access_of(parts.config, parts.folder, said.append)
    local = Local(parts.folder)
    access.also(ApiKey.of(NAME, local.key))
    table = parts.table()
    keeping = keeping_of(table, parts.folder, parts.config.records, settings_files(args.config))

    def ready(address: str) -> None:
        local.announce(address)
        outside = address_of(listener)()
        beyond = () if outside is None else (f"other devices find it at {outside}/",)
        print("\n".join(f"Boardref: {one}" for one in (f"the page is at {address}", *beyond, *said)), flush=True)

    records = Records(parts.folder / "boardref.db", parts.config.records.shown_to)
    beside = Beside(_players(parts), access, parts.folder, keeping, records, parts.config.names)
    try:
        serve(table, listener, beside, ready=ready)
    finally:
        local.gone()
        parts.held.release()
    return 0


def _players(parts: Parts) -> Players:
    return Players(
        may=frozenset(parts.config.players_may),
        passes=Passes(kept_secret(parts.folder / "players.key")),
        everywhere=parts.config.players_code == "all",
        callers=Callers.behind(parts.config.trusted_proxies),
    )


def _stand_in(
    start: Start, error: StartError, listener: socket.socket, at: tuple[str, int]
) -> tuple[socket.socket, Parts]:
    """Answer on `listener`, bound to host and port `at`, until the settings are mended; what to go on with then."""
    log(str(error), "settings", logging.ERROR)
    settings = start.salvaged()
    stand_in = StandIn(error, settings)
    access = access_of(settings, None, lambda _sentence: None)

    def ready(address: str) -> None:
        print(f"Boardref: the page is at {address} and says what is wrong; mend it, and the table starts", flush=True)

    said = [str(error)]

    def tell(another: StartError) -> None:
        stand_in.tell(another)
        if str(another) != said[0]:
            log(str(another), "settings", logging.ERROR)
            said[0] = str(another)

    nobody = Players(may=frozenset(), callers=Callers.behind(settings.trusted_proxies))
    with answering(stand_in, listener, ready, Beside(nobody, access, names=settings.names)):
        while True:
            parts = start.once_mended(tell)
            wanted = parts.config.host, parts.config.port
            if wanted == at:
                return listener, parts
            try:
                other = listening_socket(*wanted)
            except CommandError as taken:
                parts.close()
                tell(StartError(f"the configuration: {taken}", "use", key="port", why=taken))
            else:
                listener.close()
                return other, parts
