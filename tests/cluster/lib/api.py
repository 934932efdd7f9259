"""A small client of the API server: a kubectl for every question would cost more than the answer."""
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
        """(status, text); status 0 where there is no answer. One connection for all requests, so one user at a time."""
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
        """The object, or None."""
        status, text = self.request("GET", path)
        return json.loads(text) if status == 200 else None

    def ready(self):
        return self.request("GET", "/readyz")[0] == 200
