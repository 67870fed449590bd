"""All that can be said of the connection to the lights: a code and facts, and the sentence in English.

The page's catalogues hold the same sentences in every language, as `link.CODE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "looking": "Looking for {sought}.",
        "no_port": (
            "No lights: no USB serial port is there. "
            "Plug the lights in; `boardref lights list` shows the ports."
        ),
        "not_there": (
            "No lights: {sought} is not there. Plug the lights in; `boardref lights list` shows the ports."
        ),
        "port_gone": "Port {port} is not there. Plug the lights in.",
        "port_held": "Port {port} is held by another program. Close that; the port is tried again by itself.",
        "port_held_by": (
            "Port {port} is held by another program, {who}. Close that; the port is tried again by itself."
        ),
        "no_permission": "No permission to open {port}. Add this user to the group dialout and log in again.",
        "port_fault": "Port {port} can't be opened ({error}).",
        "search_failed": "The search for the lights failed: {error}",
        "broke": "The connection broke ({error}). Check the cable; it is tried again by itself.",
        "fault": "A fault in the lights' connection ({error}). It is tried again.",
        "bad_speed": (
            "Port {port} can't work at {baud} baud. Name another speed after the wire, {wire}@BAUD, "
            "and set the device to it."
        ),
        "no_answer": "{port} does not answer. Is it the lights controller, with Boardref's firmware?",
        "no_wire": (
            "{port} does not answer in any wire that can be recognised. Is it the lights controller? "
            "If it is and never answers, name its wire."
        ),
        "no_answer_as": "{port} does not answer as {wire} lights do.",
        "unknown": "The lights on {port} are not known to be there.",
        "too_old": (
            "The firmware of the lights on {port} is too old: it speaks version {version}, "
            "{needed} is needed. Update it."
        ),
        "too_few": (
            "The device says it has {has} site lights, the light map names {wanted}: "
            "the others stay dark. Correct the map or the firmware."
        ),
        "too_few_leds": (
            "The device says it has {has} lights, the light map names {wanted}: "
            "the others stay dark. Correct the map or the device's settings."
        ),
        "wled_off": "WLED is switched off on its own page; switch it on there if nothing lights.",
        "wled_dim": "WLED's own brightness is {brightness} of 255; raise it there if the lights are too dim.",
        "silent": "The lights on {port} have stopped answering. Check cable and power.",
        "asked_again": "The lights do not answer; they are asked again.",
        "refused": "The lights refuse what they are sent: reason {number}.",
        "refused_long": "The lights refuse what they are sent: the frame was too long.",
        "refused_unknown": "The lights refuse what they are sent: the device does not know this message.",
        "refused_light": "The lights refuse what they are sent: the device has no such light.",
        "refused_busy": "The lights refuse what they are sent: the device is busy.",
        # what to do where a wire's lights never answered
        "try_adalight": (
            "A WLED older than 0.13, or whose TX pin drives LEDs, can't: name the wire adalight, which needs no answer."
        ),
        "try_speed": "Check that it has HyperSerial firmware and this speed (awa@BAUD names another).",
        "no_ada": "They have not said “Ada”; whether they show anything can only be seen.",
        "never_asked": "They do not answer when asked; whether they show anything can only be seen.",
    }
)


class Reason(str):
    """What is wrong, in English. `parts`: its sentences as code and facts, for other languages."""

    parts: tuple[tuple[str, Mapping[str, str]], ...]

    def __new__(cls, code: str, **facts: object) -> Reason:
        told = {name: str(fact) for name, fact in facts.items()}
        made = super().__new__(cls, REASONS[code].format_map(told))
        made.parts = ((code, told),)
        return made

    def then(self, other: Reason) -> Reason:
        """This, and another sentence after it."""
        made = super().__new__(Reason, f"{self} {other}")
        made.parts = (*self.parts, *other.parts)
        return made


NOTHING = str.__new__(Reason, "")
NOTHING.parts = ()
