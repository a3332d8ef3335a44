"""The one table of settings (D24): loading, checking, setup, the form and docs/configuration.md are made from it."""

from .key import Key

CONFIG_VERSION = 1  # a file that says a newer one may carry keys that are unknown here
SECRET = "MEMORIA_API_KEY"  # in the host's secret store; never in a file of ours (M4, D38)
KEY_COMMAND = "hermes cognition key --stdin"  # D38
CLOUD = "https://api.thememoria.ai"

KEYS: tuple[Key, ...] = (
    Key(
        "backend",
        "local",
        "choice",
        "Where durable memory lives: this machine, or a Memoria service.",
        choices=("local", "memoria"),
    ),
    Key("repos", ["default"], "labels", "Label of new entries; the first one is used (CR3)."),
    Key("author", "", "text", "Name recorded with what you say; empty: git user.name."),
    Key("budget_tokens", 8000, "int", "Hard cap of one recall.", bounds=(1000, 64000), unit="tokens"),
    Key(
        "queue.max_entries",
        1000,
        "int",
        "Facts waiting to be committed; beyond it the oldest becomes a tombstone.",
        bounds=(10, 100000),
        unit="entries",
        aliases=("queue_max_entries",),
    ),
    Key("queue.path", "cognition/outbox.db", "path", "The outbox file.", aliases=("queue_path",)),
    Key("commit_log_path", "cognition/committed.json", "path", "The committed store."),
    Key(
        "archive.path",
        "cognition/archive.jsonl",
        "path",
        "File that evicted entries are appended to.",
        aliases=("archive_path",),
    ),
    Key("capture.facts", True, "bool", "Extract durable facts from what you say."),
    Key(
        "capture.log",
        True,
        "bool",
        "Keep the conversation log on this machine; `off` stops it.",
        aliases=("collector.enabled",),
    ),
    Key(
        "capture.tool_ledger",
        True,
        "bool",
        "One line a tool call in the log: name, outcome, duration; no arguments.",
        aliases=("collector.tool_ledger",),
    ),
    Key(
        "capture.max_user_chars",
        32000,
        "int",
        "What the log keeps of one message of yours.",
        bounds=(500, None),
        unit="characters",
        aliases=("collector.max_user_chars",),
    ),
    Key(
        "capture.max_assistant_chars",
        8000,
        "int",
        "What the log keeps of one reply.",
        bounds=(500, None),
        unit="characters",
        aliases=("collector.max_assistant_chars",),
    ),
    Key(
        "capture.log_max_days",
        1825,
        "int",
        "Messages older than this leave the log; 0: age is no reason.",
        bounds=(0, 36500),
        unit="days",
    ),
    Key(
        "capture.log_max_mb",
        1000,
        "int",
        "Above this size, index included, the oldest messages leave the log; 0: no limit.",
        bounds=(0, 1000000),
        unit="megabytes",
    ),
    Key(
        "capture.max_capture_chars",
        24000,
        "int",
        "Largest turn that is uploaded; see capture.long_replies.",
        bounds=(1000, 100000),
        unit="characters",
        aliases=("max_capture_chars",),
    ),
    Key(
        "capture.long_replies",
        "skip",
        "choice",
        "A larger turn is skipped, or uploaded with an excerpt of the reply.",
        choices=("skip", "excerpt"),
    ),
    Key(
        "capture.during_approval",
        "skip",
        "choice",
        "Turns while write approval is on: skipped, or held until it is off.",
        choices=("skip", "hold"),
    ),
    Key("recall.enabled", True, "bool", "Recall before each turn.", aliases=("auto_recall",)),
    Key(
        "recall.target_tokens",
        2000,
        "int",
        "Usual size of one recall; budget_tokens is the hard cap.",
        bounds=(200, 64000),
        unit="tokens",
    ),
    Key(
        "recall.deadline_s",
        2.0,
        "float",
        "Wall clock of one recall; the host gives up after 8 s.",
        bounds=(0.1, 7.0),
        unit="seconds",
    ),
    Key(
        "recall.semantic",
        "off",
        "choice",
        "Find entries in other words too, with the vectors of an installed extra; nothing is fetched.",
        choices=("off", "wordllama"),
    ),
    Key("recall.preload_rules_taboos", True, "bool", "Rules and taboos stand in the system prompt."),
    Key("audiences.owner", [], "people", "Direct chats that are you, as platform:user."),
    Key(
        "memoria.upload",
        "none",
        "choice",
        "What goes to Memoria by itself: nothing, facts, or whole turns.",
        choices=("none", "facts", "turns"),
    ),
    Key("memoria.api_url", CLOUD, "url", "The Memoria service.", aliases=("api_url",)),
    Key("memoria.branch", "main", "text", "Named by every request (M9).", aliases=("branch",)),
    Key(
        "memoria.subject", "auto", "subject", "Whose records: derived from this home, a portable id, or a shared name."
    ),
    Key("memoria.gateways", False, "bool", "Use Memoria in gateway chats too, with their own audiences."),
    Key(
        "memoria.top_k",
        5,
        "int",
        "Records asked of Memoria for one recall.",
        bounds=(1, 20),
        unit="records",
        aliases=("top_k",),
    ),
    Key(
        "memoria.context_chars",
        6000,
        "int",
        "Share of a recall that comes from Memoria.",
        bounds=(512, 20000),
        unit="characters",
        aliases=("context_chars",),
    ),
    Key(
        "memoria.recall_timeout",
        2.0,
        "float",
        "Wait for Memoria during recall; recall.deadline_s holds as well.",
        bounds=(0.1, 60.0),
        unit="seconds",
        aliases=("recall_timeout",),
    ),
    Key(
        "memoria.request_timeout",
        15.0,
        "float",
        "Wait for any other answer of Memoria.",
        bounds=(0.1, 60.0),
        unit="seconds",
        aliases=("request_timeout",),
    ),
    Key(
        "memoria.queue_capacity",
        1000,
        "int",
        "Turns waiting to be uploaded; a full queue refuses more.",
        bounds=(1, 10000),
        unit="turns",
        aliases=("queue_capacity",),
    ),
    Key("consolidation.enabled", "auto", "switch", "Summaries in the background; auto: once a model is chosen."),
    Key("consolidation.upload", False, "bool", "Summaries, work units, rules and taboos are copied to Memoria, too."),
    Key(
        "consolidation.models",
        [],
        "models",
        "Models that make summaries, as provider:model, tried in order; auto is the model of your conversations.",
        aliases=("models",),
    ),
    Key("consolidation.allow_auto_route", False, "bool", "Use the host's own choice of model when none is named."),
    Key("consolidation.adjudicate", True, "bool", "Let the model decide whether two work units say the same."),
    Key("consolidation.max_input_tokens", 16000, "int", "Transcript in one call.", bounds=(1000, None), unit="tokens"),
    Key("consolidation.max_output_tokens", 2000, "int", "Answer of one call.", bounds=(200, None), unit="tokens"),
    Key("consolidation.timeout_ms", 120000, "int", "Wait for one call.", bounds=(1000, 3600000), unit="milliseconds"),
    Key(
        "consolidation.check_every_turns",
        5,
        "int",
        "How often a running session is looked at.",
        bounds=(1, None),
        unit="turns",
    ),
    Key(
        "consolidation.min_new_tokens", 3000, "int", "Less than this costs no call.", bounds=(500, None), unit="tokens"
    ),
    Key("consolidation.max_work_units", 3, "int", "Work units in one call.", bounds=(1, 10)),
    Key(
        "consolidation.dedup_max_distance",
        0.45,
        "float",
        "With recall.semantic: how far apart in meaning two work units may be to be compared; words need no distance.",
        bounds=(0, 2),
    ),
    Key("consolidation.dedup_candidates", 5, "int", "Work units that a new one is compared with.", bounds=(1, 20)),
    Key("consolidation.max_calls_per_day", 300, "int", "Ceiling of model calls a day.", bounds=(0, None), unit="calls"),
    Key(
        "consolidation.max_tokens_per_day",
        2000000,
        "int",
        "Ceiling of model tokens a day.",
        bounds=(0, None),
        unit="tokens",
    ),
    Key("consolidation.concurrency", 1, "int", "Tasks at once.", bounds=(1, 8), aliases=("queue.concurrency",)),
    Key(
        "consolidation.max_attempts", 3, "int", "Attempts of one task.", bounds=(1, 10), aliases=("queue.max_attempts",)
    ),
    Key(
        "consolidation.retry_delay_ms",
        5000,
        "int",
        "First wait before another attempt; it doubles.",
        bounds=(100, None),
        unit="milliseconds",
        aliases=("queue.retry_delay_ms",),
    ),
    Key("cascade.enabled", True, "bool", "Summaries of summaries."),
    Key("cascade.batch_size", 16, "int", "Summaries that become one.", bounds=(2, 64)),
    Key("housekeeping.reconcile_on_startup", True, "bool", "Compare the log with what is stored."),
    Key("housekeeping.prune_vanished_sessions", True, "bool", "Drop rows of sessions the host no longer has."),
    Key("housekeeping.backfill_consolidation", True, "bool", "Take up what was not summarised yet."),
    Key("housekeeping.backfill_per_scope", 4, "int", "Sessions of a project at one start.", bounds=(1, 64)),
    Key("hypatia.enabled", False, "bool", "Export to a Hypatia shelf."),
    Key("hypatia.shelf", "default", "word", "Name of the export target.", aliases=("shelf",)),
    Key("hypatia.binaries", ["hypatia"], "list", "Programs to look for.", aliases=("binaries",)),
    Key("hypatia.transport", "mcp", "choice", "How it is spoken to.", choices=("mcp", "cli")),
    Key("skills.enabled", True, "bool", "Register the bundled skill where the host can."),
    Key("skills.dir", "", "text", "Where the bundled skill is also copied, when set."),
)

