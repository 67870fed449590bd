"""Settings of a real table: one TOML; the environment and systemd's credentials win over it.

`BOARDREF_CAMERA=usb` sets `camera`, `BOARDREF_OPTIONS__FLYING=true` the rules option `flying`; a credential is a file
of the same name, in small letters, in systemd's credentials folder (`LoadCredential=boardref_camera:…`). Unknown keys
are errors wherever they stand: a misspelt setting must not be silently ignored.
"""

from __future__ import annotations

import difflib
import errno
import ipaddress
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from controller.errors import CommandError, StartError
from controller.referee.playclock import ClockKind, ClockRules
from controller.referee.view import Mode

PREFIX = "BOARDREF_"
PIN_CREDENTIAL = "operator-pin"
OTHERS = frozenset({"BOARDREF_DEBUG"})
"""Names in the environment that are no settings."""

PIN_LEAST, PIN_MOST = 4, 32  # digits
KEY_LEAST, KEY_MOST = 20, 200  # characters of an API key
KEY_VARIETY = 8  # different characters: a key is drawn at random, not thought up

Control = Literal["done", "answer", "resign", "draw", "operator", "report"]
USUAL_CONTROLS: tuple[Control, ...] = ("done", "answer", "resign", "draw", "operator")


def _listed(given: Any) -> Any:
    """A list as the environment writes it: with commas between."""
    return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given


def _as_printed(given: object) -> object:
    """Rules options as `rules options` prints them: TOML has true and 3 where the game says "true" and "3"."""
    if not isinstance(given, dict):
        return given
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else value
        for name, value in given.items()
    }


def _pin(given: Any) -> Any:
    """Digits, also where a file gives them as a number."""
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(text, str) or not re.fullmatch(rf"[0-9]{{{PIN_LEAST},{PIN_MOST}}}", text.strip()):
        raise ValueError(f"the operator's PIN has at least {PIN_LEAST} digits and nothing else")
    return text.strip()


