"""The numbers of the local store, with unit and reason (decisions.md, D49)."""

from ..plain import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Defaults are the protocol's; tests make them small so that every path is walked in a short run."""

    whole_max: int = MIB
    """Bytes: a checkpoint up to this size is committed by replacing it, a larger one by a journal line (D49.6)."""

    fold_min: int = MIB
    """Bytes of journal below which only an idle process or a command folds (D49.9)."""

    fold_share: float = 0.25
    """A journal larger than this share of the checkpoint is folded (D49.9)."""

    fold_interval_s: float = 600.0
    """Between two folds that nobody asked for: a backup copying the files one by one must find a matching set."""

    fold_idle_s: float = 60.0
    """Silence after which an idle process folds (D49.9)."""

    fold_at_close_s: float = 0.3
    """A fold that is estimated to take longer is left to the next process (issue 3)."""

    fold_rate: float = 40e6
    """Bytes a second for that estimate; measured rates are several times higher, a laptop's disk may be slower."""

    keep_generation_s: float = 600.0
    """An older journal is deleted only at this age (D49.1)."""

    read_tries: int = 5
    """A reader that finds the files changing looks again this often, then takes the lock (D49.14)."""

    reader_wait_s: float = 0.05
    """How long it waits for that lock (D49.14)."""

    reader_first_wait_s: float = 2.0
    """The same for a reader that has seen no state yet: it would have nothing to show instead."""

    parse_patience: int = 8 * MIB
    """Bytes: a reader that finds a larger checkpoint just replaced waits a moment for the derived index to follow,
    rather than parse it (half a second for 40 MiB)."""

    patience_s: float = 0.02
    """One such wait; there are at most `read_tries` of them."""

    scratch_age_s: float = 600.0
    """Scratch files of dead writers are swept at this age; no live commit takes as long."""

    index_overlay: int = 2000
    """Entries changed since the derived index was last brought up; more are written into it after a commit."""

    index_batch: int = 200
    """Rows in one transaction on the derived index, so that nobody waits long for it (D59)."""

    index_keep_s: float = 600.0
    """How long replaced rows stay in the derived index for views that were taken before (no view lives as long)."""

    receipts_max: int = 200_000
    """Receipts kept when a fold rewrites them: redeliveries are hours old, not hundreds of thousands of facts."""


DEFAULT = Limits()
