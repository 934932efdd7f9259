"""Runs kubectl without a shell."""

import json
import os
import re
import subprocess
import threading

import yaml

from .matcher import mismatch, shorten


class Kubectl:
    """One run of kubectl in the case's namespace. `stdin` is text, or an object or list of objects, sent as YAML."""

    cache = None  # discovery, shared by all runs

    def __init__(self, program, kubeconfig, namespace, arguments, stdin):
        flags = [f"--kubeconfig={kubeconfig}", f"--namespace={namespace}"]
        if Kubectl.cache:
            flags.append(f"--cache-dir={Kubectl.cache}")
        environment = dict(os.environ, KUBECTL_EXTERNAL_DIFF="diff -u -N", KUBERC="off")
        self._process = subprocess.Popen(
            [program, arguments[0], *flags, *arguments[1:]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)
        self._out, self._err = [], []
        self._changed = threading.Condition()
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self._process.stdout, self._out), (self._process.stderr, self._err))]
        for reader in self._readers:
            reader.start()
        try:
            self._process.stdin.write(_text(stdin))
            self._process.stdin.close()
        except BrokenPipeError:
            pass

    def _read(self, stream, into):
        with stream:
            for line in stream:
                with self._changed:
                    into.append(line)
                    self._changed.notify_all()

    def finish(self, step, deadline):
        """Waits for the end. Returns None, or the error in the exit code or output."""
        try:
            code = self._process.wait(deadline)
        except subprocess.TimeoutExpired:
            self.kill()
            return f"kubectl did not end within {deadline} s: {shorten(self._texts())}"
        for reader in self._readers:
            reader.join()
        if code != step.get("exit", 0):
            return f"exit code: expected {step.get('exit', 0)}, got {code}: {shorten(self._texts(), 400)}"
        return self._output_mismatch(step)

    def _output_mismatch(self, step):
        out, err = "".join(self._out), "".join(self._err)
        for key, text in (("stdout", out), ("stderr", err)):
            for pattern in _list(step.get(key, [])):
                if not re.search(pattern, text, re.M):
                    return f"{key}: expected /{pattern}/, got {shorten(text, 600)}"
        for pattern in _list(step.get("not_stdout", [])):
            if re.search(pattern, out, re.M):
                return f"stdout: did not expect /{pattern}/, got {shorten(out, 600)}"
        if "json" in step:
            try:
                return mismatch(step["json"], json.loads(out))
            except ValueError:
                return f"stdout: expected JSON, got {shorten(out)}"
        return None

    def await_output(self, patterns, deadline):
        def seen():
            text = "".join(self._out)
            return all(re.search(pattern, text, re.M) for pattern in _list(patterns))
        with self._changed:
            if self._changed.wait_for(seen, deadline):
                return None
        return f"stdout: expected {shorten(patterns)} within {deadline} s, got {shorten(self._texts(), 600)}"

    def _texts(self):
        return "".join(self._out) + "".join(self._err)

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def _list(value):
    return value if isinstance(value, list) else [value]


def _text(stdin):
    if stdin is None:
        return ""
    if isinstance(stdin, str):
        return stdin
    return yaml.safe_dump_all(_list(stdin), sort_keys=False)
