# SPDX-License-Identifier: Apache-2.0
"""Makes mutants of include/fwa and counts those that the tests notice.

Every mutant is compiled, behind a number: a statement becomes `if (that number runs) mutated; else original;`, an initialiser or a
condition likewise (mutant.hpp). The rewritten headers lie in build/mutate/include, the tests that are built against them are listed in
CMakeLists.txt, an oracle a program. A mutant runs in the oracles that reach its statement; it is killed by one that fails, crashes,
or computes longer than 5 s and four times its own time. What does not compile is dropped and counted.

--file PATTERN   headers to mutate, as in form/*.hpp      --sample N, --seed S   N mutants drawn at random
--oracle NAME    only these                               --list                 print the mutants and stop
--until-killed   the quickest oracle first, and no other once one kills: the score without the whole matrix
--minutes M      no mutant is begun later than that after the oracles are built; they run in random order, so those that ran are a sample
--resume         what build/mutate/results.jsonl says is not asked again, but for survivors of other code or tests: after a run that was cut
                 short, after work on survivors, or with more oracles
--sensitivity    no mutants: see measure()                --at-least PERCENT     status 1 below that score
"""
import argparse
import bisect
import fnmatch
import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from clang.cindex import CursorKind as K, Index

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "build" / "mutate"
ORACLES = re.findall(r"^oracle\((\w+)", (HERE / "CMakeLists.txt").read_text(), re.M)
# What is only looked at before everything is compiled: by folder, else the last.
PROBES = {
    "batch/": ["tests/batch/heads_test.cpp", "tests/batch/npy_test.cpp"],
    "number/": ["tests/number/dual_test.cpp", "tests/number/running_error_test.cpp", "tests/number/prime_field_test.cpp"],
    "verify/": ["tests/verify/certificate_test.cpp"],
    "step/": ["tests/step/schedule_test.cpp", "tests/support/instances.cpp"],
    "form/memory.hpp": ["tests/attend_test.cpp"],
    "form/paper/": ["tests/form/paper/paper_test.cpp"],
    "form/": ["property_tests/exact/forms_agree_over_fractions_test.cpp"],
    "objective.hpp": ["tests/objective_test.cpp"],
    "": ["tests/support/instances.cpp"],
}
UNTOUCHED = ("reference/*", "verify/problem.hpp", "scalar.hpp", "fwa.hpp", "number/eigen.hpp", "number/rational.hpp", "number/digits.hpp")
ARID_FUNCTIONS = {"refuse", "to_text", "operator<<"}

BINARY = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "<": "<=", "<=": "<",
          ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<"}
PAIRS = ("eta gamma,weight gamma,x y,x_ y_,i j,e f,t j,begin end,dx dv,q k,q_ x_,lambda epsilon,E D,B n,B t,n c,up down,low high,to_x_ to_q_,"
         "first c,count dv,mask_ decay_,seen_ gram_,fresh_ oldest_,known end,old end,C first,M b,i k,above low")
ALWAYS = "rows cols,topRows bottomRows,leftCols rightCols,head tail,min max,front back,row col"
ENUMS = {"residual": "zero one gamma", "timing": "read_after_write read_before_write", "pairing": "shifted same_step",
         "ridge": "absolute scale_coupled", "denominator": "nonnegative sign_stable", "step_law": "normalised given",
         "feature": "identity rms_norm l2_norm elu_plus_one relu", "form": "recurrent masked chunk chunk_scan", "prefix": "product log_space"}
TOKEN = re.compile(r"""//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d+(?:\.\d*)?(?:e[-+]?\d+)?\w*|<<=|>>=|<=>|->|\+\+|--|&&|"""
                   r"""\|\||<<|>>|::|[-+*/%=!<>]=|\S""")
SCALAR = re.compile(r"(?:fwa::)?(?:index_t|int|bool|double|long double|std::size_t|std::uint64_t|T|S|F|L|wide|lane|lane_rows<T, N>|(?:mat|row)<[TS]>|"
                    r"ridge|timing|feature|denominator|form|pairing|step_law|residual)")
FUNCTIONS = {K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD, K.CONSTRUCTOR, K.CONVERSION_FUNCTION}
CLASSES = {K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE}


def swaps(names):
    pairs = [pair.split() for pair in names.split(",")]
    return {a: [y for x in pairs if a in x for y in x if y != a] for a in {n for pair in pairs for n in pair}}


PAIRS, ALWAYS = swaps(PAIRS), swaps(ALWAYS)


