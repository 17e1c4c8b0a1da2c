"""The JSON Schemas of the records: `python -m isthmus.schemas FOLDER` writes them, a test keeps them equal."""

import json
import sys
from pathlib import Path

from isthmus.files import write_atomically
from isthmus.records import FILES


def schema_texts() -> dict[str, str]:
    """The schema of each JSON file of the command, by file name."""
    texts = {}
    for name, model in FILES.items():
        schema = model.model_json_schema(by_alias=True, mode="serialization")
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        texts[f"{name}.json"] = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    return texts


if __name__ == "__main__":
    for file, text in schema_texts().items():
        write_atomically(Path(sys.argv[1]) / file, text)
