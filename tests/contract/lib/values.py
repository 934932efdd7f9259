"""Values of a case: ${variables}, paths into JSON, generated lists and strings."""

import copy
import re

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_PATH = re.compile(r'\["([^"]*)"\]|\[(\d+)\]|([^.\[\]]+)')


class Missing(Exception):
    """A path or a variable that does not exist."""


def parse_path(path):
    """Parses `a.b[0]["x.y/z"]` into a list of keys and indexes; `$` is the whole document."""
    if path == "$":
        return []
    return [int(index) if index else quoted or plain for quoted, index, plain in _PATH.findall(path)]


def get(document, path):
    for key in parse_path(path):
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            raise Missing(f"nothing at {path}") from None
    return document


def set_value(document, path, value):
    """Sets the value at `path`, and creates missing maps. An index one past the end appends."""
    keys = parse_path(path)
    for key, following in zip(keys, keys[1:]):
        empty = [] if isinstance(following, int) else {}
        if isinstance(document, list):
            if key == len(document):
                document.append(empty)
        elif document.get(key) is None:
            document[key] = empty
        document = document[key]
    if isinstance(document, list) and keys[-1] == len(document):
        document.append(value)
    else:
        document[keys[-1]] = value


def remove(document, path):
    keys = parse_path(path)
    for key in keys[:-1]:
        document = document[key]
    del document[keys[-1]]


def substitute(value, variables):
    """Replaces ${name}. A string that is exactly one ${name} becomes the variable's value, of any type."""
    if isinstance(value, dict):
        return {substitute(k, variables): substitute(v, variables) for k, v in value.items()}
    if isinstance(value, list):
        return [substitute(v, variables) for v in value]
    if not isinstance(value, str):
        return value
    whole = _VARIABLE.fullmatch(value)
    if whole:
        return copy.deepcopy(_lookup(whole[1], variables))
    return _VARIABLE.sub(lambda m: str(_lookup(m[1], variables)), value)


def _lookup(name, variables):
    if name not in variables:
        raise Missing(f"no variable ${{{name}}}")
    return variables[name]


def expand(value):
    """Generates long values: {$times: N, item: ...} is a list of N items (with `key`, a map), where #n counts from 0;
    {$repeat: [text, N]} is a string; {$merge: [map, map]} merges two maps, the second wins."""
    if isinstance(value, list):
        return [expand(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        text, times = value["$repeat"]
        return text * times
    if "$merge" in value:
        merged = {}
        for part in value["$merge"]:
            merged.update(expand(part))
        return merged
    if "$times" in value:
        items = [_numbered(value["item"], n) for n in range(value["$times"])]
        if "key" in value:
            return {_numbered(value["key"], n): expand(item) for n, item in enumerate(items)}
        return [expand(item) for item in items]
    return {k: expand(v) for k, v in value.items()}


def _numbered(value, n):
    if isinstance(value, dict):
        return {_numbered(k, n): _numbered(v, n) for k, v in value.items()}
    if isinstance(value, list):
        return [_numbered(v, n) for v in value]
    return value.replace("#n", str(n)) if isinstance(value, str) else value
