"""Finding the port: by USB identity, never the machine's own UART, and who holds it."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from firmware_bridge.ports import finder, holder, spec_of, usb_ports


def plugged(
    path: str, vid: int | None, pid: int | None, serial_number: str | None, place: str | None = None
) -> ListPortInfo:
    port = ListPortInfo(path)
    port.location = place
    port.vid, port.pid, port.serial_number = vid, pid, serial_number
    return port


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> list[ListPortInfo]:
    """What is plugged in: no such hardware is here, so the listing stands in for it."""
    ports = [
        plugged("/dev/ttyUSB1", 0x1A86, 0x7523, None, "1-1.4:1.0"),
        plugged("/dev/ttyAMA0", None, None, None),
        plugged("/dev/ttyUSB0", 0x0403, 0x6001, "A9F3"),
    ]
    monkeypatch.setattr(list_ports, "comports", lambda: ports)
    return ports


def test_the_machines_own_uart_is_never_listed(bus: list[ListPortInfo]) -> None:
    assert [(port.path, port.identity) for port in usb_ports()] == [
        ("/dev/ttyUSB0", "0403:6001:A9F3"),
        ("/dev/ttyUSB1", "1a86:7523:"),
    ]
    assert finder("auto")() == ("/dev/ttyUSB0", "/dev/ttyUSB1")


@pytest.mark.parametrize(
    ("spec", "paths"),
    [
        ("usb:1a86:7523", ("/dev/ttyUSB1",)),
        ("usb:1A86:7523", ("/dev/ttyUSB1",)),
        ("usb:0403:6001:a9f3", ("/dev/ttyUSB0",)),
        ("usb:0403:6001:A9F4", ()),
        ("usb:2341:0043", ()),
        ("usb:1a86:7523@1-1.4", ("/dev/ttyUSB1",)),
        ("usb:1a86:7523@1-1.3", ()),
    ],
)
def test_an_identity_finds_its_port(bus: list[ListPortInfo], spec: str, paths: tuple[str, ...]) -> None:
    assert finder(spec)() == paths


def test_cheap_adapters_are_told_apart_by_their_socket(bus: list[ListPortInfo]) -> None:
    bus.append(plugged("/dev/ttyUSB2", 0x1A86, 0x7523, None, "1-1.2:1.0"))
    specs = {port.path: port.spec for port in usb_ports()}
    assert specs == {
        "/dev/ttyUSB0": "usb:0403:6001:A9F3",
        "/dev/ttyUSB1": "usb:1a86:7523@1-1.4",
        "/dev/ttyUSB2": "usb:1a86:7523@1-1.2",
    }
    for path, spec in specs.items():
        assert finder(spec)() == (path,)
        assert spec_of(path) == spec
    assert finder("usb:1a86:7523")() == ("/dev/ttyUSB1", "/dev/ttyUSB2")


def test_a_replugged_device_is_found_under_its_new_name(bus: list[ListPortInfo]) -> None:
    find = finder("usb:0403:6001:A9F3")
    assert find() == ("/dev/ttyUSB0",)
    bus[2] = plugged("/dev/ttyUSB7", 0x0403, 0x6001, "A9F3")
    assert find() == ("/dev/ttyUSB7",)


def test_a_named_port_is_taken_only_while_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "ttyAMA0"
    find = finder(str(path))
    assert find() is None
    path.touch()
    assert find() == str(path)


def test_who_holds_a_port_is_named() -> None:
    master, slave = os.openpty()
    try:
        path = os.ttyname(slave)
        assert holder(path) is None  # we ourselves don't count
        with subprocess.Popen(["sleep", "60"], stdin=slave) as other:
            try:
                ends_s = time.monotonic() + 20
                while holder(path) != f"sleep (process {other.pid})":
                    assert time.monotonic() < ends_s
                    time.sleep(0.01)
            finally:
                other.kill()
    finally:
        os.close(master)
        os.close(slave)
    assert holder("/nowhere/tty") is None
