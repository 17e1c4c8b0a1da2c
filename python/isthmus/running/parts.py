"""The kinds of parts that platform files may name, as a page: what the schema says of them."""

from pathlib import Path

from isthmus.base.files import read_text
from isthmus.running.tools import Event, run_tool


def document() -> str:
    """The page docs/parts.md of the site."""
    kinds: list[tuple[Event, list[Event]]] = []

    def keep(event: Event) -> None:
        if event["event"] == "kind":
            kinds.append((event, []))
        else:
            kinds[-1][1].append(event)

    run_tool("isthmus-platform", {"keys": True}, keep)
    return read_text(Path(__file__).with_suffix(".md")) + "".join(_entry(kind, keys) for kind, keys in kinds)


def _entry(kind: Event, keys: list[Event]) -> str:
    several = " A board may have several, each with its channel." if kind["several"] else ""
    rows = "".join(f"| `{key['key'].rpartition('.')[2]}` | {_expected(key)} | {key['meaning']} |\n" for key in keys)
    holds = "".join(f"- `{relation}`\n" for relation in kind["relations"])
    relations = f"\nWhere a board has both:\n\n{holds}" if holds else ""
    return (
        f"\n## {kind['kind']}\n`[{kind['section']}]`: {kind['meaning']}.{several}\n\n"
        f"| key | what it may be | meaning |\n|---|---|---|\n{rows}{relations}"
    )


def _expected(key: Event) -> str:
    may_be = str(key["expected"])
    if key["when"]:
        return f"{may_be}; needed if `{key['when']}`"
    return f"{may_be}; may be left out" if key["may_be_left_out"] else may_be
