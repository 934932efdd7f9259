"""The output of a run: a line for every failed case, and the totals."""

import sys
import threading


class Report:
    def __init__(self, verbose=False, out=sys.stdout):
        self._verbose, self._out = verbose, out
        self._lock = threading.Lock()
        self.passed = self.failed = 0

    def add(self, case, seconds, failure):
        """Adds a case. `failure` is None, or one line that describes the failure."""
        with self._lock:
            if failure is None:
                self.passed += 1
                if self._verbose:
                    self._print(f"pass {seconds:5.1f}s {case.topic}.yaml: {case.name}")
            else:
                self.failed += 1
                self._print(f"FAIL {case.topic}.yaml: {case.name}: {failure}")

    def close(self):
        """Prints the totals. Returns the exit code: 0 if a case ran and none failed."""
        self._print(f"{self.passed} passed, {self.failed} failed")
        return 0 if self.passed and not self.failed else 1

    def _print(self, line):
        print(" ".join(line.split("\n")), file=self._out, flush=True)
