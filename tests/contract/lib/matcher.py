"""Compares an answer with an expectation.

A map matches if each of its keys does; the answer may have more keys. A list matches item by item and has the same length. Everything else
is compared exactly, including the type. The operators:

  $present     exists, and is not null         {$has: [a, b]}     the list has a match for each, in any order
  $absent      does not exist, or is null      {$len: 3}          list, map or string of that length
  $re PATTERN  a string that matches           {$oneof: [a, b]}   one of them matches
  $newer RV    a later resourceVersion         {$not: a}          does not match
  $time        an RFC 3339 time                {$exact: a}        equal, without more keys
                                               {$all: [a, b]}     both match
                                               {$names: [a, b]}   the list's items have these names
"""

import json
import re

ABSENT = object()
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_OPERATORS = {"$has", "$len", "$oneof", "$not", "$exact", "$all", "$names"}


def shorten(value, limit=160):
    if value is ABSENT:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= limit else text[:limit] + "..."


def mismatch(expected, actual, path=""):
    """Returns None if it matches, else one line: the path, the expected and the actual value."""
    if isinstance(expected, dict) and len(expected) == 1 and next(iter(expected)) in _OPERATORS:
        return _operator(*next(iter(expected.items())), actual, path)
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return _say(path, expected, actual)
        for key, value in expected.items():
            wrong = mismatch(value, actual.get(key, ABSENT), f"{path}.{key}" if path else str(key))
            if wrong:
                return wrong
        return None
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return _say(path, expected, actual)
        for index, (want, have) in enumerate(zip(expected, actual)):
            wrong = mismatch(want, have, f"{path}[{index}]")
            if wrong:
                return wrong
        return None
    if isinstance(expected, str) and expected.startswith("$"):
        return _word(expected, actual, path)
    same = type(expected) is type(actual) and expected == actual
    return None if same else _say(path, expected, actual)


def _word(expected, actual, path):
    word, _, argument = expected.partition(" ")
    nothing = actual is ABSENT or actual is None
    checks = {
        "$present": lambda: not nothing,
        "$absent": lambda: nothing,
        "$re": lambda: isinstance(actual, str) and re.search(argument, actual, re.S) is not None,
        "$newer": lambda: isinstance(actual, str) and actual.isdigit() and int(actual) > int(argument),
        "$time": lambda: isinstance(actual, str) and _TIME.fullmatch(actual) is not None,
    }
    if word not in checks:
        raise ValueError(f"unknown operator {word}")
    return None if checks[word]() else _say(path, expected, actual)


def _operator(name, argument, actual, path):
    good = False
    if name == "$has":
        good = isinstance(actual, list) and _holds(argument, actual)
    elif name == "$len":
        good = isinstance(actual, (list, dict, str)) and len(actual) == argument
    elif name == "$oneof":
        good = any(mismatch(option, actual) is None for option in argument)
    elif name == "$not":
        good = mismatch(argument, actual) is not None
    elif name == "$all":
        good = all(mismatch(part, actual) is None for part in argument)
    elif name == "$names":
        good = isinstance(actual, list) and [item.get("name") for item in actual] == argument
        actual = [item.get("name") for item in actual] if isinstance(actual, list) else actual
    elif name == "$exact":
        good = json.dumps(argument, sort_keys=True) == json.dumps(None if actual is ABSENT else actual, sort_keys=True)
    return None if good else _say(path, {name: argument}, actual)


def _holds(wanted, items):
    """Returns whether each wanted item matches a different item."""
    left = list(items)
    for want in wanted:
        for index, item in enumerate(left):
            if mismatch(want, item) is None:
                del left[index]
                break
        else:
            return False
    return True


def _say(path, expected, actual):
    return f"{path or 'the answer'}: expected {shorten(expected)}, got {shorten(actual)}"


def causes_mismatch(expected, status):
    """Returns None if the causes of a Status are exactly `expected`, which maps each field to its reason or reasons.
    Repeated causes are ignored."""
    want = []
    if "$below" in expected:
        expected = {f"{expected['$below']}.{field}": reasons for field, reasons in expected["causes"].items()}
    for field, reasons in expected.items():
        want += [(field, r) for r in (reasons if isinstance(reasons, list) else [reasons])]
    causes = (status.get("details") or {}).get("causes") or []
    have = [(c.get("field", ""), c.get("reason")) for c in causes]
    if set(want) == set(have):
        return None
    return f"causes: expected {shorten(sorted(set(want)), 400)}, got {shorten(sorted(set(have)), 400)}: {shorten(status.get('message', ''), 300)}"
