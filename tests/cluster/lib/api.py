"""A small client of the API server, because starting kubectl for every request would be slow."""
import base64
import http.client
import json
import ssl


class Api:
    def __init__(self, kubeconfig):
        config = json.loads(kubeconfig.read_text())
        self.host = config["clusters"][0]["cluster"]["server"].removeprefix("https://")
        self.token = config["users"][0]["user"]["token"]
        ca = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=ca)
        self.connection = None

    def request(self, method, path, body=None):
        """Returns (status, text); status is 0 without an answer. Not thread-safe: all requests share one connection."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(self.host, timeout=10, context=self.context)
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self.connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.connection = None
            return 0, str(error)

    def get(self, path):
        """Returns the object, or None."""
        status, text = self.request("GET", path)
        return json.loads(text) if status == 200 else None

    def ready(self):
        return self.request("GET", "/readyz")[0] == 200
