"""Checks an HTTP answer against the expectations of a step."""

import re

from .matcher import causes_mismatch, mismatch, shorten


def answer_mismatch(step, answer):
    """Returns None, or the difference. Without code, error or invalid a step expects success."""
    wrong = _code_mismatch(step, answer)
    if wrong:
        return wrong
    body = answer.body if answer.body is not None else answer.text
    if "match" in step:
        wrong = mismatch(step["match"], body)
    if not wrong and "names" in step:
        wrong = mismatch(step["names"], _names(body), "names of the items")
    if not wrong and "text" in step and not re.search(step["text"], answer.text, re.S):
        wrong = f"body: expected /{step['text']}/, got {shorten(answer.text)}"
    if not wrong and "reply" in step:
        wrong = mismatch(step["reply"], answer.headers, "header")
    return wrong


def _code_mismatch(step, answer):
    if "invalid" in step:
        return status_mismatch("422 Invalid", step, answer.code, answer.body) or causes_mismatch(step["invalid"], answer.body)
    if "error" in step:
        return status_mismatch(step["error"], step, answer.code, answer.body)
    codes = step.get("code", range(200, 300))
    codes = [codes] if isinstance(codes, int) else codes
    if answer.code not in codes:
        want = "success" if "code" not in step else shorten(step["code"])
        return f"code: expected {want}, got {answer.code}: {shorten(answer.text, 400)}"
    return None


def status_mismatch(error, step, code, body):
    """`error` is a code, or a code and a reason: `409 Conflict`. The body must be a Status with the same."""
    want_code, _, reason = str(error).partition(" ")
    want = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": int(want_code), "message": "$present"}
    if reason:
        want["reason"] = reason
    if "details" in step:
        want["details"] = step["details"]
    if code is not None and code != int(want_code):
        return f"code: expected {error}, got {code}: {shorten(body, 400)}"
    wrong = mismatch(want, body)
    if not wrong and "message" in step and not re.search(step["message"], body["message"], re.S):
        wrong = f"message: expected /{step['message']}/, got {shorten(body['message'], 400)}"
    return wrong


def _names(body):
    items = body.get("items") if isinstance(body, dict) else None
    return [item["metadata"]["name"] for item in items] if isinstance(items, list) else body
