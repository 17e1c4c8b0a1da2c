"""What the models leave out, as platforms/about/limits.toml has it."""

from isthmus.records.base import TomlTable
from isthmus.records.run import ModelLimit


class Limit(ModelLimit, extra="forbid"):
    """Something that a machine has and no model does.

    `flows`, and the probes that cross one of `crossed`, are those whose numbers it touches; `keys` are patterns of the
    nearest numbers of a platform file (a calibrated value there may hold a part of it).
    """

    flows: tuple[str, ...] = ()
    crossed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class LimitsTable(TomlTable):
    """The file."""

    limit: tuple[Limit, ...]
