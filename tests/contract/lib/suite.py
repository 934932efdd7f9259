"""Runs cases in parallel, each in its own namespace."""

import concurrent.futures
import time
import uuid

from . import values
from .cases import action_of
from .client import Client
from .matcher import shorten
from .steps import DEADLINE, Session, StepFailed


class Suite:
    def __init__(self, config, kubectl, report, deadline=DEADLINE):
        self._config, self._kubectl, self._report, self._deadline = config, kubectl, report, deadline
        self._run = uuid.uuid4().hex[:6]
        self._namespaces = []

    def run(self, cases, jobs):
        """Runs the cases. Those that define kinds come last, because controllers that watch all kinds restart with each new kind."""
        numbered = list(enumerate(cases))
        try:
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for last in (False, True):
                    list(pool.map(self._run_case, [pair for pair in numbered if pair[1].defines_kinds == last]))
        finally:
            self._delete_namespaces()

    def _run_case(self, pair):
        number, case = pair
        unique = f"{self._run}-{number}"
        own = {"id": unique, "namespace": f"contract-{unique}"}
        variables = dict(values.substitute(case.variables, own), **own)
        session = Session(self._config, self._kubectl, variables, self._deadline)
        start, failure = time.monotonic(), None
        try:
            self._make_namespace(session)
            failure = _run_steps(session, case)
        except Exception as error:  # a broken connection fails the case, not the run
            failure = f"{type(error).__name__}: {error}"
        self._clean_up(session, case)
        self._report.add(case, time.monotonic() - start, failure)

    def _make_namespace(self, session):
        name = session.variables["namespace"]
        self._namespaces.append(name)
        session.run({"POST": "/api/v1/namespaces", "code": 201, "body": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}})
        session.created.clear()  # namespaces are deleted at the end of the run
        # Pods are refused until the service account exists.
        session.run({"eventually": "serviceaccounts/default"})

    def _clean_up(self, session, case):
        try:
            for path in reversed(session.created):
                session.delete(path)
            for step in case.cleanup:
                session.run({"DELETE": step, "code": [200, 202, 404]})
        except Exception:  # the case has its result, and the next run uses other names
            pass
        session.close()

    def _delete_namespaces(self):
        client = Client(self._config)
        for name in self._namespaces:
            try:
                client.request("DELETE", f"/api/v1/namespaces/{name}")
            except OSError:
                break
        client.close()


def _run_steps(session, case):
    for number, step in enumerate(case.steps, 1):
        action = action_of(step)
        try:
            session.run(step)
        except Exception as error:
            reason = str(error) if isinstance(error, StepFailed) else f"{type(error).__name__}: {error}"
            what = step[action] if isinstance(step[action], str) else shorten(step[action], 80)
            return f"step {number} ({action} {what}): {reason}"
    return None