def clean(text):
    """On one line, without comments."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


def readable(text):
    return text.encode("latin-1").decode()


def without_literals(text):
    """As long, but what stands between quotes is underlines."""
    return re.sub(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", lambda m: m[0][0] + "_" * (len(m[0]) - 2) + m[0][0], text)


def split(text, separator=","):
    """At separators outside brackets."""
    parts, depth = [""], 0
    for c, sign in zip(text, without_literals(text)):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


class Site:
    """A place of one header, and the texts that may stand there instead. `kind` is statement, value or order."""

    def __init__(self, header, kind, start, end, variants, constant=False, type="", before="", after="", other=None):
        self.header, self.kind, self.start, self.end, self.type, self.constant = header, kind, start, end, type, constant
        self.before, self.after, self.other = before, after, other
        self.variants = variants  # (operator, text)
        self.within, self.place = header.within, ""

    @property
    def original(self):
        return self.before + clean(self.header.text[self.start : self.end]) + self.after

    def line(self):
        return self.header.text.count("\n", 0, self.start) + 1


class Header:
    """One file and its sites."""

    def __init__(self, name, numerical):
        self.name, self.numerical = name, numerical
        self.text = (ROOT / "include/fwa" / name).read_bytes().decode("latin-1")  # bytes, as libclang counts
        self.sites, self.function, self.within, self.constant = [], "", "", False  # where walk() is

    def of(self, c):
        return self.text[c.extent.start.offset : c.extent.end.offset]

    def walk(self, c):
        kids = list(c.get_children())
        outer = self.function, self.within, self.constant
        if c.kind in CLASSES:
            self.within = c.spelling
        if c.kind in FUNCTIONS:
            text = self.of(c)
            head = text.split("{")[0]
            if c.spelling in ARID_FUNCTIONS or "consteval" in head:  # consteval: the compiler alone runs it
                return
            self.function, self.within, self.constant = text, c.spelling.split("<")[0], "constexpr" in head
        if c.kind == K.COMPOUND_STMT:
            for s in kids:
                self.statement(s)
            self.orders(kids)
        elif c.kind in (K.IF_STMT, K.WHILE_STMT, K.FOR_STMT, K.CXX_FOR_RANGE_STMT):
            self.branch(c, kids)
        elif c.kind in (K.CASE_STMT, K.DEFAULT_STMT):
            self.statement(kids[-1])
        elif c.kind == K.FIELD_DECL and "=" in self.of(c):
            self.declaration(c, constant=True)
        for x in kids:
            self.walk(x)
        self.function, self.within, self.constant = outer

    def branch(self, c, kids):
        start = c.extent.start.offset
        opening = self.text.index("(", start)
        depth, closing, signs = 1, opening, without_literals(self.text[opening : c.extent.end.offset])
        while depth:
            closing += 1
            depth += (signs[closing - opening] == "(") - (signs[closing - opening] == ")")
        head = [x for x in kids if x.extent.end.offset <= closing]
        for x in kids:
            if x.extent.start.offset > closing and x.kind != K.COMPOUND_STMT:
                self.statement(x)
        if c.kind == K.CXX_FOR_RANGE_STMT or self.text[start:opening].strip() == "if constexpr" or self.text[:start].rstrip().endswith("#endif"):
            return
        parts, at = [], opening + 1
        for part in split(self.text[opening + 1 : closing], ";"):
            parts.append((at, at + len(part)))
            at += len(part) + 1
        for x in head:
            if x.kind == K.DECL_STMT:
                self.statement(x)
        extra = [("condition", "true"), ("condition", "false")] if c.kind == K.IF_STMT else []
        condition, *step = [parts[1], parts[2]] if c.kind == K.FOR_STMT else [parts[-1]]
        for part, type in [(condition, "bool"), *((x, "void") for x in step)]:
            a, b = self.trim(*part)
            if type == "bool" and " = " in self.text[a:b]:  # declares what the branch uses
                continue
            around = clean(self.text[start:a]) + " " * self.text[a - 1].isspace(), clean(self.text[b : closing + 1])
            self.value(c, a, b, type, *around, extra if type == "bool" else [])

    def trim(self, start, end):
        text = self.text[start:end]
        return start + len(text) - len(text.lstrip()), start + len(text.rstrip())

    def value(self, c, start, end, type, before, after, extra=(), itself="[]"):
        if start < end and "[&" not in self.text[start:end] and "[](" not in self.text[start:end]:
            found = [(o, t) for o, t in self.mutations(c, start, end) if itself not in re.findall(r"\w+", t)]  # no variable starts from itself
            self.add("value", start, end, found + list(extra), type=type, before=before, after=after)

    def declaration(self, c, type=None, constant=None):
        text, start = self.of(c), c.extent.start.offset
        name = re.search(rf"\b{re.escape(c.spelling)}\b(?=\s*[=({{;]|$)", text)
        if not name:
            return
        type = type or clean(re.sub(r"\bconst\b", "", text[: name.start()]))
        rest = text[name.end() :]
        if not SCALAR.fullmatch(type):
            return
        if rest.lstrip().startswith("="):
            begin = start + name.end() + rest.index("=") + 1
            end = c.extent.end.offset
        elif rest.startswith("(") and rest.endswith(")") and len(split(rest[1:-1])) == 1:
            begin, end = start + name.end() + 1, c.extent.end.offset - 1
        else:
            return
        if constant is not None:
            self.function, self.constant = self.of(c), constant
        begin, end = self.trim(begin, end)
        if self.text[begin] != "{":
            self.value(c, begin, end, type, f"{type} {c.spelling} = ", "", itself=c.spelling)

    def statement(self, s):
        if s.kind == K.DECL_STMT:
            text = self.of(s)
            kids = [x for x in s.get_children() if x.kind == K.VAR_DECL]
            if not kids or re.match(r"(static\s+)?constexpr|static", text):
                return
            if lead := re.match(rf"(.*?)\b{re.escape(kids[0].spelling)}\b(?=\s*[=({{;,])", text, re.S):
                for x in kids:
                    self.declaration(x, clean(re.sub(r"\bconst\b", "", lead[1])))
            return
        start, end = s.extent.start.offset, self.text.find(";", s.extent.end.offset - 1) + 1
        text = self.text[start:end]
        if s.kind == K.RETURN_STMT:
            if any(x.kind == K.LAMBDA_EXPR for x in s.walk_preorder()):
                return
            self.add("statement", start, end, self.mutations(s, start, end) + ([("deletion", ";")] if text == "return;" else []))
        elif s.kind in (K.BREAK_STMT, K.CONTINUE_STMT):
            self.add("statement", start, end, [("deletion", ";")])
        elif s.kind.is_expression() and not re.match(r"refuse|fail\(|(detail::)?require_each\(\s*function", text) and ".reserve(" not in text:
            found = [("deletion", ";")]
            if not any(x.kind == K.LAMBDA_EXPR for x in s.walk_preorder()) and not re.match(r"(detail::)?require_", text):
                condition = re.match(r"require\(", text) and split(text[len("require(") : -2])[0]  # what follows is the message
                limit = start + len("require(") + len(condition) if condition else end
                found += self.mutations(s, start, limit, tail=self.text[limit:end])
            self.add("statement", start, end, found)

    def orders(self, kids):
        """Neighbours in the other order: a read before a write, a decay after it."""
        for a, b in zip(kids, kids[1:]):
            if not all(x.kind.is_expression() or x.kind in (K.IF_STMT, K.FOR_STMT) for x in (a, b)):
                continue
            texts = [self.text[x.extent.start.offset : self.text.find(";", x.extent.end.offset - 1) + 1] for x in (a, b)]
            roots = [re.match(r"(?!if|for)\*?((?:\w+(?:\.|->))*?\w+)(?=(?:\.|->)\w+\(|\([^=]* [-+*/]?= |\s[-+*/]?=\s)", t) for t in texts]
            apart = all(roots) and roots[0][1] not in texts[1] and roots[1][1] not in texts[0]
            if not apart and not any(re.search(r"\[&|\[\]\(|\brequire|\breturn\b|\bfail\(|\bonce\(|\bexpect\(|const\b|\{", t) for t in texts):
                start, other = a.extent.start.offset, b.extent.start.offset
                self.sites.append(Site(self, "order", start, other + len(texts[1]), [("order", clean(texts[1]) + " " + clean(texts[0]))],
                                       self.constant, other=other))

    def add(self, kind, start, end, found, **more):
        site = Site(self, kind, start, end, [], self.constant, **more)
        seen = {clean(self.text[start:end])}
        for original, mutated in self.numerical:
            if original == readable(site.original):
                text = mutated.encode().decode("latin-1")
                found.append(("numerical", text[len(site.before) : len(text) - len(site.after)]))
        for operator, text in found:
            text = clean(text)
            if text not in seen:
                seen.add(text)
                site.variants.append((operator, text))
        if site.variants:
            self.sites.append(site)

    def mutations(self, c, start, end, tail=""):
        """All changes of the text [start, end), from its tokens and from its expressions."""
        text, found = self.text[start:end], []

        def put(operator, a, b, new):
            found.append((operator, text[:a] + new + text[b:] + tail))

        tokens = [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(text) if not m.group().startswith("//")]
        for n, (word, a, b) in enumerate(tokens):
            spaced = text[a - 1 : a].isspace() and text[b : b + 1].isspace()
            last = tokens[n - 1][0] if n else "("
            if spaced and word in BINARY:
                put("comparison" if word in "<= >= == !=" else "logical" if word in "&& ||" else "arithmetic", a, b, BINARY[word])
            elif word == "-" and not spaced and not re.match(r"[\w)\]]", last) or word == "-" and last == "return":
                put("arithmetic", a, b, "")
            elif word == "!":
                put("logical", a, b, "")
            elif word in ("true", "false"):
                put("logical", a, b, "false" if word == "true" else "true")
            elif word.isdigit() and last != "<":
                for other in ["1"] if word == "0" else ["2"] if word == "1" and last in "+-" else [str(int(word) - 1), str(int(word) + 1)]:
                    put("constant", a, b, other)
            elif re.match(r"\d", word):
                put("constant", a, b, f"(2 * {word})")
            elif last == "::" and n > 1 and tokens[n - 2][0] in ENUMS and word in ENUMS[tokens[n - 2][0]].split():
                values = ENUMS[tokens[n - 2][0]].split()
                put("enumerator", a, b, values[(values.index(word) + 1) % len(values)])
            elif re.match(r"[A-Za-z_]", word) and last != "::" or word in ("min", "max"):
                for other in ALWAYS.get(word, []):
                    if text[b : b + 1] in "(<":
                        put("name", a, b, other)
                for other in PAIRS.get(word, []):
                    member = last in (".", "->") and other in ("x", "y", "weight", "gamma")
                    if member or re.search(rf"\b{other}\b", self.function) and not (word in ("begin", "end") and text[b : b + 1] == "("):
                        put("name", a, b, other)

        for d in c.walk_preorder():
            a, b = d.extent.start.offset - start, d.extent.end.offset - start
            kids = list(d.get_children())
            if not (0 <= a < b <= end - start) or text[:a].endswith("::"):  # to libclang std::same_as<T, S> begins after std::
                continue
            parts = [(x.extent.start.offset - start, x.extent.end.offset - start) for x in kids]
            if d.kind == K.CONDITIONAL_OPERATOR and len(parts) == 3:
                for p in parts[1:]:
                    put("branch", a, b, text[slice(*p)])
            elif d.kind in (K.BINARY_OPERATOR, K.CALL_EXPR) and len(parts) >= 2 and parts[0][0] == a and parts[-1][1] == b:
                if text[parts[0][1] : parts[-1][0]].strip() in ("+", "-", "*", "/", "%", "&&", "||"):
                    put("operand", a, b, text[slice(*parts[0])])
                    put("operand", a, b, text[slice(*parts[-1])])
            elif d.kind == K.CALL_EXPR and (call := re.match(r"std::(?:min|max|clamp)(?:<[\w:]+>)?\(", text[a:b])):
                for argument in split(text[a + call.end() : b - 1])[:2]:
                    put("operand", a, b, argument.strip())
        return found


def numbered(headers):
    """All mutants: (number, site, operator, text)."""
    mutants = []
    for h in headers:
        for s in h.sites:
            for operator, text in s.variants:
                mutants.append((len(mutants) + 1, s, operator, text))
    return mutants


def render(header, chosen):
    """The header with these mutants in it, each on a line of its own that ends in its number."""
    edits = []
    for s in header.sites:
        mine = [(n, text) for n, site, _, text in chosen if site is s]
        if not mine:
            continue
        q = "::mutation::constexpr_" if s.constant else "::mutation::"
        gate = f"{q}any({mine[0][0]}, {mine[-1][0]})"
        s.mark = mine[0][0]
        if s.kind == "order":
            n, later = mine[0][0], clean(header.text[s.other : s.end])
            edits += [(s.start, 0, f"if ({gate}) {{\n{later} /*{n}*/\n}} "), (s.other, 1, f"if ({gate}) {{}} else ")]
        elif s.kind == "statement":
            chain = "".join(f"if ({q}is({n})) {{ {text} }} /*{n}*/\nelse " for n, text in mine[:-1])
            edits.append((s.start, 2, f"if ({gate}) {{\n{chain}{{ {mine[-1][1]} }} /*{mine[-1][0]}*/\n}} else "))
        else:
            cast = f"static_cast<{s.type}>"
            chain = "".join(f"{q}is({n}) ? {cast}({text}) : /*{n}*/\n" for n, text in mine[:-1])
            edits += [(s.start, 2, f"({gate} ? (\n{chain}{cast}({mine[-1][1]}) /*{mine[-1][0]}*/\n) : {cast}("), (s.end, 0, "))")]
    return spliced(header.text, [(at, text) for at, _, text in sorted(edits)])


def spliced(text, edits):
    if not edits:
        return text
    out, at = "#include <mutant.hpp>\n", 0
    for position, new in edits:
        out += text[at:position] + new
        at = position
    return out + text[at:]


def write_headers(texts):
    """All of include/, the mutated ones rewritten; files that stay equal keep their date."""
    for source in (ROOT / "include").rglob("*.hpp"):
        name = str(source.relative_to(ROOT / "include/fwa"))
        new = texts[name].encode("latin-1") if name in texts else source.read_bytes()
        place = OUT / "include/fwa" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_bytes() != new:
            place.write_bytes(new)


def guilty(log, headers):
    """Numbers of the mutants that the compiler's errors lead to."""
    where, after, gate = {}, {}, ()
    for h in headers:
        for i, line in enumerate((OUT / "include/fwa" / h.name).read_bytes().decode("latin-1").split("\n"), 1):
            if found := re.findall(r"/\*(\d+)\*/", line):
                where[h.name, i] = int(found[0])
            elif line.startswith("} else return"):  # in a lambda a return of another type before it
                after[h.name, i] = gate
            if found := re.findall(r"any\((\d+), (\d+)\)\) \{$", line):
                gate = range(int(found[-1][0]), int(found[-1][1]) + 1)
    lines = log.split("\n")
    at = [i for i, line in enumerate(lines) if re.search(r": (?:fatal )?error: ", line)]

    def leads_to(i, end):
        """The error, then whence it was instantiated."""
        places = [m.groups() for line in lines[i:end] for m in re.finditer(r"include/fwa/([\w/.]+\.hpp):(\d+)", line)]
        places = [(os.path.normpath(name), int(line)) for name, line in places]
        return next(([where[p]] if p in where else after[p] for p in places if p in where or p in after), [])

    # What cannot be parsed, then what does not compile: calls of it are errors too, where nothing is wrong.
    for kind in ": error: expected ", ": error: (?!no matching )", ": ":
        if numbers := {n for i, end in zip(at, [*at[1:], len(lines)]) if re.search(kind, lines[i]) for n in leads_to(i, end)}:
            return numbers
    return set()


