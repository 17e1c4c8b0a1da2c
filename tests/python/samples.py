"""The smallest file of any kind, made from its schema: what must be there, and of each list one item."""

from collections.abc import Mapping
from typing import Any

from isthmus.results.kinds import KINDS


def sample(name: str) -> dict[str, Any]:
    """A file of the kind of that name."""
    schema = KINDS[name].file_class.model_json_schema(by_alias=True, mode="serialization")
    made: dict[str, Any] = _value(schema, schema["$defs"])
    return made


def _value(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _value(named[schema["$ref"].rpartition("/")[2]], named)
    for key in ("const", "default"):
        if schema.get(key) not in (None, [], ""):
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], named)
    return _of_type(schema, named)


def _of_type(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    kind = schema["type"]
    if kind == "object":
        more = schema.get("additionalProperties")
        named_values = {key: _value(one, named) for key, one in schema.get("properties", {}).items()}
        key = _value(schema.get("propertyNames", {"const": "size"}), named)
        return named_values or ({key: _value(more, named)} if isinstance(more, dict) else {})
    if kind == "array":
        items = schema.get("prefixItems") or [schema["items"]] * schema.get("minItems", 1)
        return [_value(one, named) for one in items]
    if kind == "integer":  # a place in a list, which has one item
        return int(schema["exclusiveMinimum"]) + 1 if "exclusiveMinimum" in schema else int(schema.get("minimum", 0))
    return {"string": "text", "boolean": True, "null": None}.get(kind, 1)
