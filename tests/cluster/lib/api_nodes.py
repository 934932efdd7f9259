"""Nodes that are only objects: Ready, with capacity for Pods, but without a kubelet. Enough for tests that end when a Pod is bound."""
import threading
import time

from .api import Api
from .cluster import Failure

ROOM = {"cpu": "64", "memory": "256Gi", "pods": "500", "ephemeral-storage": "1Ti"}


def create(cluster, count):
    """Creates api-1 to api-`count`."""
    numbers = iter(range(1, count + 1))
    lock, failures = threading.Lock(), []

    def work():
        api = Api(cluster.kubeconfig)
        while not failures:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            status, text = api.request("POST", "/api/v1/nodes", _node(f"api-{number}"))
            if status != 201:
                failures.append(f"node api-{number} was not created: {status} {text}")

    workers = [threading.Thread(target=work) for _ in range(min(8, count))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise Failure(failures[0])


def _node(name):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    ready = {"type": "Ready", "status": "True", "reason": "ApiOnly", "message": "a node without a kubelet",
             "lastHeartbeatTime": now, "lastTransitionTime": now}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}},
            "status": {"capacity": ROOM, "allocatable": ROOM, "conditions": [ready]}}