def build(oracles):
    """The compiler's log where something does not compile."""
    tree = str(OUT / "build")
    configure = ["cmake", "-S", str(HERE), "-B", tree, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++", f"-DFWA_MUTATED={OUT}/include"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run(["cmake", "--build", tree, "-j", str(os.cpu_count()), "--target", *oracles, "--", "-k", "0"], capture_output=True,
                          text=True, errors="replace")
    return made.stdout if made.returncode else ""


def probe(source):
    """The same of one test, only looked at: sooner."""
    flags = ["-std=c++20", "-w", "-fsyntax-only", "-ferror-limit=0", "-ftemplate-backtrace-limit=0", "-DEIGEN_INITIALIZE_MATRICES_BY_NAN"]
    folders = [f"-I{OUT}/include", f"-I{HERE}", f"-I{ROOT}/tests", "-isystem", "/usr/include/eigen3"]
    looked = subprocess.run(["clang++", *flags, *folders, str(ROOT / source)], capture_output=True, text=True, errors="replace")
    return looked.stderr if looked.returncode else ""


def key(m):
    """What names a mutant: place, original, mutated."""
    return m[1].place, readable(m[1].original), readable(m[1].before + m[3] + m[1].after)


def compile_all(headers, chosen, oracles):
    """Builds the oracles, dropping mutants that do not compile, now or the last time. Returns those that do."""
    names = {m[1].header.name for m in chosen}
    sources = sorted({p for n in names for p in next(v for k, v in PROBES.items() if n.startswith(k))})
    file = OUT / "do_not_compile.json"
    broken = {tuple(k) for k in json.loads(file.read_text())} if file.exists() else set()
    left = [m for m in chosen if key(m) not in broken]
    while True:
        write_headers({h.name: render(h, left) for h in headers})
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            log = "".join(pool.map(probe, sources)) or build(oracles)
        if not log:
            return left
        bad = guilty(log, headers) & {m[0] for m in left}
        if not bad:
            sys.exit(log[-6000:] + "\nmutate: an error without a mutant")
        print(f"{len(bad)} do not compile", flush=True)
        broken |= {key(m) for m in left if m[0] in bad}
        file.write_text(json.dumps(sorted(broken)))
        left = [m for m in left if m[0] not in bad]


