#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times flash-linear-attention (fla) beside the device: the same tokens, the same process, the same clock, agreement first.

usage: peers.py LIBRARY TIMES.json PEERS.json     LIBRARY: libdevice_call.so     TIMES.json: what device_times wrote
FWA_FLA names a folder with fla's package; without it nothing is timed but a copy of the bytes and the calls themselves. fla is given
what it takes: shifted keys, step sizes and log-decays made before the clock starts. A rule that fla has in no form has no peer.
A peer is timed only where it agrees: outputs of both, of all heads of the first batch entry, are held to a recurrence in double
over the first tokens, and outputs and states of all tokens to each other. Wants torch, and Triton for fla.
"""
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import types

import torch

WIDTH = 128
PREFIX = 256  # tokens that the recurrence in double reads
AGREES = 2**-6  # of the norm; both round to bf16 several times on the way
GIVEN = {"linear-attention", "retnet", "mamba-2", "delta-net", "gated-delta-net"}
EVERY_COLUMN = {"falcon-2", "falcon-2a"}
NO_PREDICTION = {"falcon-1a", "falcon-2a", "falcon-3a", "linear-attention", "retnet", "mamba-2"}


class Shape(ctypes.Structure):
    _fields_ = [("rule", ctypes.c_char_p)] + [(n, ctypes.c_int64) for n in ("window", "batch", "time", "heads")]


class Arrays(ctypes.Structure):
    _fields_ = [(n, ctypes.c_void_p) for n in ("q", "k", "v", "o", "size", "forget", "state", "workspace")] + [("bytes", ctypes.c_size_t)]


def library(path):
    lib = ctypes.CDLL(path)
    lib.fwa_workspace.argtypes = [ctypes.POINTER(Shape), ctypes.POINTER(ctypes.c_size_t)]
    lib.fwa_attend.argtypes = [ctypes.POINTER(Shape), ctypes.POINTER(Arrays), ctypes.c_void_p]
    lib.fwa_workspace.restype = lib.fwa_attend.restype = ctypes.c_char_p
    return lib


def succeed(answer):
    if answer is not None:
        raise RuntimeError(answer.decode())


class Problem:
    """The tokens of a row, and the steps and pairs that follow from them."""

    def __init__(self, row):
        self.rule, self.B = row["rule"], row["window"]
        self.shape = (row["batch"], row["tokens"], row["heads"])
        self.given, self.columns = self.rule in GIVEN, WIDTH if self.rule in EVERY_COLUMN else 1
        dice = torch.Generator(device="cuda").manual_seed(1)
        normal = lambda: torch.randn(*self.shape, WIDTH, device="cuda", generator=dice).bfloat16()
        unit = lambda n: torch.rand(*self.shape, n, device="cuda", generator=dice)
        self.q, self.k, self.v = normal(), normal(), normal()
        self.size = unit(self.columns) / 160 if self.given else unit(self.columns)
        self.forget = 1 - unit(1) / 20 * (self.rule != "delta-net") if self.given else 8 * unit(1)
        if self.given:
            self.x, self.eta, self.gamma = self.k, self.size, self.forget
            return
        self.x = torch.zeros_like(self.k)
        self.x[:, 1:] = self.k[:, :-1]
        if self.rule == "falcon-3":
            return  # no peer: its λ_max is not made here
        count = self.counts().view(1, -1, 1, 1)
        squares = sum(self.back(self.x.float().square().sum(-1, keepdim=True), i) for i in range(self.B))
        energy = squares / count.clamp(min=1)
        self.eta = self.size / (energy + self.forget)
        self.gamma = (1 - self.eta * self.forget).clamp(min=1e-6)
        self.eta[:, 0], self.gamma[:, 0] = 0, 1

    def counts(self):
        """Pairs in the window of each token; the first shifted pair is none."""
        return torch.arange(self.shape[1], device="cuda").clamp(max=self.B) if not self.given else torch.ones(self.shape[1], device="cuda")

    def back(self, a, i):
        """Row t − i in place of row t, zeros before the first."""
        if i == 0:
            return a
        moved = torch.zeros_like(a)
        moved[:, i:] = a[:, :-i]
        return moved

    def bytes(self):
        """Each input read once, each output written once."""
        tokens = self.q.numel() * 2 * 4 + (self.size.numel() + self.forget.numel()) * 4
        return tokens + self.shape[0] * self.shape[2] * WIDTH * WIDTH * 4

    def reference(self):
        """o of the first batch entry's first tokens by the recurrence, in double."""
        T = min(PREFIX, self.shape[1])
        first = lambda a: a[0, :T].double()
        q, x, v, eta, gamma = map(first, (self.q, self.x, self.v, self.eta, self.gamma))
        S = torch.zeros(self.shape[2], WIDTH, WIDTH, dtype=torch.double, device="cuda")
        out = []
        for t in range(T):
            S_before, oldest = S, max(t + 1 - self.B, 0 if self.given else 1)
            S = S * gamma[t, :, None, :]
            for j in range(oldest, t + 1):
                seen = torch.einsum("hdv,hd->hv", S_before, x[j])
                rho = 0 if self.rule in NO_PREDICTION else gamma[t] if self.rule == "gated-delta-net" else 1
                S = S + x[j][:, :, None] * (eta[t] / (t + 1 - oldest) * (v[j] - rho * seen))[:, None, :]
            out.append(torch.einsum("hdv,hd->hv", S, q[t]))
        return torch.stack(out)


