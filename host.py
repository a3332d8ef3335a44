"""The only door to Hermes: what this host version offers, detected feature by feature (P54, P55).

Only the base class is taken for granted.  Everything else is asked for where it is used, by a guarded import, and has
a fallback here; no version number is ever compared.
"""

import contextlib
import getpass
import logging
import sys
from collections.abc import Callable, Mapping
from datetime import tzinfo
from importlib import import_module
from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

__all__ = [
    "MemoryProvider",
    "ask",
    "ask_secret",
    "configuration",
    "current_home",
    "hides_memory_tools",
    "is_terminal",
    "memory_config",
    "recall_status",
    "redactor",
    "save_secret",
    "secret",
    "setting_writer",
    "time_zone",
    "working_directory",
    "write_approval",
    "write_setting",
]

log = logging.getLogger(__name__)


def _symbol(module: str, name: str) -> Any:
    """`name` of a host module, or None where this host has no such thing or fails to import it."""
    try:
        return getattr(import_module(module), name, None)
    except Exception:  # a host module may fail in any way of its own; that costs one feature, never the provider
        return None


def current_home() -> Path:
    """The active Hermes home.  Asked at each use: one process may serve several (P44)."""
    find = _symbol("hermes_constants", "get_hermes_home")
    if find is None:
        raise RuntimeError("this host does not say where its home is; pass hermes_home to initialize")
    return Path(find())


def memory_config(home: Path) -> tuple[Any, str]:
    """`memory.cognition` of the configuration of `home`, and one line if it could not be read (CD19)."""
    try:
        config = _configuration(Path(home))
    except Exception as error:
        why = " ".join(str(error).split())[:160]
        return None, (
            f"the host's config.yaml cannot be read ({type(error).__name__}: {why}); "
            "defaults and cognition/config.json hold; mend: hermes config edit"
        )
    memory = config.get("memory") if isinstance(config, Mapping) else None
    ours = memory.get("cognition") if isinstance(memory, Mapping) else None
    return ours, ""


def configuration(home: Path) -> Any:
    """The effective configuration of `home`, read only; raises where the file cannot be read or parsed."""
    return _configuration(Path(home))


def write_approval(home: Path) -> bool:
    """Whether writes wait for the user's approval: memory.write_approval, read now (P50, M14).

    True as well when the configuration cannot be read: a host function that says "off" then is not used.
    """
    try:
        config = configuration(home)
        memory = config.get("memory") if isinstance(config, Mapping) else config
        value = memory.get("write_approval") if isinstance(memory, Mapping) else memory
    except Exception:
        return True
    if value is None or isinstance(value, bool):
        return bool(value)
    return str(value).strip().lower() not in ("", "false", "off", "no", "0", "none", "null")


def hides_memory_tools(configuration: Any) -> bool:
    """Whether the toolsets chosen for the terminal leave the provider's tools out (B014); False when unknown."""
    resolve = _symbol("hermes_cli.tools_config", "_get_platform_tools")
    agent = configuration.get("agent") if isinstance(configuration, Mapping) else None
    disabled = agent.get("disabled_toolsets") if isinstance(agent, Mapping) else None
    if isinstance(disabled, list) and "memory" in disabled:
        return True
    with contextlib.suppress(Exception):
        return bool(resolve) and "memory" not in resolve(configuration, "cli")
    return False


def _configuration(home: Path) -> Any:
    """The effective configuration of `home`; raises where the file cannot be read or parsed."""
    path = home / "config.yaml"
    try:
        active = home.resolve() == current_home().resolve()
    except Exception:  # a host that does not say: its own reader could be another home's
        active = False
    if not active:
        return _parse(path)
    read = _symbol("hermes_cli.config", "load_config_readonly") or _symbol("hermes_cli.config", "load_config")
    if read is None:
        return _parse(path)
    try:
        config = read()
    except Exception:  # its file or its function: parsing tells
        return _parse(path)
    memory = config.get("memory") if isinstance(config, Mapping) else None
    if not isinstance(memory, Mapping) or not (memory.get("provider") or memory.get("cognition")):
        _parse(path)  # for a file that it cannot read the host gives its defaults: that has to be told apart
    return config


def _parse(path: Path) -> Any:
    """Another home's config.yaml, read with the YAML package that the host brings (P10)."""
    if not path.exists():
        return None
    make = _symbol("ruamel.yaml", "YAML")
    if make is None:
        raise RuntimeError("no YAML reader in this environment")
    return make(typ="safe").load(path.read_text(encoding="utf-8"))


def redactor() -> Callable[[str], str] | None:
    """The host's own redactor, forced on, as an extra pass (P41); None where the host has none."""
    redact = _symbol("agent.redact", "redact_sensitive_text")
    if redact is None:
        return None

    def mask(text: str) -> str:
        try:
            return str(redact(text, force=True, redact_url_credentials=True))
        except TypeError:  # a host whose function takes fewer options
            return str(redact(text, force=True))

    return mask


