"""Runs the steps of one case against one server."""

import copy
import json
import shlex
import time

from . import expect, values
from .cases import REQUESTS, action_of
from .client import Client
from .matcher import shorten
from .programs import Kubectl
from .resources import collection_of, full_path, resource_of
from .watch import Watch

DEADLINE = 30
_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class StepFailed(Exception):
    pass


class Session:
    """The state of one running case: its variables, its connection, its open watches and programs."""

    def __init__(self, config, kubectl, variables, deadline=DEADLINE):
        self._config, self._kubectl_path, self._deadline = config, kubectl, deadline
        self.variables = variables
        self._client = Client(config)
        self._watches, self._programs = {}, {}
        self.created = []  # full paths of cluster-scoped objects

    def run(self, step):
        """Runs a step. Raises StepFailed if the result is not what the step expects."""
        action = action_of(step)
        try:
            step = values.substitute(step, self.variables)
        except values.Missing as error:
            raise StepFailed(str(error)) from None
        if action in REQUESTS and step.get("retry"):
            self._repeat(action, step[action], step)
        elif action in REQUESTS:
            self._finish_request(step, self._request(action, step[action], step))
        else:
            getattr(self, "_" + action)(step)

    def close(self):
        for watch in self._watches.values():
            watch.close()
        for program in self._programs.values():
            program.kill()
        self._client.close()

    def delete(self, path):
        self._client.request("DELETE", path)

    def _request(self, method, path, step):
        headers = dict(step.get("headers", {}))
        data = None
        if "raw" in step:
            data = values.expand(step["raw"])
        elif "body" in step:
            data = json.dumps(self._body(method, path, step))
        if data is not None:
            kind = "merge" if method == "PATCH" else None
            headers.setdefault("Content-Type", _TYPES.get(step.get("type", kind), "application/json"))
            data = data.encode()
        full = full_path(path, self.variables["namespace"])
        answer = self._client.request(method, full, headers, data)
        self._note_created(method, full, answer)
        return answer

    def _body(self, method, path, step):
        body = values.expand(copy.deepcopy(step["body"]))
        for place, value in step.get("with", {}).items():
            values.set_value(body, place, values.expand(value))
        for place in step.get("without", []):
            values.remove(body, place)
        resource = resource_of(path)
        whole = method in ("POST", "PUT") or step.get("type") == "apply"
        if resource and whole and isinstance(body, dict) and "kind" not in body and not step.get("bare"):
            body = {"apiVersion": resource[0], "kind": resource[1], **body}
        return body

    def _note_created(self, method, full, answer):
        if answer.code != 201 or "dryRun=" in full or collection_of(full) is None or not isinstance(answer.body, dict):
            return
        path = full.split("?")[0]
        if method == "POST":
            path += "/" + answer.body.get("metadata", {}).get("name", "")
        self.created.append(path)

    def _finish_request(self, step, answer):
        wrong = expect.answer_mismatch(step, answer)
        if wrong:
            raise StepFailed(wrong)
        self._save(step, answer.body)

    def _save(self, step, body):
        for name, path in step.get("save", {}).items():
            try:
                self.variables[name] = copy.deepcopy(values.get(body, path))
            except values.Missing as error:
                raise StepFailed(f"{error} in {shorten(body)}") from None

    def _eventually(self, step):
        self._repeat("GET", step["eventually"], step)

    def _repeat(self, method, path, step):
        """Repeats the request until the answer matches."""
        within = step.get("within", DEADLINE) * self._deadline / DEADLINE
        end, pause = time.monotonic() + within, 0.02
        while True:
            answer = self._request(method, path, step)
            wrong = expect.answer_mismatch(step, answer)
            if not wrong:
                self._save(step, answer.body)
                return
            if time.monotonic() > end:
                raise StepFailed(f"not within {within:g} s: {wrong}")
            time.sleep(pause)
            pause = min(0.3, pause * 1.5)

    def _watch(self, step):
        path, _, query = full_path(step["watch"], self.variables["namespace"]).partition("?")
        query = query or "watch=true"
        query = query if "watch=" in query else "watch=true&" + query
        watch = Watch(self._config, self._deadline)
        refused = watch.open(f"{path}?{query}", step.get("headers"))
        if refused is None:
            self._watches[step.get("as", "w")] = watch
            if "error" in step:
                watch.close()
                raise StepFailed(f"code: expected {step['error']}, got 200")
            return
        if "error" not in step:
            raise StepFailed(f"the watch was refused: {refused.code}: {shorten(refused.text)}")
        self._finish_request(step, refused)

    def _events(self, step):
        watch = self._watches[step.get("from", "w")]
        wrong = watch.expect(step["events"], step.get("any_order", False))
        if not wrong and step.get("end"):
            wrong = watch.expect_end()
        if wrong:
            raise StepFailed(wrong)
        self._save(step, watch.last)

    def _close(self, step):
        self._watches.pop(step["close"]).close()

    def _kubectl(self, step):
        if not self._kubectl_path:
            raise StepFailed("no kubectl on the PATH")
        arguments = step["kubectl"]
        arguments = shlex.split(arguments) if isinstance(arguments, str) else [str(a) for a in arguments]
        program = Kubectl(self._kubectl_path, self._config.path, self.variables["namespace"], arguments, step.get("stdin"))
        if "background" in step:
            self._programs[step["background"]] = program
            return
        self._end_program(step, program)

    def _finish(self, step):
        self._end_program(step, self._programs.pop(step["finish"]))

    def _end_program(self, step, program):
        wrong = program.finish(step, self._deadline + 30)
        if wrong:
            raise StepFailed(wrong)

    def _output(self, step):
        """Waits until a program in the background has written the expected output."""
        wrong = self._programs[step["output"]].await_output(step["stdout"], self._deadline)
        if wrong:
            raise StepFailed(wrong)
