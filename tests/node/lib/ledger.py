"""Checks from three independent sources that no GPU is over-committed: the API's claims, the node's journal and the processes."""
import collections
import os
import pathlib
import threading
import time

from .watch import Watch

UNITS = {"Ki": 1 / 1024, "Mi": 1, "Gi": 1024, "Ti": 1024 * 1024}
LIMIT = b"ALLOT_GPU_MEMORY_"


def mib(quantity):
    return float(quantity[:-2]) * UNITS[quantity[-2:]] if quantity[-2:] in UNITS else float(quantity) / 1048576


def most(peaks):
    return ", ".join(f"{device} {amount / 1024:g}" for device, amount in sorted(peaks.items()))


class Ledger:
    """`cards` has the MiB by device, `uuids` the devices' names by UUID. `violations` are sentences."""

    def __init__(self, machine, kubeconfig, cards, uuids, cgroup):
        self.machine, self.cards, self.uuids, self.cgroup = machine, cards, uuids, cgroup
        self.checks, self.peaks, self.violations = collections.Counter(), collections.defaultdict(collections.Counter), []
        self.claims = Watch(kubeconfig, "/apis/resource.k8s.io/v1/resourceclaims",
                            lambda claims: self._try(self._check_claims, claims))
        self.seen, self.running, self.at_once = None, 0, 0
        for look, pause in ((self._check_journal, 0.05), (self._check_processes, 0.5)):
            threading.Thread(target=self._repeat, args=(look, pause), daemon=True).start()

    def _repeat(self, look, pause):
        while True:
            self._try(look)
            time.sleep(pause)

    def _try(self, look, *args):
        try:
            look(*args)
        except Exception as error:  # pylint: disable=broad-except  # a checker that dies must not look like one that found nothing
            if len(self.violations) < 10:
                self.violations.append(f"{look.__name__}: {error!r}")

    def _judge(self, source, used, holders):
        self.checks[source] += 1
        for device, amount in used.items():
            self.peaks[source][device] = max(self.peaks[source][device], amount)
            if amount > self.cards[device] and len(self.violations) < 10:
                self.violations.append(f"{device} by the {source}: {amount:g} MiB of {self.cards[device]} MiB, held by {holders()}")

    def _check_claims(self, claims):
        used = collections.Counter()
        results = lambda claim: claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
        for claim in claims.values():
            for result in results(claim):
                used[result["device"]] += mib(result["consumedCapacity"]["memory"])
        self._judge("claims", used, lambda: [(claim["metadata"]["name"], results(claim)) for claim in claims.values()])

    def _check_journal(self):
        """Checks the holdings after each line of the journal. Lines that a rewrite dropped were there long enough to be checked before."""
        try:
            stat = os.stat(self.machine.journal)
        except FileNotFoundError:
            return
        stamp = stat.st_ino, stat.st_size, stat.st_mtime_ns
        if stamp == self.seen:
            return
        self.seen = stamp
        for held in self.machine.history():
            used = collections.Counter()
            for holding in held.values():
                for share in holding["shares"]:
                    used[self.uuids[share["uuid"]]] += share["memoryMiB"]
            self._judge("journal", used, lambda held=held: list(held.values()))

    def _check_processes(self):
        """Adds up the limits of containers that run at the same time. Containers with the same claim have one limit."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            born, limits = self._limits(pid)
            if limits:
                found[pid] = born, limits
        # All processes that still exist existed at the same time.
        shares = {name: amount for pid, (born, limits) in found.items() if self._born(pid) == born for name, amount in limits}
        used = collections.Counter()
        for name, amount in shares.items():
            used[next(device for uuid, device in self.uuids.items() if name.startswith(uuid.replace("-", "_")))] += amount
        self.running = len(shares)
        self.at_once = max(self.at_once, self.running)
        self._judge("processes", used, lambda: shares)

    def _born(self, pid):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            return None if fields[0] in "ZX" and int(fields[17]) <= 1 else fields[19]
        except OSError:
            return None

    def _limits(self, pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                environ = file.read()
            if LIMIT not in environ or f"/{self.cgroup}/" not in pathlib.Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8"):
                return None, []
        except OSError:
            return None, []
        pairs = [entry[len(LIMIT):].decode().split("=") for entry in environ.split(b"\0") if entry.startswith(LIMIT)]
        return self._born(pid), [(name, int(amount)) for name, amount in pairs]
