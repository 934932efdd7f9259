"""The kinds of allot's API server, and the short paths that cases use for them."""

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
    """Returns the row of RESOURCES for a short path, or None for a path that starts with a slash."""
    return RESOURCES.get(path.split("?")[0].split("/")[0])


def full_path(path, namespace):
    """Returns the full path. `pods/a?x=y` is a Pod in the case's namespace; a path that starts with a slash stays. Escapes the query."""
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
    """Returns the full path of a cluster-scoped collection, or None. Objects created there must be deleted after the case."""
    parts = path.split("?")[0].strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:]
    if not parts or (parts[0] == "namespaces" and len(parts) > 2):
        return None
    return parts