def ours(lib, p):
    s = Shape(p.rule.encode(), p.B, *p.shape)
    size = ctypes.c_size_t()
    succeed(lib.fwa_workspace(ctypes.byref(s), ctypes.byref(size)))
    o = torch.full_like(p.q, float("nan"))
    state = torch.full((p.shape[0], p.shape[2], WIDTH, WIDTH), float("nan"), device="cuda")
    room = torch.empty(size.value, dtype=torch.uint8, device="cuda")
    a = Arrays(*(x.data_ptr() for x in (p.q, p.k, p.v, o, p.size, p.forget, state, room)), size.value)

    def call():
        succeed(lib.fwa_attend(ctypes.byref(s), ctypes.byref(a), torch.cuda.current_stream().cuda_stream))
        return o, state

    call.keeps = (p, room)
    return call


def package(name, folder):
    """A package whose own __init__ does not run: fla's loads every operator and model."""
    module = types.ModuleType(name)
    module.__path__, module.__all__ = [str(folder)], []
    sys.modules[name] = module
    return module


def fla(folder):
    os.environ["FLA_DISABLE_BACKEND_DISPATCH"] = "1"
    sys.path.insert(0, str(folder))
    for part in ("layers", "models", "ops", "modules"):
        package(f"fla.{part}", folder / "fla" / part)
    import fla as root
    from fla.ops.delta_rule.chunk import chunk_delta_rule
    from fla.ops.gated_delta_rule.chunk import chunk_gated_delta_rule
    from fla.ops.gated_delta_rule.fused_recurrent import fused_recurrent_gated_delta_rule
    from fla.ops.gla.fused_recurrent import fused_recurrent_gla
    from fla.ops.simple_gla.chunk import chunk_simple_gla

    commit = os.environ.get("FWA_FLA_COMMIT")
    if not commit and (folder / ".git").exists():
        commit = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()

    def call_of(p):
        """fla's name of the call, and the call, or None: points of fla's equations that are this rule."""
        how = {"scale": 1.0, "output_final_state": True}
        one = lambda a: a.squeeze(-1).contiguous()
        if p.rule == "falcon-1":  # fla predicts after the decay: targets γv and steps η / γ undo that
            v, g, beta = (p.v * p.gamma).bfloat16(), one(p.gamma.log()), one(p.eta / p.gamma)
            return "chunk_gated_delta_rule", lambda: chunk_gated_delta_rule(p.q, p.x, v, g, beta, **how)
        if p.rule == "gated-delta-net":
            g, beta = one(p.gamma.log()), one(p.eta)
            return "chunk_gated_delta_rule", lambda: chunk_gated_delta_rule(p.q, p.x, p.v, g, beta, **how)
        if p.rule == "delta-net":
            beta = one(p.eta)
            return "chunk_delta_rule", lambda: chunk_delta_rule(p.q, p.x, p.v, beta, **how)
        if p.rule in ("falcon-1a", "retnet"):
            v, g = (p.v * p.eta).bfloat16(), one(p.gamma.log())
            return "chunk_simple_gla", lambda: chunk_simple_gla(p.q, p.x, v, g=g, **how)
        if p.rule == "falcon-2":
            v, gv, beta = (p.v * p.gamma).bfloat16(), p.gamma.log().contiguous(), (p.eta / p.gamma).contiguous()
            return "fused_recurrent_gated_delta_rule", lambda: fused_recurrent_gated_delta_rule(p.q, p.x, v, gv=gv, beta=beta, **how)
        if p.rule == "falcon-2a":
            v, gv = (p.v * p.eta).bfloat16(), p.gamma.log().contiguous()
            return "fused_recurrent_gla", lambda: fused_recurrent_gla(p.q, p.x, v, gv=gv, **how)
        if p.rule == "falcon-3a":  # B rows a token: the decay on the first, the query on the last
            b, t, h = p.shape
            weight = p.eta / p.counts().clamp(min=1).view(1, -1, 1, 1)
            there = lambda i: (torch.arange(t, device="cuda") > i).view(1, -1, 1, 1)
            rows = lambda parts: torch.stack(parts, 2).reshape(b, t * p.B, h, -1).bfloat16().contiguous()
            ages = range(p.B - 1, -1, -1)
            x = rows([p.back(p.x, i) for i in ages])
            v = rows([torch.where(there(i), p.back(p.v, i) * weight, 0) for i in ages])
            q = rows([torch.zeros_like(p.q)] * (p.B - 1) + [p.q])
            g = torch.zeros(b, t, p.B, h, device="cuda")
            g[:, :, 0] = one(p.gamma.log())
            g = g.reshape(b, t * p.B, h)

            def call():
                o, state = chunk_simple_gla(q, x, v, g=g, **how)
                return o[:, p.B - 1 :: p.B], state

            return f"chunk_simple_gla, {p.B} rows a token", call
        return None

    return call_of, {"fla": root.__version__, "fla_commit": commit}