# Setup asks in this order; what concerns Memoria only when it was chosen; the author comes last (D31, C28).
QUESTIONS = {
    "backend": "Where durable memory lives",
    "memoria.api_url": "Origin of the Memoria service",
    "memoria.upload": "What may be uploaded by itself (what you ask to be stored always is)",
    "repos": "Label of new entries (the first of a comma-separated list is used)",
    "budget_tokens": "Hard cap of one recall, in tokens",
    "queue.max_entries": "Facts that may wait to be committed",
    "archive.path": "File for archived entries",
    "consolidation.models": "Model that summarises conversations in the background: provider:model, auto, or off",
    "author": "Your name, recorded with what you say (empty: git user.name)",
}


# Earlier keys that mean memoria.upload: true = turns, false = none (D25).
UPLOAD_SWITCHES = ("auto_capture", "capture.upload_turns")

# Accepted, without effect, and what holds instead.
IDLE = {
    "recall.max_items": "recall.target_tokens bounds a recall (D74)",
    "recall.max_chars": "recall.target_tokens bounds a recall (D74)",
    "gateway_scope": "every user and chat has memory of its own (D44)",
    "queue.flush_window_ms": "a turn is logged when it ends; one that was cut is taken up from Hermes' transcript",
}
IDLE |= {name.partition(".")[2]: why for name, why in IDLE.items() if "." in name}

BY_NAME = {key.name: key for key in KEYS}
ALIASES: dict[str, str] = {
    **{key.name.replace(".", "_"): key.name for key in KEYS if "." in key.name},
    **{key.name.partition(".")[2]: key.name for key in KEYS if key.name.startswith("consolidation.")},
    **{alias: key.name for key in KEYS for alias in key.aliases},
}
GROUPS = {name.partition(".")[0] for name in (*BY_NAME, *ALIASES, *UPLOAD_SWITCHES) if "." in name}
del ALIASES["upload"]  # it would read as memoria.upload
KNOWN = (*BY_NAME, *ALIASES, *UPLOAD_SWITCHES)
# What a file may hold beside settings.
META = ("provider", "config_version")


def questions() -> list[str]:
    """The settings that setup and form ask for in this version, in order: none that nothing here uses."""
    return [name for name in QUESTIONS if not BY_NAME[name].later]
