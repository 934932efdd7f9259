"""Objects whose whole content follows from one number, so that a reader can tell whether an object is intact, and which write it is from."""

PATHS = {
    "configmaps": "/api/v1/namespaces/{}/configmaps",
    "leases": "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
}
MERGE = "application/merge-patch+json"


class Damaged(Exception):
    pass


def content(resource, number):
    """The content of write `number`. As a patch it changes several fields, and the length of the object."""
    labels = {"number": str(number)}
    if resource == "leases":
        spec = {"holderIdentity": f"holder-{number}", "leaseTransitions": number, "leaseDurationSeconds": number % 1000 + 1}
        return {"metadata": {"labels": labels}, "spec": spec}
    pad = (f"{number} " * 600)[: number * 7919 % 3000]
    return {"metadata": {"labels": labels}, "data": {"number": str(number), "pad": pad}}


def whole(resource, name, number, version=None):
    body = content(resource, number)
    body["metadata"]["name"] = name
    if version is not None:
        body["metadata"]["resourceVersion"] = str(version)
    return body


def number_of(resource, item):
    """The number of the write that the object is from. Raises Damaged if it is from no write, or from two."""
    try:
        number = int(item["metadata"]["labels"]["number"])
        expected = content(resource, number)
        same = all(item[key] == expected[key] for key in expected if key != "metadata")
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"{resource} {item.get('metadata', {}).get('name')}: {error!r} is missing or wrong") from None
    if not same:
        raise Damaged(f"{resource} {item['metadata']['name']}: its label is from write {number}, its content is not: {item}")
    return number


def version_of(item):
    return int(item["metadata"]["resourceVersion"])


def collection(resource, namespace):
    return PATHS[resource].format(namespace)