def by_events(call, repeats):
    times = []
    for i in range(repeats + 3):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times[3:])


def by_graph(call, calls=4):
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return by_events(graph.replay, 15) / calls


def timed(call):
    once = by_events(call, 3)
    return {"events": once, "graph": once} if once > 3000 else {"events": by_events(call, 30), "graph": by_graph(call)}


def error(got, want):
    """‖got − want‖ / ‖want‖; NaN where an entry is."""
    got, want = got.double(), want.double()
    return float((got - want).norm() / want.norm())


def beside(lib, call_of, row):
    p = Problem(row)
    mine = ours(lib, p)
    half = torch.empty(p.bytes() // 2, dtype=torch.uint8, device="cuda").fill_(1)
    other = torch.empty_like(half)
    found = {**row, "copy": timed(lambda: other.copy_(half))["graph"], "ours": timed(mine)}
    del half, other
    named = call_of(p) if call_of else None
    if named is None:
        return found
    found["call"], theirs = named
    (o, state), (their_o, their_state), want = mine(), theirs(), p.reference()
    T = want.shape[0]
    found["errors"] = {
        "ours": error(o[0, :T], want),
        "fla": error(their_o[0, :T], want),
        "outputs": error(o, their_o),
        "states": error(state, their_state),
        "largest": float((o.float() - their_o.float()).abs().max() / their_o.float().abs().max()),
    }
    del o, state, their_o, their_state, want
    found["agrees"] = all(e <= AGREES for e in found["errors"].values())
    if found["agrees"]:
        found["fla"] = timed(theirs)
        found["ours_again"] = timed(mine)
    return found


def main(words):
    if len(words) != 3:
        sys.exit(__doc__)
    lib = library(words[0])
    rows = json.loads(pathlib.Path(words[1]).read_text())["times_us"]
    call_of, versions = fla(pathlib.Path(os.environ["FWA_FLA"]).resolve()) if os.environ.get("FWA_FLA") else (None, {})
    found = {"torch": torch.__version__, **versions, "agrees_within": AGREES, "rows": []}
    if versions:
        found["triton"] = __import__("triton").__version__
    failed = False
    for row in rows:
        if row.get("portable", True):
            continue
        name = "{rule} B={window} {batch}, {tokens}, {heads}".format(**row)
        try:
            with torch.no_grad():
                one = beside(lib, call_of, {k: row[k] for k in ("rule", "window", "batch", "tokens", "heads")})
        except Exception as e:  # the other rows are still worth having
            failed = True
            print(f"{name}: {type(e).__name__}: {e}", flush=True)
            continue
        finally:
            torch.cuda.empty_cache()
        found["rows"].append(one)
        pathlib.Path(words[2]).write_text(json.dumps(found, indent=1) + "\n")
        failed = failed or not one.get("agrees", True)
        print(name, {k: v for k, v in one.items() if k not in row}, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
