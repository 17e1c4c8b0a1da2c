"""The JSON Schemas of the records: `python -m isthmus.results.schemas FOLDER` writes them for the wheel."""

import json
import sys
from pathlib import Path
from typing import Any

from isthmus.base.files import write_atomically
from isthmus.results.kinds import KINDS


def schema_texts() -> dict[str, str]:
    """The schema of each JSON file of the command, by file name."""
    schemas = {
        name: kind.file_class.model_json_schema(by_alias=True, mode="serialization") for name, kind in KINDS.items()
    }
    texts = {f"{name}.json": _text(schema) for name, schema in schemas.items()}
    homes = {kind.record_class.__name__: name for name, kind in reversed(KINDS.items()) if kind.record}
    for name, schema in schemas.items():
        for home in {home for record, home in homes.items() if record in schema["$defs"] and home != name}:
            texts[f"{name}.json"] = _referring(schema, f"{home}.json", schemas[home]["$defs"])
    return texts


def _text(schema: dict[str, Any]) -> str:
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _referring(schema: dict[str, Any], file: str, known: dict[str, Any]) -> str:
    """The schema without the definitions that `file` has alike, whose place references to it take."""
    own = {name: one for name, one in schema["$defs"].items() if one != known.get(name)}
    text = _text({**schema, "$defs": own})
    for name in schema["$defs"].keys() - own.keys():
        text = text.replace(f'"#/$defs/{name}"', f'"{file}#/$defs/{name}"')
    return text


if __name__ == "__main__":
    for file, text in schema_texts().items():
        write_atomically(Path(sys.argv[1]) / file, text)
