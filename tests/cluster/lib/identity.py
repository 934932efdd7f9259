"""The certificate authority, certificates, tokens and kubeconfigs of a cluster."""
import base64
import json
import secrets

from .cluster import run, write


def make_certificates(cluster, slot, nodes):
    """Creates a CA, a serving certificate for the API server and the kubelets, and the API server's client certificate for kubelets."""
    pki = cluster.folder / "pki"
    pki.mkdir(mode=0o700)
    addresses = ["127.0.0.1", slot.api_address] + [slot.node_address(n) for n in range(1, nodes + 1)]
    names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"] + [f"n{n}" for n in range(1, nodes + 1)]
    alternative = ",".join([f"IP:{a}" for a in addresses] + [f"DNS:{n}" for n in names])
    new = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365"]
    run(*new, "-subj", f"/CN={cluster.id}", "-keyout", pki / "ca.key", "-out", pki / "ca.crt",
        "-addext", "keyUsage=critical,keyCertSign,digitalSignature")
    # `req -CA` would be shorter, but openssl 3.0 (Debian 12) and later versions then add different extensions.
    for name, subject, extension in (("serving", "/CN=kube-apiserver", f"extendedKeyUsage=serverAuth\nsubjectAltName={alternative}"),
                                     ("client", "/O=system:masters/CN=kube-apiserver", "extendedKeyUsage=clientAuth")):
        write(pki / f"{name}.ext", extension + "\n")
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
            "-keyout", pki / f"{name}.key", "-out", pki / f"{name}.csr")
        run("openssl", "x509", "-req", "-in", pki / f"{name}.csr", "-CA", pki / "ca.crt", "-CAkey", pki / "ca.key", "-CAcreateserial",
            "-days", "365", "-extfile", pki / f"{name}.ext", "-out", pki / f"{name}.crt")
    run("openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", pki / "accounts.key")


def make_users(cluster, port, nodes):
    """Creates a token and a kubeconfig for the administrator, the controllers and each kubelet, with user names of Kubernetes' roles."""
    users = [("admin", "admin", "system:masters"), ("scheduler", "system:kube-scheduler", ""),
             ("controller-manager", "system:kube-controller-manager", "")]
    users += [(f"n{n}", f"system:node:n{n}", "system:nodes") for n in range(1, nodes + 1)]
    ca = (cluster.folder / "pki/ca.crt").read_text()
    rows = []
    for file, user, group in users:
        token = secrets.token_hex(16)
        rows.append(f'{token},{user},{user},"{group}"' if group else f"{token},{user},{user}")
        write(cluster.folder / f"{file}.conf", _kubeconfig(cluster.name, port, ca, token), 0o600)
    write(cluster.folder / "pki/tokens.csv", "\n".join(rows) + "\n", 0o600)


def _kubeconfig(name, port, ca, token):
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": f"https://127.0.0.1:{port}",
                                                "certificate-authority-data": base64.b64encode(ca.encode()).decode()}}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }, indent=1) + "\n"
