"""etcd, the API server, the scheduler and the controllers, without client rate limits, so that tests do not measure these."""
import json
import socket

from .api import Api
from .cluster import programs, write
from .parts import Part, await_

LIMIT = 10000  # Requests per second of a client.


def start_store(cluster, options, slot):
    """Starts etcd and the API server. Returns before they are ready; nodes can be prepared meanwhile."""
    bin_, pki = programs(), cluster.folder / "pki"
    # Use sockets instead of ports: ports could collide, and only root can connect to a socket.
    data = cluster.folder / "etcd"
    data.mkdir(mode=0o700)
    client = f"unix://{data}/client"
    Part(cluster, "etcd").start([
        bin_ / "etcd", "--data-dir", data / "data", "--listen-client-urls", client, "--listen-peer-urls", f"unix://{data}/peer",
        # etcd 3.6 requires a host and port here, which are not used.
        "--advertise-client-urls", "http://localhost:2379", *([] if options["fsync"] else ["--unsafe-no-fsync"]), "--log-level", "warn"])
    Part(cluster, "kube-apiserver").start([
        bin_ / "kube-apiserver", "--etcd-servers", client, "--bind-address", "127.0.0.1", "--secure-port", options["port"],
        "--advertise-address", slot.api_address, "--service-cluster-ip-range", slot.services,
        "--cert-dir", pki, "--tls-cert-file", pki / "serving.crt", "--tls-private-key-file", pki / "serving.key",
        "--client-ca-file", pki / "ca.crt", "--token-auth-file", pki / "tokens.csv",
        "--authorization-mode", "Node,RBAC", "--allow-privileged",
        "--service-account-issuer", "https://kubernetes.default.svc",
        "--service-account-key-file", pki / "accounts.key", "--service-account-signing-key-file", pki / "accounts.key",
        "--kubelet-preferred-address-types", "InternalIP", "--kubelet-certificate-authority", pki / "ca.crt",
        "--kubelet-client-certificate", pki / "client.crt", "--kubelet-client-key", pki / "client.key",
        "--enable-admission-plugins", "NodeRestriction",
        # Without this flag a stop takes a minute, because the server waits until its clients end their watches.
        "--shutdown-watch-termination-grace-period", "1s",
        # The plugin taints new nodes as not ready, and only the node lifecycle controller would remove the taint.
        *(["--disable-admission-plugins", "TaintNodesByCondition"] if options["api_nodes"] else []),
        *(["--runtime-config", options["runtime_config"]] if options["runtime_config"] else []),
        *_versions(options)])


def await_store(cluster, alone=False):
    await_(Part(cluster, "kube-apiserver"), "the API server is not ready", Api(cluster.kubeconfig).ready, alone=alone)


def await_etcd(cluster):
    await_(Part(cluster, "etcd"), "etcd does not listen", lambda: listens(socket.AF_UNIX, str(cluster.folder / "etcd/client")), alone=True)


def listens(family, address):
    with socket.socket(family) as probe:
        return probe.connect_ex(address) == 0


def start_controllers(cluster, options):
    bin_, pki = programs(), cluster.folder / "pki"
    config = cluster.folder / "scheduler.yaml"
    write(config, json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(cluster.folder / "scheduler.conf"), "qps": LIMIT, "burst": LIMIT},
        "leaderElection": {"leaderElect": False}}))
    Part(cluster, "kube-scheduler").start([bin_ / "kube-scheduler", "--config", config, "--secure-port", "0", *_versions(options)])
    Part(cluster, "kube-controller-manager").start([
        bin_ / "kube-controller-manager", "--kubeconfig", cluster.folder / "controller-manager.conf",
        "--leader-elect=false", "--secure-port", "0", "--use-service-account-credentials",
        "--service-account-private-key-file", pki / "accounts.key", "--root-ca-file", pki / "ca.crt",
        "--kube-api-qps", LIMIT, "--kube-api-burst", LIMIT, "--concurrent-resourceclaim-syncs", "50",
        # Nodes without a kubelet have no heartbeat, and would become NotReady after a minute.
        *(["--controllers=*,-node-lifecycle-controller"] if options["api_nodes"] else []),
        *_versions(options)])


def await_controllers(cluster):
    # Until it exists the API server refuses Pods.
    api = Api(cluster.kubeconfig)
    await_(Part(cluster, "kube-controller-manager"), "there is no default service account",
           lambda: api.get("/api/v1/namespaces/default/serviceaccounts/default") is not None)


def _versions(options):
    return [*(["--feature-gates", options["gates"]] if options["gates"] else []),
            *(["--emulated-version", options["emulated_version"]] if options["emulated_version"] else [])]
