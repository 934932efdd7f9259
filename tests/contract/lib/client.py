"""HTTP/1.1 to a Kubernetes API server, as a kubeconfig describes it."""

import base64
import gzip
import http.client
import json
import os
import ssl
import tempfile
import urllib.parse

import yaml


class BadConfig(Exception):
    """An unusable kubeconfig; the text names it and the reason."""


class Config:
    """Server, TLS and token of a kubeconfig's current context. Raises BadConfig if there is none."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        try:
            self._read()
        except (OSError, yaml.YAMLError, ssl.SSLError, ValueError) as error:
            raise BadConfig(f"{self.path}: {getattr(error, 'strerror', None) or error}") from error
        except (KeyError, TypeError, AttributeError, StopIteration) as error:
            raise BadConfig(f"{self.path}: not a kubeconfig with a current-context, its cluster and its user") from error

    def _read(self):
        with open(self.path, encoding="utf-8") as file:
            document = yaml.safe_load(file)
        context = _named(document, "contexts", document["current-context"])["context"]
        cluster = _named(document, "clusters", context["cluster"])["cluster"]
        user = _named(document, "users", context["user"])["user"] or {}
        url = urllib.parse.urlsplit(cluster["server"])
        self.secure = url.scheme == "https"
        self.host, self.port, self.base = url.hostname, url.port or (443 if self.secure else 80), url.path.rstrip("/")
        self.token = user.get("token")
        if user.get("tokenFile"):
            with open(self._file(user["tokenFile"]), encoding="utf-8") as file:
                self.token = file.read().strip()
        self.tls = self._tls(cluster, user) if self.secure else None

    def _tls(self, cluster, user):
        context = ssl.create_default_context()
        if cluster.get("insecure-skip-tls-verify"):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        elif "certificate-authority-data" in cluster:
            context.load_verify_locations(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        elif "certificate-authority" in cluster:
            context.load_verify_locations(self._file(cluster["certificate-authority"]))
        with tempfile.TemporaryDirectory() as folder:
            pair = [self._material(user, key, folder) for key in ("client-certificate", "client-key")]
            if all(pair):
                context.load_cert_chain(*pair)
        return context

    def _material(self, user, key, folder):
        if key + "-data" not in user:
            return self._file(user[key]) if key in user else None
        path = os.path.join(folder, key)
        with open(path, "wb") as file:
            file.write(base64.b64decode(user[key + "-data"]))
        return path

    def _file(self, name):
        return os.path.join(os.path.dirname(self.path), name)


def _named(document, section, name):
    return next(entry for entry in document[section] if entry["name"] == name)


class Answer:
    """Status code, headers (names in lower case), text, and the parsed body if it is JSON."""

    def __init__(self, response, data):
        self.code = response.status
        self.headers = {}
        for name, value in response.getheaders():
            name = name.lower()
            self.headers[name] = f"{self.headers[name]}, {value}" if name in self.headers else value
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        self.text = data.decode("utf-8", "replace")
        try:
            self.body = json.loads(self.text)
        except ValueError:
            self.body = None


class Client:
    """One connection for one thread. Reopened if the server closes it."""

    def __init__(self, config, timeout=60):
        self._config = config
        self._timeout = timeout
        self._connection = None

    def request(self, method, path, headers=None, body=None):
        for attempt in (1, 2):
            fresh = self._connection is None
            try:
                response = self._send(method, path, headers, body)
                return Answer(response, response.read())
            except (http.client.HTTPException, OSError):
                self.close()
                if fresh or attempt == 2:
                    raise
        return None

    def watch(self, path, headers=None):
        """Opens a watch on its own connection. Returns the response, whose body the caller reads line by line."""
        response = self._send("GET", path, headers, None)
        if response.status != 200:
            return Answer(response, response.read()), None
        return None, response

    def set_timeout(self, seconds):
        self._connection.sock.settimeout(seconds)

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None

    def _send(self, method, path, headers, body):
        config = self._config
        if self._connection is None:
            if config.secure:
                self._connection = http.client.HTTPSConnection(config.host, config.port, timeout=self._timeout, context=config.tls)
            else:
                self._connection = http.client.HTTPConnection(config.host, config.port, timeout=self._timeout)
        sent = {"Accept": "application/json", "User-Agent": "allot-contract"}
        if config.token:
            sent["Authorization"] = "Bearer " + config.token
        sent.update(headers or {})
        try:
            self._connection.request(method, config.base + path, body=body, headers=sent)
        except BrokenPipeError:
            pass  # the server may answer, and close, before it has read a body that is too large
        return self._connection.getresponse()
