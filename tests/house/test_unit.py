"""The systemd unit: what it promises stands in it, and systemd itself finds nothing to object to."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

UNIT = Path(__file__).parents[2] / "deploy" / "boardref.service"
PROMISES = {
    "Type": "notify", "WatchdogSec": "20s", "Restart": "always", "StartLimitIntervalSec": "0",
    "StateDirectory": "boardref",
    "LimitCORE": "0", "MemorySwapMax": "0", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes",
    "PrivateTmp": "yes", "CapabilityBoundingSet": "", "DevicePolicy": "closed", "User": "boardref", "UMask": "0027",
    "SystemCallArchitectures": "native", "RestrictNamespaces": "yes", "WantedBy": "multi-user.target",
}  # fmt: skip


def lines() -> list[tuple[str, str]]:
    found = re.findall(r"^([A-Za-z]+)=(.*)$", UNIT.read_text(encoding="utf-8"), re.M)
    return [(key, value.strip()) for key, value in found]


def test_the_unit_keeps_its_promises() -> None:
    told = dict(lines())
    assert {key: told.get(key) for key in PROMISES} == PROMISES
    assert told["ExecStart"].split()[1:] == ["serve", "--config", "/etc/boardref/table.toml"]
    # asking whether the clock is set must be allowed, or every record would be of unknown time
    assert "adjtimex" in told["SystemCallFilter"]
    assert "ProtectClock" not in told
    once = [key for key, _ in lines() if key not in ("DeviceAllow", "After")]
    assert len(once) == len(set(once))


def test_systemd_has_nothing_to_object_to(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    text = UNIT.read_text(encoding="utf-8")
    copy = tmp_path / UNIT.name
    copy.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.M), encoding="utf-8")
    if program is None:  # no systemd on this machine: at least every line is one of its kind
        assert all(re.fullmatch(r"(\[\w+\]|[A-Za-z]+=.*|#.*|)", line) for line in text.splitlines())
        return
    done = subprocess.run([program, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if UNIT.name in line] == []
    words = [program, "security", "--offline=true", "--threshold=25", str(copy)]
    rated = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "unrecognized option" in rated.stderr or rated.returncode == 0, rated.stdout[-300:]
