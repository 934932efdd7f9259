"""Finds the end of the log of a SQLite store (store.db-wal): valid frames have the salt of its header.

SQLite restarts the log in the same file, so old frames may follow the new ones.
"""

import os

HEADER, FRAME_HEADER = 32, 24  # bytes


class Log:
    def __init__(self, path):
        self._path, self._salt, self._end = path, None, 0

    def end(self):
        """Returns the end of the last frame, and whether the log was restarted since the last call, which moves its frames to the store."""
        with open(self._path, "rb") as file:
            header = file.read(HEADER)
            frame, salt = FRAME_HEADER + int.from_bytes(header[8:12], "big"), header[16:24]
            anew = self._salt is not None and salt != self._salt
            if salt != self._salt:
                self._salt, self._end = salt, HEADER
            size = os.fstat(file.fileno()).st_size
            while self._end + frame <= size:
                file.seek(self._end)
                if file.read(16)[8:] != salt:
                    break
                self._end += frame
        return self._end, anew
