"""Follows all objects of one kind in the API."""
import http.client
import json
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from cluster.lib.api import Api  # noqa: E402  (tests/cluster)


class Watch(threading.Thread):
    """Calls `changed(objects)`, in its own thread, for every state of the server. `objects` are by UID, all of one resourceVersion.

    While the server is away, states are missed; the next call has the state after it.
    """

    def __init__(self, kubeconfig, path, changed=lambda objects: None):
        super().__init__(daemon=True)
        self.api, self.path, self.changed = Api(kubeconfig), path, changed
        self.objects, self.lock, self.breaks = {}, threading.Lock(), -1
        self.start()

    def now(self):
        with self.lock:
            return list(self.objects.values())

    def run(self):
        while True:
            self.breaks += 1
            try:
                self._follow(self._list())
            except (OSError, http.client.HTTPException, ValueError):
                pass
            time.sleep(0.1)

    def _list(self):
        answer = self.api.get(self.path)
        if answer is None:
            raise ValueError("no answer")
        with self.lock:
            self.objects = {one["metadata"]["uid"]: one for one in answer["items"]}
        self.changed(self.objects)
        return answer["metadata"]["resourceVersion"]

    def _follow(self, version):
        connection = http.client.HTTPSConnection(self.api.host, timeout=60, context=self.api.context)
        try:
            connection.request("GET", f"{self.path}?watch=1&resourceVersion={version}", headers={"Authorization": f"Bearer {self.api.token}"})
            for line in connection.getresponse():
                event = json.loads(line)
                if event["type"] not in ("ADDED", "MODIFIED", "DELETED"):
                    return
                uid = event["object"]["metadata"]["uid"]
                with self.lock:
                    if event["type"] == "DELETED":
                        self.objects.pop(uid, None)
                    else:
                        self.objects[uid] = event["object"]
                self.changed(self.objects)
        finally:
            connection.close()
