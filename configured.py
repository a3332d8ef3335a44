"""The part of the provider that needs no session: settings, setup, status.  A face, no logic.

Everything here may be called in any number and order, before `initialize` or without it (P6).
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import checkup, config, host, host_models, skill

log = logging.getLogger(__name__)
PROVIDER_NAME = "cognition"


class Configured(host.MemoryProvider):
    """Settings of the provider.

    given  settings that rank above every file, flat or grouped (contract cognition.md 2.4)
    """

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        self._given = dict(given or {})
        self._settings: config.Settings | None = None  # those of the home it was initialised in

    def unavailable_reason(self) -> str:
        return ""

    def get_config_schema(self) -> list[dict[str, Any]]:
        try:
            home = host.current_home()
            return config.schema(self._load(home), host.memory_config(home)[0])
        except Exception:  # no home to read: the defaults are offered
            return config.schema()

    def save_config(self, values: Mapping[str, Any], hermes_home: str) -> None:
        """Save what a form sends (P18, MA15).  Raises ValueError, with nothing saved, when a value is refused."""
        home = Path(hermes_home)
        for line in config.save(values, home, host.memory_config(home)[0], write=host.setting_writer(home)):
            log.warning("cognition: %s", line)

    def post_setup(self, hermes_home: str, config: Any = None) -> None:
        """`hermes memory setup`, by the picker and by name: ask, save, activate (P15)."""
        from .running.shelving import anew_in, listed
        from .settings.questionnaire import run

        home, trust = Path(hermes_home), host_models.missing_trust
        run(home, PROVIDER_NAME, host, package=checkup.ROOT, trust=trust, shelves=listed, anew=anew_in)

    def get_status_config(self, provider_config: Any = None) -> dict[str, Any]:
        """Lines for `hermes memory status`: effective settings, health, counts; no remembered text (P20)."""
        reason = self.unavailable_reason()
        if reason:
            return {"problem": reason}
        try:
            from .status import lines

            given = provider_config if isinstance(provider_config, Mapping) else None
            return lines(self._here(given))
        except Exception as error:  # memory itself may be well: the host would show nothing but a name of an exception
            log.warning("cognition: the status cannot be shown (%s: %s)", type(error).__name__, error)
            return {"problem": f"the status cannot be shown ({checkup.why(error)}); mend: {checkup.reinstall()}"}

    def backup_paths(self) -> list[str]:
        """Everything lives in the home: nothing to add to `hermes backup` (P58, CD95)."""
        return []

    def identity_signature(self) -> dict[str, Any]:
        settings = self._settings or self._here()
        said = {"author": settings["author"], "repos": list(settings["repos"])}
        if settings["backend"] == "memoria":  # changes with key, settings and home, and reveals none of them (M22)
            from .memoria.identity import signature

            said["memoria"] = signature(settings.home, settings.values, host.secret(config.SECRET)[0])
        return said

    def _here(self, layer: Mapping[str, Any] | None = None) -> config.Settings:
        """The settings of the active home; defaults where the host does not say which that is (P54)."""
        try:
            home = host.current_home()
        except Exception as error:
            return config.unplaced(str(error), layer, self._given)
        return self._load(home, layer)

    def _load(self, home: Path, layer: Mapping[str, Any] | None = None) -> config.Settings:
        """The effective settings of `home`; `layer` stands for memory.cognition where the host passes it."""
        said, fault = (layer, "") if layer is not None else host.memory_config(home)
        settings = config.load(home, said, self._given, host_fault=fault)
        config.check_remote(settings, host.secret)
        return settings

    def _take_up(self, home: Path) -> config.Settings:
        """The settings of `home`, after the files of an earlier version were taken over (Decision 1)."""
        for line in config.adopt(home, host.memory_config(home)[0]):
            log.info("cognition: %s", line)
        settings = self._load(home)
        if settings["skills.enabled"]:
            skill.copy_to(settings["skills.dir"], home)
        return settings

    def offers_skill(self) -> bool:
        """Whether the bundled skill may be registered with the host."""
        return bool(self._load(host.current_home())["skills.enabled"])
