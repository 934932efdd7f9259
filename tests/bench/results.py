"""Prints the results of a benchmark as a table, and adds them to those of other benchmarks in build/bench.json."""

import json
import pathlib

FILE = pathlib.Path(__file__).resolve().parents[2] / "build/bench.json"


def entry(name, ours, peer, unit, ratio):
    return {"name": name, "ours": round(ours, 1), "peer": round(peer, 1), "unit": unit, "ratio": round(ratio, 2)}


def write(results, notes=()):
    names = {result["name"] for result in results}
    kept = [old for old in json.loads(FILE.read_text(encoding="utf-8")) if old["name"] not in names] if FILE.exists() else []
    FILE.write_text(json.dumps(kept + results, indent=2) + "\n", encoding="utf-8")
    print(f"\n{'':40}{'allot':>14}{'peer':>15}  unit                ratio")
    for r in results:
        print(f"{r['name']:40}{r['ours']:14.1f}{r['peer']:15.1f}  {r['unit']:16}{r['ratio']:8.2f}x")
    for note in notes:
        print(note)
