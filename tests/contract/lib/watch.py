"""A watch: one connection, read event by event."""

import http.client
import json
import time

from . import expect
from .client import Client
from .matcher import mismatch, shorten


class Watch:
    def __init__(self, config, deadline):
        self._client = Client(config)
        self._deadline = deadline
        self._response = None
        self.last = None  # the object of the last event that was expected

    def open(self, path, headers):
        """Opens the watch. Returns None, or the answer that refused it."""
        refused, self._response = self._client.watch(path, headers)
        return refused

    def close(self):
        self._client.close()

    def expect(self, wanted, any_order):
        """Checks that the next events are `wanted`, each {TYPE: match of the object}. Ignores unexpected bookmarks."""
        end = time.monotonic() + self._deadline
        left = [next(iter(event.items())) for event in wanted]
        bookmarks = any(kind == "BOOKMARK" for kind, _ in left)
        while left:
            event, wrong = self._next(end)
            if wrong:
                return f"{wrong}; still expected {left[0][0]} {shorten(left[0][1])}"
            if event["type"] == "BOOKMARK" and not bookmarks:
                continue
            candidates = left if any_order else left[:1]
            wrongs = [_event_mismatch(kind, match, event) for kind, match in candidates]
            if None in wrongs:
                del left[wrongs.index(None)]
                self.last = event["object"]
            elif not (event["type"] == "BOOKMARK" and left[0][0] == "BOOKMARK"):
                return wrongs[0]
        return None

    def expect_end(self):
        end = time.monotonic() + self._deadline
        while True:
            event, wrong = self._next(end)
            if wrong:
                return None if wrong == "the watch ended" else wrong
            if event["type"] != "BOOKMARK":
                return f"expected the end of the watch, got {event['type']} {shorten(event['object'])}"

    def _next(self, end):
        try:
            self._client.set_timeout(max(0.01, end - time.monotonic()))
            line = self._response.readline()
        except TimeoutError:
            return None, f"no event within {self._deadline} s"
        except (OSError, http.client.HTTPException, AttributeError) as error:
            return None, f"the watch broke: {error!r}"
        if not line:
            return None, "the watch ended"
        return json.loads(line), None


def _event_mismatch(kind, match, event):
    if event["type"] != kind:
        return f"event: expected {kind} {shorten(match)}, got {event['type']} {shorten(event['object'], 300)}"
    if kind == "ERROR" and isinstance(match, str):
        return expect.status_mismatch(match, {}, None, event["object"])
    return mismatch(match, event["object"], kind)