def passes(oracle, seconds, **environment):
    """Within so many seconds of processor time, which does not depend on what else the machine does."""
    env = dict(os.environ, OMP_NUM_THREADS="1", RC_PARAMS="seed=1 noshrink=1", **{k: str(v) for k, v in environment.items()})

    def limits():
        for what, most in ((resource.RLIMIT_CPU, int(seconds)), (resource.RLIMIT_AS, 8 << 30), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(what, (most, most))

    return subprocess.run([str(OUT / "build" / oracle), "--abort-after=1"], env=env, preexec_fn=limits, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def baseline(oracles):
    """The unmutated library passes. Returns the sites that each oracle reaches, and how long it takes."""
    reached, seconds = {}, {}
    for o in oracles:
        file = OUT / f"{o}.reached"
        file.unlink(missing_ok=True)
        before = os.times()
        if not passes(o, 1800, FWA_MUTANT=0, FWA_REACHED=file):
            sys.exit(f"mutate: {o} fails on the library as it is")
        seconds[o] = os.times().children_user - before.children_user
        reached[o] = {int(n) for n in file.read_text().split()} if file.exists() else set()
        print(f"{o}: passes in {seconds[o]:.1f} s, reaches {len(reached[o])} sites", flush=True)
    return reached, {o: 5 + 4 * s for o, s in seconds.items()}


def digest():
    """Of all that a verdict hangs on."""
    kinds = "hpp", "cpp", "npy", "json"
    files = sorted(f for d in ("include", "tests", "property_tests", "program") for e in kinds for f in (ROOT / d).rglob("*." + e))
    files += [HERE / "CMakeLists.txt", ROOT / "proofs/cases.v"]
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()


def entries(name, known=None):
    """(place, original, mutated, reason) of the entries of a list."""
    found = []
    for block in re.split(r"\n\s*\n", (HERE / name).read_text()):
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        if lines:
            places, original, mutated, *reason = lines
            numbers = re.fullmatch(r"(.*?) (\d+(?:, \d+)+)", places)  # "form/span.hpp sweep 1, 2"
            for place in [f"{numbers[1]} {n}" for n in numbers[2].split(", ")] if numbers else [places]:
                found.append((place, original[2:], mutated[2:], " ".join(r[2:] for r in reason)))
                if known is not None and found[-1][:3] not in known:
                    sys.exit(f"mutate: {name} names what is no mutant: {found[-1][:3]}")
    return found


def scaled(headers):
    """Every value that a statement of form/ and step/ makes, wrapped: (number, header, line, text), and the headers' texts."""
    sites, texts = [], {}
    by_reference = re.compile(r"& \w+\([^{};]*\{ $")  # what a function returns so cannot be a value
    for h in headers:
        edits = []

        def wrap(start, end):
            if start < end and h.text[start] != "{" and "[&" not in h.text[start:end]:
                sites.append((len(sites) + 1, h.name, h.text.count("\n", 0, start) + 1, clean(h.text[start:end])))
                edits.append((start, f"::mutation::scaled({len(sites)}, "))
                edits.append((end, ")"))

        for s in h.sites:
            text = h.text[s.start : s.end]
            if s.kind == "value" and re.fullmatch(r"T|S|L|lane|mat<.>|row<.>", s.type):
                wrap(s.start, s.end)
            elif s.kind == "statement" and (m := re.match(r'[^;"{]*? [-+*/]?= ', text)) and "require" not in text:
                wrap(s.start + m.end(), s.end - 1)
            elif s.kind == "statement" and re.match(r"return [^;]*[-+*/?]", text) and "reading<" not in text and not by_reference.search(h.text, 0, s.start):
                wrap(s.start + len("return "), s.end - 1)
        texts[h.name] = spliced(h.text, sorted(edits))
    return sites, texts


def measure(headers, oracles, sample, seed):
    """The smallest relative error of one value that each oracle sees: 1 + 2^-k, the largest k by halving, since what is seen at k is
    taken to be seen below. Floats only: an exact scalar is not perturbed."""
    sites, texts = scaled([h for h in headers if h.name.startswith(("form/", "step/"))])
    write_headers(texts)
    if log := build(oracles):
        sys.exit(log[-6000:])
    reached, limit = baseline(oracles)
    ks = list(range(4, 52, 4))

    def largest(job):
        site, o = job
        return bisect.bisect_left(ks, True, key=lambda k: passes(o, limit[o], FWA_MUTANT=site, FWA_SCALE=k))

    drawn = {s[0] for s in sites} if sample is None else set(random.Random(seed).sample([s[0] for s in sites], min(sample, len(sites))))
    jobs = [(n, o) for o in oracles for n in sorted(reached[o] & drawn)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        seen = dict(zip(jobs, pool.map(largest, jobs)))
    print("sites seen at 1 + 2^-k, of those reached in floats\nk        " + "".join(f"{k:5}" for k in ks) + "   of")
    for o in [*oracles, "any"]:
        best = {}
        for (n, by), count in seen.items():
            if o in (by, "any"):
                best[n] = max(best.get(n, 0), count)
        print(f"{o:9}" + "".join(f"{sum(b > i for b in best.values()):5}" for i in range(len(ks))) + f"{len(best):5}")
        if o == "any":
            for n, header, line, text in sites:
                if n in best and best[n] < len(ks):
                    print(f"  include/fwa/{header}:{line}: {readable(text)}: " + (f"seen to 2^-{ks[best[n] - 1]}" if best[n] else "never seen"))


def main():
    usage = argparse.ArgumentParser(prog="tools/mutate")
    usage.add_argument("--file", nargs="+", default=["*"], metavar="PATTERN")
    usage.add_argument("--sample", type=int, metavar="N")
    usage.add_argument("--seed", type=int, default=1, metavar="S")
    usage.add_argument("--oracle", nargs="+", choices=ORACLES, default=ORACLES)
    usage.add_argument("--until-killed", action="store_true")
    usage.add_argument("--minutes", type=float, default=math.inf, metavar="M")
    usage.add_argument("--resume", action="store_true")
    usage.add_argument("--at-least", type=float, default=0, metavar="PERCENT")
    usage.add_argument("--list", action="store_true")
    usage.add_argument("--sensitivity", action="store_true")
    given = usage.parse_args()

    names = sorted(str(f.relative_to(ROOT / "include/fwa")) for f in (ROOT / "include/fwa").rglob("*.hpp"))
    all_headers = "".join(f"#include <fwa/{n}>\n" for n in names)
    unit = Index.create().parse("all.cpp", ["-std=c++20", f"-I{ROOT}/include", "-isystem", "/usr/include/eigen3", "-I/usr/lib/llvm-14/lib/clang/14.0.6/include"],
                                unsaved_files=[("all.cpp", all_headers)])
    if errors := [str(d) for d in unit.diagnostics if d.severity >= 3]:
        sys.exit("\n".join(errors))
    numerical = entries("numerical.txt")
    headers = {n: Header(n, [e[1:3] for e in numerical if e[0].split()[0] == n]) for n in names if not any(fnmatch.fnmatch(n, u) for u in UNTOUCHED)}

    def top(c):
        for x in c.get_children():
            if x.kind == K.NAMESPACE:
                top(x)
            elif x.location.file and (h := headers.get(os.path.relpath(x.location.file.name, ROOT / "include/fwa"))):
                h.walk(x)

    top(unit.cursor)
    for h in headers.values():
        h.sites.sort(key=lambda s: (s.start, s.kind))
        for s in h.sites:  # "form/span.hpp sweep", and where that function has the same text again "form/span.hpp sweep 2"
            same = sorted({x.line() for x in h.sites if (x.within, x.original) == (s.within, s.original)})
            s.place = f"{h.name} {s.within}" + (f" {1 + same.index(s.line())}" if len(same) > 1 else "")
    headers = list(headers.values())

    if given.sensitivity:
        return measure(headers, given.oracle, given.sample, given.seed)

    mutants = numbered(headers)
    known = {key(m) for m in mutants}
    entries("numerical.txt", known)
    equivalent = {e[:3]: e[3] for e in entries("equivalent.txt", known)}
    chosen = [m for m in mutants if any(fnmatch.fnmatch(m[1].header.name, pattern) for pattern in given.file)]
    print(f"{len(mutants)} mutants, {len(chosen)} of {' '.join(given.file)}", flush=True)
    if given.sample is not None and given.sample < len(chosen):
        chosen = sorted(random.Random(given.seed).sample(chosen, given.sample), key=lambda m: m[0])
        print(f"{len(chosen)} drawn by seed {given.seed}", flush=True)

    def describe(m):
        place, original, mutated = key(m)
        return f"include/fwa/{m[1].header.name}:{m[1].line()}: {m[2]} in {place}\n  - {original}\n  + {mutated}"

    if given.list:
        print("\n".join(describe(m) for m in chosen))
        return

    built = compile_all(headers, chosen, given.oracle)
    reached, limit = baseline(given.oracle)
    end = time.monotonic() + 60 * given.minutes
    file = OUT / "results.jsonl"
    if not given.resume:
        file.unlink(missing_ok=True)
    earlier = {tuple(k): (found, of) for k, found, of in map(json.loads, file.read_text().splitlines())} if file.exists() else {}
    now = digest()
    quickest = sorted(given.oracle, key=limit.get)

    def kills(m):
        """By oracle, of those that reach this mutant; None where there was no time."""
        said, of = earlier.get(key(m), ({}, now))
        found = dict(said) if of == now or any(said.values()) else {}

        def left():
            done = given.until_killed and any(found.get(o) for o in given.oracle)
            return [] if done else [o for o in quickest if m[1].mark in reached[o] and o not in found]

        if not left():
            return found
        if time.monotonic() > end:
            return said or None
        while asked := left():
            found[asked[0]] = not passes(asked[0], limit[asked[0]], FWA_MUTANT=m[0])
        with open(file, "a") as results:
            results.write(json.dumps([key(m), found, now]) + "\n")
        return found

    order = random.Random(given.seed).sample(built, len(built))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = {m[0]: found for m, found in zip(order, pool.map(kills, order)) if found is not None}
    late = len(built) - len(results)
    built = [m for m in built if m[0] in results]
    killed = {(n, o): dead for n, found in results.items() for o, dead in found.items()}

    by = {m[0]: [o for o in given.oracle if killed.get((m[0], o))] for m in built}
    with open(OUT / "matrix.tsv", "w", encoding="utf-8") as table:
        print("place", "line", "operator", "original", "mutant", *given.oracle, sep="\t", file=table)
        for m in built:
            cells = {True: "killed", False: "passes", None: "-"}  # not reached, or not asked
            print(key(m)[0], m[1].line(), m[2], *key(m)[1:], *(cells[killed.get((m[0], o))] for o in given.oracle), sep="\t", file=table)
    refuted = [m for m in built if by[m[0]] and key(m) in equivalent]
    for m in refuted:
        print(f"argued equivalent, but killed by {by[m[0]]}: {describe(m)}")
    survivors = [m for m in built if not by[m[0]]]
    argued = [m for m in survivors if key(m) in equivalent]
    for m in survivors:
        if m not in argued:
            print("survives: " + describe(m) + ("" if any((m[0], o) in killed for o in given.oracle) else "\n  no oracle comes by"))
    print(f"\n{'oracle':9}{'reaches':>9}{'kills':>9}{'alone':>9}")
    for o in given.oracle:
        print(f"{o:9}{sum((m[0], o) in killed for m in built):9}{sum(o in b for b in by.values()):9}{sum(b == [o] for b in by.values()):9}")
    print(f"{len(chosen) - len(built) - late} of {len(chosen)} do not compile, {late} did not run for want of time; the whole matrix is in {(OUT / 'matrix.tsv').relative_to(ROOT)}")
    if kept := sum(any(said.values()) and of != now for said, of in (earlier.get(key(m), ({}, now)) for m in built)):
        print(f"{kept} of the kills are kept from other code or tests")
    dead, count = len(built) - len(survivors), len(built) - len(argued)
    score = 100 * dead / max(count, 1)
    bits = sum("last bits" in equivalent[key(m)] for m in argued)
    print(f"score: {score:.1f} % (killed {dead} of {count}; {len(argued)} argued equivalent, {bits} of them but for last bits)")
    sys.exit(score < given.at_least or bool(refuted))


main()
