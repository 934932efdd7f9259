"""Reads the cases: TOPIC.yaml is a list; README.md describes the format."""
import copy
import re

import yaml

HOMES = ("embedded", "cluster")
ACTIONS = ("apply", "refused", "patch", "delete", "delete_now", "ask_to_delete", "running", "pending", "held", "message", "completed", "restarts", "output", "order", "nodes", "devices", "models", "same",
           "different", "memory", "claims", "status", "count", "used")
# Steps that check allot's behaviour.
PROOF = set(ACTIONS) - {"apply", "patch", "delete", "delete_now", "ask_to_delete"}
DEADLINE = 60  # seconds that a step waits
IMAGE = "local/busybox:1"
# The default command of a container: prints its environment, then keeps running.
HOLD = ["sh", "-c", "env; echo shown; trap 'exit 0' TERM; sleep 3600 & wait"]


class BadCase(Exception):
    pass


class Case:
    def __init__(self, topic, entry):
        self.topic, self.name, self.gpus = topic, entry["name"], str(entry["gpus"])
        self.homes, self.why = tuple(entry.get("homes", HOMES)), entry.get("why", "")
        self.namespace = entry.get("namespace", {})
        self.wrong, self.deadline = entry.get("wrong"), entry.get("deadline", DEADLINE)
        self.steps = [inner for step in entry["steps"] for inner in (step if isinstance(step, list) else [step])]

    @property
    def full_name(self):
        return f"{self.topic}: {self.name}"


def load(paths):
    cases = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            entries = yaml.safe_load(file)
        cases += [_case(path.stem, entry) for entry in entries if "define" not in entry]
    names = [case.full_name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise BadCase(f"two cases are named {name}")
    return cases


def _case(topic, entry):
    """Returns the case. Refuses a case that cannot fail, and misspelt steps."""
    where = f"{topic}: {entry.get('name')}"
    unknown = set(entry) - {"name", "gpus", "homes", "why", "namespace", "wrong", "deadline", "steps"}
    missing = {"name", "gpus", "steps"} - set(entry)
    if unknown or missing:
        raise BadCase(f"{where}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}")
    case = Case(topic, entry)
    if set(case.homes) - set(HOMES) or not case.homes:
        raise BadCase(f"{where}: homes are {', '.join(HOMES)}")
    if (case.homes != HOMES) != bool(case.why):
        raise BadCase(f"{where}: `homes` needs `why`, the reason")
    if "deadline" in entry and case.wrong is None:
        raise BadCase(f"{where}: only a case with `wrong` can have its own deadline (of its last step)")
    for number, step in enumerate(case.steps, 1):
        if len(step) != 1 or set(step) - set(ACTIONS):
            raise BadCase(f"{where}: step {number} has {sorted(step)}; a step is one of {', '.join(ACTIONS)}")
    if not any(PROOF & set(step) for step in case.steps):
        raise BadCase(f"{where}: nothing is expected")
    return case


def model_name(gpu):
    """Returns rtx3090 for "NVIDIA GeForce RTX 3090"."""
    return re.sub(r"nvidia|geforce|[^a-z0-9]", "", gpu.lower())


def nodes_of(gpus):
    """Returns the models of each node: [["rtx3090", "rtx3090"], []] for "rtx3090:2/none"."""
    nodes = []
    for text in gpus.split("/"):
        models = [part.partition(":") for part in text.split(",") if part != "none"]
        nodes.append([model for model, _, count in models for _ in range(int(count or 1))])
    return nodes


def completed(manifest, home):
    """Returns the manifest with the names of nodes in this home, and the defaults of Pods."""
    manifest = named(copy.deepcopy(manifest), home.nodes)
    if manifest["kind"] == "Pod":
        _fill(manifest["spec"], home)
    elif manifest["kind"] in ("Job", "Deployment"):
        _fill(manifest["spec"]["template"]["spec"], home)
    return manifest


def _fill(spec, home):
    if home.selector:
        spec["nodeSelector"] = {**spec.get("nodeSelector", {}), **home.selector}
    for container in spec.get("initContainers", []) + spec["containers"]:
        if "image" not in container:
            container["image"] = IMAGE
            spec.setdefault("terminationGracePeriodSeconds", 1)
            if "command" not in container:
                container["command"] = HOLD


def named(value, names):
    """Returns the value with every NODE-1 replaced by the node's name."""
    if isinstance(value, dict):
        return {named(key, names): named(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [named(item, names) for item in value]
    if isinstance(value, str):
        return re.sub(r"\bNODE-(\d+)\b", lambda match: names[int(match.group(1)) - 1], value)
    return value
