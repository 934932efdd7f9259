"""Thousands of watches at once: non-blocking sockets, and the events that each has received."""

import collections
import json
import selectors
import socket
import ssl

Event = collections.namedtuple("Event", "type version name code")


class Ended(Exception):
    pass


class Watch:
    """One watch on its own connection. Keeps the version of each event, and drops its object."""

    def __init__(self, config, path, receive_buffer=None):
        self.events, self.open, self.over = [], False, None
        self._bytes, self._line = bytearray(), bytearray()
        raw = socket.socket(socket.AF_INET6 if ":" in config.host else socket.AF_INET)
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.settimeout(60)
        raw.connect((config.host, config.port))
        self.socket = config.tls.wrap_socket(raw, server_hostname=config.host) if config.secure else raw
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {config.host}\r\nAuthorization: Bearer {config.token}\r\n\r\n".encode())
        self.socket.setblocking(False)

    def fileno(self):
        return self.socket.fileno()

    def receive(self):
        """Reads all available bytes."""
        while self.over is None:
            try:
                data = self.socket.recv(1 << 18)
            except (BlockingIOError, ssl.SSLWantReadError):
                return
            except OSError as error:
                self.over = f"the connection broke: {error}"
                return
            if not data:
                self.over = "the connection was cut"
                return
            self._bytes += data
            self._take()

    def _take(self):
        if not self.open:
            end = self._bytes.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self._bytes[:end])
            if not head.startswith(b"HTTP/1.1 200"):
                self.over = f"refused: {bytes(self._bytes[:500])!r}"
                return
            del self._bytes[:end + 4]
            self.open = True
        at = 0
        while True:  # chunks: length in hexadecimal, then as many bytes
            line = self._bytes.find(b"\r\n", at)
            if line < 0:
                break
            length = int(self._bytes[at:line], 16)
            if len(self._bytes) < line + 2 + length + 2:
                break
            if length == 0:
                self.over = "the server ended the watch"
                break
            self._line += self._bytes[line + 2:line + 2 + length]
            at = line + 2 + length + 2
        del self._bytes[:at]
        *lines, rest = self._line.split(b"\n")
        self._line = bytearray(rest)
        self.events += [_event(line) for line in lines]

    def close(self):
        self.socket.close()


def _event(line):
    event = json.loads(line)
    metadata = event["object"].get("metadata", {})
    return Event(event["type"], int(metadata.get("resourceVersion") or 0), metadata.get("name"), event["object"].get("code"))


class Crowd:
    """Many watches, read as their bytes arrive."""

    def __init__(self):
        self.watches, self._selector = [], selectors.EpollSelector()

    def add(self, watch):
        self.watches.append(watch)
        self._selector.register(watch, selectors.EVENT_READ)

    def pump(self, seconds):
        """Reads from all watches that have bytes; waits up to `seconds` for the first."""
        for key, _ in self._selector.select(seconds):
            key.fileobj.receive()
            if key.fileobj.over:
                self._selector.unregister(key.fileobj)

    def close(self):
        self._selector.close()
        for watch in self.watches:
            watch.close()
