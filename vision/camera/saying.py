"""All that can be said of a live camera: a code and facts, and the sentence in English.

The page's catalogues hold the same sentences in every language, as `camera.CODE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

WHO: Mapping[str, str] = MappingProxyType(
    {
        "device": "the camera {name}",
        "stream": "the stream {name}",
        "pipe": "the pipe {name}",
        "pi": "the {name}",
    }
)
"""How a camera of each kind is called; `{camera}` in a sentence, which always begins with it."""

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "opening": "{camera} is being opened.",
        "ok": "The camera works.",
        "frozen": "{camera} sends the same picture again and again; unplug it and plug it in.",
        "stale": "{camera} has sent no picture for {seconds} s.",
        "slow": "{camera} does not answer; check its name and that it is on.",
        "gone": "{camera} is gone; check its cable.",
        "failed": "{camera} failed ({reason}).",
        "again": "It is taken up again by itself.",
        # any camera
        "silent": "{camera} sends no picture any more; check that it is on, and its cable.",
        "damaged": "{camera} sends damaged pictures only; check its connection.",
        # devices
        "no_usb": "There is no USB camera; plug one in.",
        "no_device": "There is no camera {name}; plug it in, or give another number or device.",
        "not_opened": "{camera} can't be opened; check that nothing else uses it and that you may read it.",
        # streams
        "behind": (
            "{camera} sends more than this computer can decode; choose a smaller picture or fewer of them a second."
        ),
        "no_video": "{camera} does not answer with video; check its address and that it is on.",
        "no_address": "{camera} has no usable address; write it like http://host:port/path.",
        "no_answer": "{camera} does not answer; check its address and that it is on.",
        "not_reached": "{camera} can't be reached ({reason}); check its address and that it is on.",
        "not_safe": "{camera} has no safe connection to offer ({reason}); use its http address.",
        "mute": "{camera} takes the call but does not answer; check its address.",
        "nonsense": "{camera} gives no proper answer; check its address.",
        "broke_off": "{camera} broke off ({reason}); check its network.",
        "hung_up": "{camera} has hung up; check that it is on.",
        "round": "{camera} sends from one address to the next; give the last one.",
        "password": (
            "{camera} wants a name and password (401); put them into its address: http://NAME:PASSWORD@host/path."
        ),
        "refuses": "{camera} refuses ({status}); check its address, and that nothing else uses it.",
        "nothing_there": "{camera} has nothing at this address ({status}); check its address.",
        "busy": "{camera} is busy ({status}); check that nothing else uses it.",
        "fault": "{camera} answers with a fault ({status}); check its address, and that nothing else uses it.",
        "single": "{camera} gives a single picture ({type}); give the address of its MJPEG stream.",
        "page": "{camera} gives a page ({type}), no pictures; give the address of its MJPEG stream.",
        # pipes
        "pipe_not_opened": "{camera} can't be opened ({reason}); check its name and permissions.",
        "pipe_not_read": "{camera} can't be read ({reason}); check what writes it.",
        "pipe_left": "{camera} is written no longer; start the program that writes it.",
        # the Pi camera
        "not_installed": "{camera} needs {program}, which is not installed; install rpicam-apps.",
        "not_started": "{camera} needs {program}, which can't be started ({reason}); install rpicam-apps anew.",
        "none_found": "{camera} has stopped: none is found; check its ribbon cable.",
        "in_use": "{camera} has stopped: another program uses it; end that one.",
        "stopped": "{camera} has stopped; check its cable.",
        "stopped_saying": "{camera} has stopped ({reason}); check its cable.",
        "no_library": (
            "{camera} needs picamera2, which can't be imported ({reason}); "
            "install it for this Python, or take the camera rpicam."
        ),
        "pi_not_opened": "{camera} can't be opened ({reason}); check its ribbon cable.",
        "pi_not_started": "{camera} can't be started ({reason}); check its ribbon cable.",
    }
)


@dataclass(frozen=True)
class Said:
    """One of the SENTENCES. `facts`: `kind` and `name` of the camera, and what else the sentence tells."""

    code: str
    facts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def sentence(self) -> str:
        """In English."""
        who = WHO[self.facts.get("kind", "device")].format(name=self.facts.get("name", ""))
        text = SENTENCES[self.code].format_map({"camera": who, **self.facts})
        return f"{text[:1].upper()}{text[1:]}"


OK = Said("ok")


def device(name: str) -> dict[str, str]:
    """The facts by which a camera that is named like this is called: a V4L2 device, and all others."""
    return {"kind": "device", "name": name}


def stream(name: str) -> dict[str, str]:
    """The same for an address, without its password."""
    return {"kind": "stream", "name": name}


def pipe(name: str) -> dict[str, str]:
    """The same for a named pipe."""
    return {"kind": "pipe", "name": name}


def pi(number: int) -> dict[str, str]:
    """The same for the Pi camera."""
    return {"kind": "pi", "name": f"Pi camera {number}" if number else "Pi camera"}
