"""Reads the cases: cases/TOPIC.yaml is a list; README.md describes the format."""

import copy
import glob
import os

import yaml

from . import values

REQUESTS = ("POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ACTIONS = REQUESTS + ("eventually", "watch", "events", "close", "kubectl", "output", "finish")
OPTIONS = {"headers", "type", "body", "raw", "with", "without", "bare", "as", "from", "any_order", "end", "stdin", "background", "retry", "within"}
EXPECTATIONS = {"code", "error", "invalid", "message", "details", "match", "names", "text", "reply", "exit", "stdout", "stderr", "not_stdout", "json"}
_PROOF = EXPECTATIONS | {"events", "eventually", "output"}


class BadCase(Exception):
    pass


class Case:
    def __init__(self, topic, name, steps, variables, cleanup):
        self.topic, self.name, self.steps = topic, name, steps
        self.variables, self.cleanup = variables, cleanup

    @property
    def full_name(self):
        return f"{self.topic}: {self.name}"

    @property
    def defines_kinds(self):
        return any(step.get("POST") == "customresourcedefinitions" for step in self.steps)


def action_of(step):
    found = [key for key in step if key in ACTIONS]
    if len(found) != 1:
        raise BadCase(f"a step has exactly one of {', '.join(ACTIONS)}; this one has {found or 'none'}")
    return found[0]


def load(folder):
    cases = []
    for path in sorted(glob.glob(os.path.join(folder, "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            entries = yaml.load(file, Loader=yaml.CSafeLoader)
        topic = os.path.basename(path)[: -len(".yaml")]
        for entry in entries:
            if "define" not in entry:
                cases += from_entry(topic, entry)
    seen = set()
    for case in cases:
        if case.full_name in seen:
            raise BadCase(f"two cases are named {case.full_name}")
        seen.add(case.full_name)
    return cases


def from_entry(topic, entry):
    """Returns one case, or with `rows` one for each row, whose keys are variables."""
    unknown = set(entry) - {"name", "steps", "rows", "let", "cleanup"}
    if unknown:
        raise BadCase(f"{topic}: {entry.get('name')}: unknown keys {sorted(unknown)}")
    cases = []
    for row in entry.get("rows", [{}]):
        let = entry.get("let", {})
        variables = dict(let, **_partly(row, let))
        name = values.substitute(entry["name"], variables) if row else entry["name"]
        case = Case(topic, name, _flat(copy.deepcopy(entry["steps"])), variables, entry.get("cleanup", []))
        _check(case)
        cases.append(case)
    return cases


def _partly(value, variables):
    """Substitutes the variables of `let` in a row. ${id} and ${namespace} are substituted when the case runs."""
    return values.substitute(value, {**variables, "id": "${id}", "namespace": "${namespace}"})


def _flat(steps):
    """Flattens nested lists of steps, so that several cases can share steps."""
    return [inner for step in steps for inner in (step if isinstance(step, list) else [step])]


def _check(case):
    """Refuses a case that cannot fail, and misspelt keys."""
    for number, step in enumerate(case.steps, 1):
        try:
            known = {action_of(step)} | OPTIONS | EXPECTATIONS | {"save"}
        except BadCase as error:
            raise BadCase(f"{case.full_name}: step {number}: {error}") from None
        if set(step) - known:
            raise BadCase(f"{case.full_name}: step {number}: unknown keys {sorted(set(step) - known)}")
    if not any(_PROOF & set(step) for step in case.steps):
        raise BadCase(f"{case.full_name}: nothing is expected")