def _networks(given: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses, or networks of them."""
    for one in given:
        try:
            ipaddress.ip_network(one, strict=False)
        except ValueError:
            raise ValueError(f"{one} is no address; write it like 127.0.0.1 or 172.17.0.0/16") from None
    return given


def _key(key: SecretStr) -> SecretStr:
    """Long and mixed enough to be guessed by nobody."""
    text = key.get_secret_value()
    long_enough, mixed = KEY_LEAST <= len(text) <= KEY_MOST, len(set(text)) >= KEY_VARIETY
    if not long_enough or not mixed or not text.isascii() or any(letter.isspace() for letter in text):
        said = f"an API key has at least {KEY_LEAST} characters drawn at random"
        raise ValueError(f"{said}, such as `openssl rand -hex 20` prints")
    return key


class Key(BaseModel):
    """A key of a script."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: Annotated[str, Field(pattern=r"^[\w-]{1,40}$")]
    api_key: Annotated[SecretStr, AfterValidator(_key)]
    may: Literal["read", "backup", "operate"] = "operate"


class LogConfig(BaseModel):
    """What is written for those who look after the table."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal["text", "json"] = Field(default="text", description="lines of text, or one JSON object a line")
    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="the least that is written")


class RecordsConfig(BaseModel):
    """What becomes of the records."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    keep_days: int | None = Field(default=None, ge=1, le=100_000, description="finished games go after so many days")
    keep_games: int | None = Field(default=None, ge=1, description="of finished games only the last so many are kept")
    keep_unfinished_days: int | None = Field(
        default=None, ge=1, le=100_000, description="games left unfinished go after so many"
    )
    keep_named: bool = Field(default=True, description="games with players' names are kept, whatever their age")
    shown_to: Literal["everyone", "operator", "nobody"] = Field(
        default="everyone", description="who may see recorded games on pages: everyone, operator, or nobody"
    )
    backups: int = Field(default=7, ge=0, le=400, description="so many nightly backups are kept; 0: none is made")


class ClockConfig(BaseModel):
    """The players' clock."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: ClockKind = Field(default="none", description="none, turn (so much for each turn), or fischer")
    main_s: float = Field(default=600, gt=0, le=360_000, description="Fischer: seconds for the whole game")
    increment_s: float = Field(default=5, ge=0, le=3600, description="Fischer: seconds more after each turn")
    turn_s: float = Field(default=60, gt=0, le=36_000, description="turn: seconds for each turn")

    def rules(self) -> ClockRules:
        """As the referee needs them."""
        return ClockRules(self.kind, self.main_s, self.increment_s, self.turn_s)


class TableConfig(BaseSettings):
    """One table. Everything may be left out."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True, env_prefix=PREFIX, env_nested_delimiter="__")

    game: str | None = Field(default=None, description="the game; recognised from the tags where left out")
    set: str | None = Field(default=None, description="a set's TOML file; the installed sets where left out")
    camera: str = Field(default="0", description="a camera: number, device, usb, pi, or the URL of a stream")
    profile: str | None = Field(default=None, description="a profile written by `boardref calibrate`")
    mains_hz: Literal[50, 60] = Field(default=50, description="the frequency of the mains, for lamps that flicker")
    lights: str | None = Field(default="auto", description="a serial port, auto, or none")
    light_map: str | None = Field(default=None, description="a map written by `boardref lights map`")
    calm_lights: bool = Field(default=False, description="nothing flashes, for people who can't bear it")
    mode: Mode = Field(default="referee", description="referee, record (accuse nobody), or teach (help)")
    data: str | None = Field(default=None, description="the folder for the journal")
    host: str = Field(default="0.0.0.0", description="the address the page answers on")
    port: int = Field(default=8000, ge=0, le=65535, description="the port the page answers on")
    names: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = Field(
        default=(), description="further names that the page answers to, beside its own and any IP address"
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_networks)] = Field(
        default=(), description="addresses at which a proxy speaks for others; never the table's own screen"
    )
    players_may: Annotated[tuple[Control, ...], NoDecode, BeforeValidator(_listed)] = Field(
        default=USUAL_CONTROLS, description="what players may say on their page"
    )
    players_code: Literal["own", "all"] = Field(
        default="own", description="which screens show the code of the players' page: the table's own, or all"
    )
    operator_pin: Annotated[SecretStr, BeforeValidator(_pin)] | None = Field(
        default=None, description="the PIN of the operator's page, at least 4 digits; one is made where left out"
    )
    api_keys: tuple[Key, ...] = Field(default=(), description="keys with which scripts may do what an operator may")
    log: LogConfig = Field(default=LogConfig(), description="how the log is written, and how much of it")
    records: RecordsConfig = Field(default=RecordsConfig(), description="how long records are kept, and how safely")
    clock: ClockConfig = Field(default=ClockConfig(), description="a clock for the players")
    options: Annotated[dict[str, str], BeforeValidator(_as_printed)] = Field(
        default_factory=dict, description="rules options of the game"
    )

    @field_validator("api_keys")
    @classmethod
    def _named_once(cls, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        names = [key.name for key in keys]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two API keys are called {twice[0]}; give each a name of its own")
        return keys

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over credentials, these over the file."""
        folder = _credentials_folder()
        credentials = (SecretsSettingsSource(settings_cls, folder),) if folder else ()
        pin = InitSettingsSource(settings_cls, _pin_credential())
        return env_settings, *credentials, pin, init_settings


def load_config(path: str | None) -> TableConfig:
    """Read a table's settings; StartError names the place, the key and, for a misspelt one, the likely meaning."""
    text = _read(path) if path is not None else ""
    try:
        found = tomllib.loads(text)
    except RecursionError:
        said = "its brackets are nested too deeply"
        raise StartError(f"the configuration {path} is not valid TOML: {said}", "syntax", file=path, why=said) from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        raise StartError(
            f"the configuration {path} is not valid TOML: {error}",
            "syntax", file=path, line=at[1] if at else text.count("\n") + 1, why=str(error).partition(" (at ")[0],
        ) from None  # fmt: skip
    given_apart = credentials()
    for name in (*(name for name in os.environ if name.startswith(PREFIX)), *given_apart):
        key = name.upper().removeprefix(PREFIX).lower().split("__")[0]
        if name not in OTHERS and key not in TableConfig.model_fields:
            near = _near(key)
            raise StartError(
                f"the environment: {name}: there is no such setting{_meant(near and f'{PREFIX}{near.upper()}')}",
                "unknown", variable=name, key=name, meant=near and f"{PREFIX}{near.upper()}",
            )  # fmt: skip
    try:
        return TableConfig(**found)
    except SettingsError as error:  # a whole table, [options], in one variable that is no JSON
        named = re.search(r'"(\w+)"', str(error))
        name = f"{PREFIX}{named[1].upper() if named else ''}"
        said = f"{name} is not JSON; or set {name}__NAME for each name"
        raise StartError(f"the environment: {said}", "value", variable=name, key=name, wanted="json") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = [str(part) for part in first["loc"]]
        key = ".".join(where)
        place, facts = _place(path, text, where, given_apart)
        if first["type"] == "extra_forbidden":
            near = _near(key)
            said = f"{place}: {key}: unknown key{_meant(near)}"
            raise StartError(said, "unknown", key=key, meant=near, **facts) from None
        raise StartError(f"{place}: {key}: {first['msg']}", "value", key=key, **facts, **_wanted(first)) from None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        code = {errno.ENOENT: "missing", errno.EACCES: "denied"}.get(error.errno or 0, "unreadable")
        raise StartError(
            f"the configuration {path} can't be read ({error.strerror}); check the name",
            code, file=path, why=error.strerror,
        ) from None  # fmt: skip
    except UnicodeDecodeError as error:
        raise StartError(
            f"the configuration {path} is not valid TOML: it is not UTF-8 ({error.reason})", "not_utf8", file=path
        ) from None


def _credentials_folder() -> Path | None:
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(folder) if folder and Path(folder).is_dir() else None


def credentials() -> Mapping[str, Path]:
    """The files of systemd's credentials folder that are ours, by their names in small letters."""
    folder = _credentials_folder()
    if folder is None:
        return {}
    ours = {file.name: file for file in sorted(folder.iterdir()) if file.name.lower().startswith(PREFIX.lower())}
    return {**({f"{PREFIX.lower()}operator_pin": folder / PIN_CREDENTIAL} if _pin_credential() else {}), **ours}


def _pin_credential() -> dict[str, str]:
    """The operator's PIN from the credential that the unit in deploy/ names."""
    try:
        text = ((_credentials_folder() or Path()) / PIN_CREDENTIAL).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return {}
    return {} if _credentials_folder() is None or text in ("", "none") else {"operator_pin": text}


def _near(key: str) -> str | None:
    """The setting that is spelt most like it; of a table, one of the same table."""
    names = list(TableConfig.model_fields)
    table, dot, _ = key.partition(".")
    inner = TableConfig.model_fields[table].annotation if dot and table in names else None
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        names = [f"{table}.{name}" for name in inner.model_fields]
    return next(iter(difflib.get_close_matches(key, names, n=1)), None)


def _meant(near: str | None) -> str:
    return f"; did you mean {near}?" if near else ""


_KINDS = {"int": "whole", "float": "number", "bool": "yes_no", "string": "text", "dict": "table", "tuple": "list"}


def _wanted(error: ErrorDetails) -> dict[str, str]:
    """What a setting takes, as a code (`fault.wanted.CODE`) and its limit; in English where no code fits."""
    kind, limits = error["type"], error.get("ctx") or {}
    if kind == "literal_error":
        return {"wanted": "one_of", "limit": str(limits["expected"])}
    if kind == "greater_than_equal":
        return {"wanted": "at_least", "limit": str(limits["ge"])}
    if kind == "less_than_equal":
        return {"wanted": "at_most", "limit": str(limits["le"])}
    return {"wanted": _KINDS.get(kind.partition("_")[0], "other"), "limit": error["msg"]}


def place_of(path: str | None, key: str) -> tuple[str, dict[str, object]]:
    """Where a setting was made, in words and as facts; nowhere in particular where it is the usual one."""
    try:
        text = Path(path).read_text(encoding="utf-8") if path is not None else ""
    except (OSError, UnicodeDecodeError):
        text = ""
    place, facts = _place(path, text, [key], credentials())
    return ("the settings", {}) if facts.get("line", 0) is None else (place, facts)


def _place(
    path: str | None, text: str, where: list[str], credentials: Mapping[str, Path]
) -> tuple[str, dict[str, object]]:
    """Where a setting that is wrong was made: in words, and as facts."""
    name = PREFIX + where[0].upper()
    given = next((one for one in os.environ if one.upper() == name or one.upper().startswith(f"{name}__")), None)
    if given is not None:
        return f"the environment ({given})", {"variable": given}
    if name.lower() in credentials:
        return f"the credential {credentials[name.lower()]}", {"credential": credentials[name.lower()]}
    line = line_of(text, where)
    return f"the configuration {path}" + (f", line {line}" if line else ""), {"file": path, "line": line}


_TABLE = re.compile(r"^\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, where: list[str]) -> int | None:
    """The line, from 1, on which a key of a TOML stands; that of its table where the key has none of its own."""
    best: tuple[int, int] | None = None
    for number, keys in _keys(text):
        same = 0
        while same < min(len(keys), len(where)) and keys[same] == where[same]:
            same += 1
        if same and (best is None or same > best[0]):
            best = same, number
    return best[1] if best else None


def _keys(text: str) -> Iterator[tuple[int, list[str]]]:
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _parts(header[1])
            yield number, table
        elif key := _KEY.match(line):
            yield number, [*table, *_parts(key[1])]


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def data_folder(chosen: str | None, by: str = "`data` in the settings") -> Path:
    """Where the journal lives: the choice, systemd's state folder, or the user's data folder; made where missing.

    `by`: how the command that asks lets people choose another.
    """
    if chosen is not None:
        folder = Path(chosen)
    elif state := os.environ.get("STATE_DIRECTORY"):
        folder = Path(state.split(":")[0])
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
        folder = Path(base) / "boardref"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"the data folder {folder} can't be used ({error.strerror})"
        raise CommandError(f"{reason}; choose another with {by}") from None
    return folder
