"""The kinds that allot's own API server has, and the short paths for them that cases use."""

import urllib.parse

#  resource: (group and version, kind, namespaced)
RESOURCES = {
    "namespaces": ("v1", "Namespace", False),
    "nodes": ("v1", "Node", False),
    "pods": ("v1", "Pod", True),
    "configmaps": ("v1", "ConfigMap", True),
    "secrets": ("v1", "Secret", True),
    "serviceaccounts": ("v1", "ServiceAccount", True),
    "events": ("v1", "Event", True),
    "leases": ("coordination.k8s.io/v1", "Lease", True),
    "priorityclasses": ("scheduling.k8s.io/v1", "PriorityClass", False),
    "runtimeclasses": ("node.k8s.io/v1", "RuntimeClass", False),
    "deployments": ("apps/v1", "Deployment", True),
    "replicasets": ("apps/v1", "ReplicaSet", True),
    "jobs": ("batch/v1", "Job", True),
    "deviceclasses": ("resource.k8s.io/v1", "DeviceClass", False),
    "resourceclaims": ("resource.k8s.io/v1", "ResourceClaim", True),
    "resourceclaimtemplates": ("resource.k8s.io/v1", "ResourceClaimTemplate", True),
    "resourceslices": ("resource.k8s.io/v1", "ResourceSlice", False),
    "customresourcedefinitions": ("apiextensions.k8s.io/v1", "CustomResourceDefinition", False),
}


def resource_of(path):
    """The row of RESOURCES that a short path names, or None for a path that starts with a slash."""
    return RESOURCES.get(path.split("?")[0].split("/")[0])


def full_path(path, namespace):
    """`pods/a?x=y` is a Pod in the case's namespace; what starts with a slash stays. Values in the query are escaped here."""
    path, _, query = path.partition("?")
    if not path.startswith("/"):
        if resource_of(path) is None:
            raise ValueError(f"unknown resource in {path}")
        version, _, namespaced = resource_of(path)
        prefix = "/api/v1" if version == "v1" else f"/apis/{version}"
        path = f"{prefix}/namespaces/{namespace}/{path}" if namespaced else f"{prefix}/{path}"
    if not query:
        return path
    pairs = [pair.partition("=") for pair in query.split("&")]
    return path + "?" + "&".join(f"{key}={urllib.parse.quote(value, safe='')}" for key, _, value in pairs)


def collection_of(path):
    """The full path of a collection that is cluster-scoped, or None: what is created there has to be deleted after the case."""
    parts = path.split("?")[0].strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:]
    if not parts or (parts[0] == "namespaces" and len(parts) > 2):
        return None
    return parts
