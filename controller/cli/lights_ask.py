"""`boardref lights map --ask`: light one light after the other and ask where it is; a few answers tell the rest."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from calibration.wiring import Wiring
from controller.cli.lights_device import device_of, shown, told
from controller.errors import CommandError
from firmware_bridge.lightmap import BAR_LEDS, LightMap
from firmware_bridge.link import Link
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from vision.boardset import BoardSet

WHITE = Light(Hue.WHITE, Rhythm.BLINK)
SIDES = ("0", "1")


def ask(board: BoardSet, players: Sequence[str], port: str) -> LightMap:
    """Ask the person at the board about each light; returns the map. Questions go to stderr, answers come by stdin."""
    wiring = Wiring(board)
    link = Link(port, LightMap.of([], SIDES, BAR_LEDS))
    try:
        device = device_of(link)
        _say(f"{told(device)}.")
        count = min(device.sites, 1000) if device.sites is not None else len(wiring.sites)
        bar = device.bar if device.bar is not None else BAR_LEDS
        link.remap(LightMap.of([str(i) for i in range(count)], SIDES if bar else (), bar))
        if count:
            _say("A light blinks. Type the site it is at; Enter: the one in brackets; -: none; back; stop: no more.")
        _sites(link, wiring, count)
        bars, mirrored = _bars(link, players, bar)
        lamp = device.lamp and _yes(link, Scene("ask", 0, lamp=WHITE), "Does a single lamp blink?")
    finally:
        link.close()
    return replace(LightMap(wiring.lights(), bars, lamp), mirrored=mirrored)


def _sites(link: Link, wiring: Wiring, count: int) -> None:
    checked = False
    while len(wiring.answers) < count:
        way = wiring.settled()
        if way is not None and not checked:
            checked = True
            if _holds(link, wiring, way, count):
                wiring.finish()
                return
        answer = _site(link, wiring, len(wiring.answers), wiring.guess())
        if answer == "stop":
            return
        if answer == "back":
            del wiring.answers[-1:]
        else:
            wiring.answer(answer)


def _holds(link: Link, wiring: Wiring, way: str, count: int) -> bool:
    """Whether the last light and one in the middle are where this way has them."""
    _say(f"It looks as if the lights were wired {way}.")
    last = min(count, len(wiring.sites)) - 1
    for index in dict.fromkeys((last, (len(wiring.answers) + last) // 2)):
        if index < len(wiring.answers):
            continue
        guess = wiring.guess(index)
        if _site(link, wiring, index, guess) != guess:
            _say("It is another way; one by one, then.")
            return False
    return True


def _site(link: Link, wiring: Wiring, index: int, guess: str | None) -> str | None:
    shown(link, Scene("ask", 0, {str(index): WHITE}))
    while True:
        answer = _read(f"Light {index}{f' [{guess}]' if guess else ''}: ") or (guess or "-")
        if answer == "-":
            return None
        if answer in ("stop", "back") or answer in wiring.sites:
            return answer
        _say(f"There is no site {answer}; there are {', '.join(sorted(wiring.sites))}.")


def _bars(
    link: Link, players: Sequence[str], leds: int
) -> tuple[dict[str, tuple[int, int]], frozenset[str]]:
    bars: dict[str, tuple[int, int]] = {}
    mirrored = set()
    for side in range(2 if leds else 0):
        left = [player for player in players if player not in bars]
        shown(link, Scene("ask", 0, {}, {SIDES[side]: Bar(WHITE)}))
        while True:
            choice = "/".join(left)
            answer = _read(f"A bar blinks: at whose seat, {choice}, or -? [{left[0]}]: ") or left[0]
            if answer in left or answer == "-":
                break
            _say(f"There is no player {answer}.")
        if answer == "-":
            continue
        bars[answer] = (side, leds)
        first = Scene("ask", 0, {}, {SIDES[side]: Bar(Light(Hue.BLUE), share=1 / leds)})
        if leds > 1 and not _yes(link, first, f"One light of the bar is lit: is it at {answer}'s left hand?"):
            mirrored.add(answer)
    return bars, frozenset(mirrored)


def _yes(link: Link, scene: Scene, question: str) -> bool:
    shown(link, scene)
    while (answer := _read(f"{question} [y]/n: ").lower()) not in ("", "y", "n"):
        _say("Type y or n.")
    return answer != "n"


def _read(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise CommandError("the questions were not all answered; start again, nothing was written")
    return line.strip()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