def working_directory(given: object) -> Path | None:
    """Where the session works: `given` by initialize, else what the host says, else None."""
    if isinstance(given, str) and given:
        return Path(given)
    resolve = _symbol("agent.runtime_cwd", "resolve_agent_cwd")
    with contextlib.suppress(Exception):
        return Path(resolve()) if resolve else None
    return None


def time_zone() -> tzinfo | None:
    """The zone that the user has configured in the host; None for the machine's (HA55).  Asked at each use."""
    find = _symbol("hermes_time", "get_timezone")
    with contextlib.suppress(Exception):
        found = find() if find else None
        return found if isinstance(found, tzinfo) else None
    return None


def recall_status(count: int) -> Any:
    """The host's recall indicator for `count` entries, or None where the host has none (P33)."""
    kind = _symbol("agent.memory_provider", "RecallStatus")
    if kind is None or count <= 0:
        return None
    return kind("Cognition", count)


# -- setup -----------------------------------------------------------------------------------------------------------


def is_terminal() -> bool:
    """Whether a person can be asked: input and output are a terminal."""
    with contextlib.suppress(Exception):
        return bool(sys.stdin.isatty() and sys.stdout.isatty())
    return False


def ask(prompt: str) -> str:
    """One line from the terminal.  Raises EOFError and KeyboardInterrupt."""
    return input(prompt)


def ask_secret(prompt: str) -> str:
    """One line that is not shown while it is typed (D38).  Raises EOFError and KeyboardInterrupt."""
    hidden = _symbol("hermes_cli.secret_prompt", "masked_secret_prompt")
    return str(hidden(prompt, mask="") if hidden else getpass.getpass(prompt))


def secret(name: str) -> tuple[str, str]:
    """A secret of the active profile, and why it cannot be had (P19): it is never looked for anywhere else."""
    get = _symbol("agent.secret_scope", "get_secret")
    if get is None:
        return "", "this host has no secret store"
    try:
        return str(get(name) or "").strip(), ""
    except Exception as error:  # several profiles in one process, and none is active here
        return "", f"the host does not give it out here ({type(error).__name__})"


def save_secret(name: str, value: str) -> str:
    """Put a secret into the host's store; why it is not there afterwards, or the empty text.  It is never shown."""
    put, read = _symbol("hermes_cli.config", "save_env_value"), _symbol("hermes_cli.config", "load_env")
    if put is None:
        return "this host has no place for secrets"
    try:
        put(name, value)
        kept = read().get(name) if read else value
    except Exception as error:
        return f"the host refused it ({type(error).__name__})"
    return "" if kept == value else "the host did not keep it as it was typed (managed installation?)"


def write_setting(home: Path, key: tuple[str, ...], value: Any) -> str:
    """Write one key of config.yaml and read it back; why that did not work, or the empty text (P16).

    Comments and all other keys stay where the host can do that; a file that cannot be read is not touched.
    """
    path, dotted = Path(home) / "config.yaml", ".".join(key)
    try:
        if _look_up(_configuration(Path(home)), key) == value:
            return ""
        if refusal := _managed(dotted):
            return refusal
        _parse(path)
        if update := _symbol("utils", "atomic_roundtrip_yaml_update"):
            update(path, dotted, _quoted(value))
        else:
            _save_whole(key, value)
        if _look_up(_parse(path), key) == value == _look_up(_configuration(Path(home)), key):
            return ""
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return "the host did not keep it"


def setting_writer(home: Path) -> Callable[[tuple[str, ...], Any], str]:
    """`write_setting` for the keys below memory.cognition of one home."""
    return lambda place, value: write_setting(home, ("memory", "cognition", *place), value)


def _managed(dotted: str) -> str:
    """Why this host does not let a setting be written."""
    with contextlib.suppress(Exception):
        if (managed := _symbol("hermes_cli.config", "is_managed")) and managed():
            return "this installation is managed; set it where its configuration comes from"
        if (pinned := _symbol("hermes_cli.managed_scope", "is_key_managed")) and pinned(dotted):
            return "an administrator has pinned it"
    return ""


def _save_whole(key: tuple[str, ...], value: Any) -> None:
    """The older way: the host rewrites its file; on hosts up to 0.20 that costs the user's comments."""
    load, save = _symbol("hermes_cli.config", "load_config"), _symbol("hermes_cli.config", "save_config")
    if load is None or save is None:
        raise RuntimeError("this host has no function that writes its config.yaml")
    config = load()
    group = config
    for part in key[:-1]:
        if not isinstance(group.get(part), dict):
            group[part] = {}
        group = group[part]
    group[key[-1]] = value
    save(config)


def _look_up(config: Any, key: tuple[str, ...]) -> Any:
    for part in key:
        config = config.get(part) if isinstance(config, Mapping) else None
    return config


def _quoted(value: Any) -> Any:
    """Words like `no` are quoted: the host reads them as booleans otherwise."""
    quote = _symbol("ruamel.yaml.scalarstring", "DoubleQuotedScalarString")
    words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"}
    return quote(value) if quote and isinstance(value, str) and value.lower() in words else value
