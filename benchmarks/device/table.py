#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what device_times and peers.py measured as one JSON file and as the table between the markers of a page.

usage: table.py TIMES.json PEERS.json ALL.json PAGE.md     PEERS.json may be absent
"""
import datetime
import json
import pathlib
import sys

BEGIN, END = "<!-- begin measured -->\n", "<!-- end measured -->"
KEY = ("rule", "window", "batch", "tokens", "heads")


def microseconds(x):
    return f"{x:,.0f}".replace(",", " ")


def version(n):
    """13000 as 13.0."""
    return f"{n // 1000}.{n % 1000 // 10}"


def name(row):
    named = {"delta-net": "DeltaNet", "gated-delta-net": "gated DeltaNet", "retnet": "RetNet"}
    plain = named.get(row["rule"], "Falcon-" + row["rule"][len("falcon-") :].upper())
    return plain + (f", B = {row['window']}" if row["window"] > 1 else "")


def peer_cells(peer, asked):
    """@param asked whether there was a fla to ask"""
    if not peer:
        return ["", "", ""]
    copy = microseconds(peer["copy"])
    if "fla" in peer:
        return [copy, microseconds(peer["fla"]["graph"]), f"{peer['fla']['graph'] / peer['ours']['graph']:.2f}"]
    return [copy, "does not agree" if "call" in peer else "none" if asked else "", ""]


def table(times, peers):
    rows = [r for r in times["times_us"] if "rule" in r]
    beside = {tuple(r[k] for k in KEY): r for r in peers.get("rows", [])}
    copied = next(r["events"] for r in times["times_us"] if r.get("what") == "copy 1 GiB")
    yield f"{times['card']} (driver {times['driver']}, CUDA {version(times['runtime'])}), {times['date']}: bfloat16 in and out, d = d_v = 128, chunks"
    yield "of 64, microseconds, medians."
    yield f"The same run copied 1 GiB at {2 * 2**30 / copied * 1e-3:.0f} GB/s, read and written."
    if "fla" in peers:
        commit = f" ({peers['fla_commit'][:8]})" if peers.get("fla_commit") else ""
        yield f"fla: flash-linear-attention {peers['fla']}{commit}, torch {peers['torch']}, Triton {peers['triton']}."
    else:
        yield "No peer was timed in the same run."
    yield ""
    yield "| batch, tokens, heads | rule | kernels | events | graph | copy of the bytes | fla | fla / ours |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    for r in rows:
        recurrent = r["form"] == "recurrent"
        kernels = ("portable recurrent" if recurrent else "portable chunk") if r["portable"] else "Hopper"
        cells = [f"{r['batch']}, {r['tokens']}, {r['heads']}", name(r), kernels, microseconds(r["events"])]
        cells += ["", "", "", ""] if r["portable"] else [microseconds(r["graph"]), *peer_cells(beside.get(tuple(r[k] for k in KEY)), "fla" in peers)]
        yield "| " + " | ".join(cells) + " |"
    if "fla" not in peers:
        return
    yield ""
    yield "| batch, tokens, heads | rule | fla's call | ours from the recurrence | fla from it | outputs apart | states apart |"
    yield "|---|---|---|---:|---:|---:|---:|"
    for r in beside.values():
        if "call" in r:
            e = r["errors"]
            apart = [f"{e[k]:.1e}" for k in ("ours", "fla", "outputs", "states")]
            yield "| " + " | ".join([f"{r['batch']}, {r['tokens']}, {r['heads']}", name(r), f"`{r['call']}`", *apart]) + " |"


def main(words):
    if len(words) != 4:
        sys.exit(__doc__)
    times_file, peers_file, all_file, page_file = map(pathlib.Path, words)
    times = json.loads(times_file.read_text())
    times["date"] = str(datetime.date.fromtimestamp(times_file.stat().st_mtime))
    peers = json.loads(peers_file.read_text()) if peers_file.exists() else {}
    all_file.write_text(json.dumps({**times, "peers": peers}, indent=1) + "\n")
    page = page_file.read_text()
    before, rest = page.split(BEGIN)
    text = "\n".join(table(times, peers)) + "\n"
    page_file.write_text(before + BEGIN + text + END + rest.split(END)[1])
    print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
