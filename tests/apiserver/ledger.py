"""Records which writes were sent and acknowledged, and so what a server must show after a restart.

Each object has one writer, so its writes have an order. A write whose answer was read to its end is acknowledged; one without an answer may
have happened or not, but only as a whole.
"""

import collections
import threading

import objects

State = collections.namedtuple("State", "number version")  # of an object; the number is None if it does not exist


class Thing:
    """One object in the ledger."""

    def __init__(self, resource, name):
        self.resource, self.name = resource, name
        self.known = State(None, 0)
        self.perhaps = None  # a State without version: the write without an answer


class Ledger:
    def __init__(self, names):
        self.things = {(resource, name): Thing(resource, name) for resource, name in names}
        self.violations = []
        self.counts = collections.Counter()
        self.acknowledgements = 0
        self.latest = 0  # the highest resourceVersion seen
        self.floor = 0   # its value when the server ended the last time
        self._lock = threading.Lock()

    def violation(self, text):
        with self._lock:
            self.violations.append(text)

    def begin(self, thing, number):
        """Records that a write is sent; None: a deletion."""
        thing.perhaps = State(number, None)

    def acknowledged(self, thing, verb, version=None):
        """Records the answer. `version` is that of the answer; a deletion's answer has none."""
        number = thing.perhaps.number
        if number is not None and version <= max(thing.known.version, self.floor):
            self.violation(f"{verb} of {thing.name} got version {version}, but {max(thing.known.version, self.floor)} was seen before")
        thing.known, thing.perhaps = State(number, version or thing.known.version), None
        with self._lock:
            self.counts[verb] += 1
            self.acknowledgements += 1
            self.latest = max(self.latest, version or 0)

    def refused(self, thing, verb, status, message):
        self.violation(f"{verb} of {thing.name} was refused: {status} {message}")
        thing.perhaps = None

    def seen(self, version):
        """Records a version that a reader saw."""
        with self._lock:
            self.latest = max(self.latest, version)

    def present(self):
        return sum(thing.known.number is not None for thing in self.things.values())

    def ended(self):
        self.floor = self.latest

    def check(self, resource, listed):
        """Compares with a list of the server while no client writes. Resolves writes without an answer."""
        version = objects.version_of(listed)
        if version < self.latest:
            self.violation(f"the version went back: {version} of the list of {resource}, {self.latest} was seen before")
        self.seen(version)
        found = {item["metadata"]["name"]: item for item in listed["items"]}
        if len(found) != len(listed["items"]):
            self.violation(f"the list of {resource} has an object twice")
        for thing in self.things.values():
            if thing.resource == resource:
                self.settle(thing, found.pop(thing.name, None))
        for name in found:
            if name != "kube-root-ca.crt":
                self.violation(f"{resource} {name} exists, but was never created")

    def settle(self, thing, item):
        try:
            state = State(None, 0) if item is None else State(objects.number_of(thing.resource, item), objects.version_of(item))
        except objects.Damaged as error:
            return self.violation(str(error))
        perhaps, known = thing.perhaps, thing.known
        thing.perhaps, thing.known = None, state
        if perhaps is not None:
            self.counts["without an answer"] += 1
        if state.number == known.number and (state.number is None or state.version == known.version):
            return None
        if perhaps is not None and state.number == perhaps.number and (state.number is None or state.version > known.version):
            self.counts["happened"] += 1
            return None
        return self.violation(f"{thing.resource} {thing.name}: found {_show(state)}, acknowledged was {_show(known)}"
                              + (f", in flight was {_show(perhaps)}" if perhaps else ""))


def _show(state):
    if state.number is None:
        return "nothing"
    return f"write {state.number}" + (f" with version {state.version}" if state.version else "")
