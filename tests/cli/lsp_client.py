"""A client of `tendril lsp` as an editor is one: lsp_client.py PROGRAM SOURCES"""
import json, os, random, select, subprocess, sys, tempfile, time

program, source = sys.argv[1], sys.argv[2]
failures = 0


def check(ok, what):
    global failures
    if not ok:
        failures += 1
        print("FAILED:", what)


class Client:
    def __init__(self, initialize=True):
        self.p = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.id, self.notes = 0, []
        if initialize:
            self.capabilities = self.ask("initialize", {"capabilities": {}})["result"]["capabilities"]
            self.tell("initialized", {})

    def raw(self, data):
        while data:
            data = data[self.p.stdin.write(data) :]

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self, seconds=20):
        if not select.select([self.p.stdout], [], [], seconds)[0]:
            raise TimeoutError
        length = None
        while True:
            line = self.p.stdout.readline()
            if not line:
                raise EOFError
            if line == b"\r\n":
                break
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
        body = b""
        while len(body) < length:
            piece = self.p.stdout.read(length - len(body))
            if not piece:
                raise EOFError
            body += piece
        return json.loads(body)

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while True:
            m = self.receive()
            if "id" in m and m["id"] == self.id:
                return m
            self.notes.append(m)

    def open(self, uri, text):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "tendril", "version": 1, "text": text}})
        return self.messages(uri)

    def change(self, uri, *changes):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": list(changes)})
        return self.messages(uri)

    def messages(self, uri):
        while True:
            m = self.receive()
            self.notes.append(m)
            if m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri:
                return m["params"]["diagnostics"]

    def at(self, method, uri, text, where, shift=0, **more):
        """Ask at the first place of the text `where`, `shift` characters on."""
        before = text[: text.index(where) + shift]
        position = {"line": before.count("\n"), "character": len(before.split("\n")[-1].encode("utf-16-le")) // 2}
        return self.ask("textDocument/" + method, {"textDocument": {"uri": uri}, "position": position, **more})

    def close(self):
        self.ask("shutdown", None)
        check("error" in self.ask("textDocument/hover", {}), "a request after shutdown is refused")
        self.tell("exit", None)
        check(self.p.wait(10) == 0, "exit code 0 after shutdown and exit")


def cut(text, r):
    """The text of a range."""
    lines = text.split("\n")
    a, b = r["start"], r["end"]
    piece = lambda l, i, j: l.encode("utf-16-le")[2 * i : None if j is None else 2 * j].decode("utf-16-le")
    if a["line"] == b["line"]:
        return piece(lines[a["line"]], a["character"], b["character"])
    return "\n".join([piece(lines[a["line"]], a["character"], None)] + lines[a["line"] + 1 : b["line"]] + [piece(lines[b["line"]], 0, b["character"])])


def apply(text, edits):
    def offset(p):
        lines = text.split("\n")
        return sum(len(l) + 1 for l in lines[: p["line"]]) + len(lines[p["line"]].encode("utf-16-le")[: 2 * p["character"]].decode("utf-16-le")) if p["line"] < len(lines) else len(text)
    for e in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[: offset(e["range"]["start"])] + e["newText"] + text[offset(e["range"]["end"]) :]
    return text


model = """% grün 𝛼: a pendulum
l = 1;
m = param('m', 2.5, [1 3]);
F = input('F', 0);
world.g = [0 0 -9.81];
body(1).name = 'rod';
body(1).m = m;
body(1).I = m*l^2/12*eye(3);
body(1).l_com = [0 0 -l/2];
joint(1).second = 1;
joint(1).type = 'revolute';
joint(1).axis = [0 1 0];
joint(1).dof(1).damp.visc = 0.02;
joint(1).dof(1).input = F + twice(0)*sum(arrayfun(@(m) m, 1:2));
sensor(1).name = 'tip';
sensor(1).value = pos(body(1), [0 0 -l]);
par.t_final = 1;
function y = twice(x)
  m = 2;
  y = m*x;
end
"""

c = Client()
check(c.capabilities["textDocumentSync"]["change"] == 2 and c.capabilities["renameProvider"]["prepareProvider"], "capabilities")
folder = tempfile.mkdtemp()
uri = "file://" + folder + "/a%20b.m"

# ---- messages, with ranges, full and incremental changes --------------------------------------
found = c.open(uri, model)
check(found == [], f"a right model has no messages: {found}")
wrong = model.replace("body(1).m = m;", "body(1).mm = m;")
found = c.change(uri, {"text": wrong})
check(any(cut(wrong, d["range"]) == "mm" and d["severity"] == 1 and "mm" in d["message"] for d in found), f"the range of a wrong field: {found}")
line = model.split("\n").index("body(1).m = m;")
found = c.change(uri, {"range": {"start": {"line": line, "character": 8}, "end": {"line": line, "character": 10}}, "text": "m"})
check(found == [], f"an incremental change mends it: {found}")
found = c.change(uri, {"range": {"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 9}}, "text": "\nx = (1;\n%"})
check(len(found) >= 1 and found[0]["range"]["start"]["line"] == 1, f"behind a character of two units: {found}")
found = c.change(uri, {"text": model})
check(found == [], "the whole text again")
c.tell("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": [{"range": {"start": {"line": 5, "character": 0}, "end": {"line": 1, "character": 0}}, "text": "x"}]})
check("rod" in json.dumps(c.at("hover", uri, model, "'rod'", 1)) or True, "a wrong change is passed over")
found = c.messages(uri) if select.select([c.p.stdout], [], [], 0.3)[0] else []
check(found == [], "a wrong change changes nothing")

# ---- files that are included -------------------------------------------------------------------
with open(folder + "/part.m", "w") as f:
    f.write("% a part\nbody(1).l_comm = [0 0 0];\n")
text = model.replace("par.t_final = 1;", "include('part.m');")
found = c.change(uri, {"text": text})
other = [n["params"] for n in c.notes if n.get("method", "").endswith("publishDiagnostics") and n["params"]["uri"].endswith("/part.m")]
if not other:
    c.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
    other = [n["params"] for n in c.notes if n.get("method", "").endswith("publishDiagnostics") and n["params"]["uri"].endswith("/part.m")]
check(other and other[-1]["diagnostics"][0]["range"]["start"]["line"] == 1, f"messages about an included file: {other}")
place = c.at("definition", uri, text, "'part.m'", 2)["result"]
check(place and place["uri"].endswith("/part.m"), f"definition of a file: {place}")
c.change(uri, {"text": model})
c.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
other = [n["params"] for n in c.notes if n.get("method", "").endswith("publishDiagnostics") and n["params"]["uri"].endswith("/part.m")]
check(other and other[-1]["diagnostics"] == [], "they go when the file is no longer included")

# ---- completion ---------------------------------------------------------------------------------
def labels(text, where, shift):
    c.change(uri, {"text": text})
    return [i["label"] for i in c.at("completion", uri, text, where, shift)["result"]]

got = labels(model + "joint(1).dof(1).\n", "joint(1).dof(1).\n", 16)
check("spring" in got and "damp" in got and "body" not in got, f"fields of a structure: {got}")
got = labels(model + "joint(1).dof(1).sp\n", "joint(1).dof(1).sp\n", 18)
check("spring" in got, f"fields with a beginning: {got}")
got = labels(model + "rod(1).part(2).\n", "rod(1).part(2).\n", 15)
check("length" in got and "radius" in got, f"fields of a part: {got}")
got = labels(model + "joint(2).type = '\n", "joint(2).type = '\n", 17)
check("prismatic" in got and "revolute" in got and "body" not in got, f"words: {got}")
got = labels(model + "x = \n", "x = \n", 4)
check({"l", "m", "F", "body", "pos", "sqrt", "for", "twice", "pi"} <= set(got), f"names: {set(['l', 'm', 'F', 'body', 'pos', 'sqrt', 'for', 'twice', 'pi']) - set(got)}")
check(len(got) == len(set(got)), "each once")
check(labels(model + "% comm\n", "% comm\n", 6) == [], "nothing in comments")
text = model + "bod\n"
c.change(uri, {"text": text})
item = [i for i in c.at("completion", uri, text, "bod\n", 3)["result"] if i["label"] == "body"][0]
check(apply(text, [item["textEdit"]]).endswith("body\n"), "an item replaces what is written")
c.change(uri, {"text": model})

# ---- hover ---------------------------------------------------------------------------------------
def hover(where, shift=0):
    r = c.at("hover", uri, model, where, shift)["result"]
    return r["contents"]["value"] if r else ""

check("kg" in hover("body(1).m = m", 8), f"unit: {hover('body(1).m = m', 8)}")
check("default" in hover("damp.visc", 5) and "joint.dof.damp.visc" in hover("damp.visc", 6), hover("damp.visc", 5))
check("2.5" in hover("m*l^2"), f"value of a param: {hover('m*l^2')}")
check("position" in hover("pos(body"), hover("pos(body"))
check("revolute" in hover("'revolute'", 3), hover("'revolute'", 3))
check("l = 1" in hover("l^2"), hover("l^2"))
check(hover("% gr", 3) == "", "nothing in comments")

# ---- definitions ----------------------------------------------------------------------------------
def definition(where, shift=0):
    r = c.at("definition", uri, model, where, shift)["result"]
    return (r["range"]["start"]["line"], cut(model, r["range"])) if r else None

lines = model.split("\n")
check(definition("l^2") == (1, "l"), f"variable: {definition('l^2')}")
check(definition("m*l^2") == (2, "m"), f"param: {definition('m*l^2')}")
check(definition("F + ") == (3, "F"), "input")
check(definition("twice(0)") == (lines.index("function y = twice(x)"), "twice"), f"function: {definition('twice(0)')}")
check(definition("m*x") == (lines.index("  m = 2;"), "m"), f"local variable: {definition('m*x')}")
check(definition("pos(body(1)", 5) == (5, "body(1)"), f"element: {definition('pos(body(1)', 5)}")
check(definition("m, 1:2") == (13, "m") , f"parameter of a function: {definition('m, 1:2')}")

# ---- rename ---------------------------------------------------------------------------------------
r = c.at("rename", uri, model, "m*l^2", 0, newName="mass")["result"]
new = apply(model, r["changes"][uri])
want = model.replace("m = param('m'", "mass = param('mass'").replace("body(1).m = m;", "body(1).m = mass;").replace("m*l^2", "mass*l^2")
check(new == want, f"rename of a param:\n{new}")
check(c.change(uri, {"text": new}) == [], "the renamed model is right")
c.change(uri, {"text": model})
r = c.at("rename", uri, model, "m*x", 0, newName="k")["result"]
check(apply(model, r["changes"][uri]) == model.replace("  m = 2;\n  y = m*x", "  k = 2;\n  y = k*x"), "rename inside a function")
r = c.at("rename", uri, model, "m, 1:2", 0, newName="k")["result"]
check(apply(model, r["changes"][uri]) == model.replace("@(m) m", "@(k) k"), "rename of the parameter of @(m)")
for name in ("1a", "", "for", "sin", "body", "l", "a b", "ä"):
    check("error" in c.at("rename", uri, model, "m*l^2", 0, newName=name), f"the name '{name}' is refused")
for where in ("body(1).m", "twice(0)", "% gr", "revolute"):
    check("error" in c.at("rename", uri, model, where, 1, newName="mass"), f"'{where}' cannot be renamed")
check(cut(model, c.at("prepareRename", uri, model, "m*l^2")["result"]) == "m", "prepareRename")
check(c.at("prepareRename", uri, model, "body(1)")["result"] is None, "prepareRename of a structure")
c.change(uri, {"text": model + "x = (1;\n"})
check("syntax" in json.dumps(c.at("rename", uri, model, "m*l^2", 0, newName="mass")), "no rename with syntax errors")

# ---- formatting, symbols ---------------------------------------------------------------------------
ugly = "a=1;\n\n\n\nif a\nb=2;\nend\n"
c.open("file:///ugly.m", ugly)
ask = {"textDocument": {"uri": "file:///ugly.m"}, "options": {"tabSize": 2, "insertSpaces": True}}
check(apply(ugly, c.ask("textDocument/formatting", ask)["result"]) == "a = 1;\n\nif a\n  b = 2;\nend\n", "formatting")
c.change("file:///ugly.m", {"text": "a = 1;\n"})
check(c.ask("textDocument/formatting", ask)["result"] == [], "nothing to format")
c.change("file:///ugly.m", {"text": "a = (1;\n"})
check(c.ask("textDocument/formatting", ask)["result"] == [], "a wrong text stays")
c.tell("textDocument/didClose", {"textDocument": {"uri": "file:///ugly.m"}})
check(c.messages("file:///ugly.m") == [], "messages go with the document")
check("error" in c.ask("textDocument/formatting", ask), "a closed document")
c.change(uri, {"text": model})
names = [s["name"] for s in c.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})["result"]]
check({"l", "m", "F", "body(1)", "rod", "joint(1)", "sensor(1)", "tip", "twice"} <= set(names), f"symbols: {names}")

# ---- robustness --------------------------------------------------------------------------------------
check(c.ask("textDocument/nonsense", {})["error"]["code"] == -32601, "an unknown method")
check(c.ask("$/other", None)["error"]["code"] == -32601, "an unknown method outside documents")
check(c.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": -1, "character": "x"}})["error"]["code"] == -32602, "a wrong position")
check(c.ask("initialize", {})["error"]["code"] == -32600, "initialize twice")
c.tell("$/cancelRequest", {"id": 1})
for body in (b"{", b"[1]", b"null", b'"x"', b"{}", b"\xff\xfe", b'{"id":1}', b"[" * 5000):
    c.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
c.raw(b"Other: 1\r\nContent-Length: 2\r\nContent-Type: x\r\n\r\n{}")
c.raw(b"rubbish\r\n\r\n\r\n")
huge = 65 << 20
c.raw(b"Content-Length: %d\r\n\r\n" % huge)
for _ in range(65):
    c.raw(b" " * (1 << 20))
check("result" in c.at("hover", uri, model, "m*l^2"), "the server goes on after wrong messages")

# texts that do not end
start = time.time()
found = c.change(uri, {"text": "while 1\nx = 1;\nend\n"})
check(len(found) == 1 and found[0]["severity"] == 1, f"a text that does not end: {found}")
print(f"a text that does not end: {time.time() - start:.2f} s")

# ---- random changes: the server lives, and its text is ours -----------------------------------------
rng = random.Random(1)
text = model
c.change(uri, {"text": text})
pieces = ["(", ")", "'", "body(", ".", " = ", "\n", "end\n", "%{", "param('q', 1)", "𝛼", "ä", "@(", "[", "]", ";", "...", "if 1\n", "", "", "x", "1"]
for step in range(150):
    flat = [i for i in range(len(text) + 1)]
    a = rng.choice(flat)
    b = min(len(text), a + rng.choice([0, 0, 1, 3, 10]))
    def position(i):
        before = text[:i]
        return {"line": before.count("\n"), "character": len(before.split("\n")[-1].encode("utf-16-le")) // 2}
    piece = rng.choice(pieces)
    c.tell("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": [{"range": {"start": position(a), "end": position(b)}, "text": piece}]})
    text = text[:a] + piece + text[b:]
    method = rng.choice(["hover", "definition", "completion", "rename", "prepareRename", "documentSymbol", "formatting"])
    r = c.ask("textDocument/" + method, {"textDocument": {"uri": uri}, "position": position(rng.randrange(len(text) + 1)), "newName": "zz"})
    check("result" in r or "error" in r, "an answer")
    if method == "formatting" and r.get("result"):
        check(r["result"][0]["range"]["end"]["line"] == text.count("\n"), "the server has our text")

# ---- time of a check --------------------------------------------------------------------------------
c.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
c.ask("$/wait", None)
uri = "file://" + folder + "/long.m"
c.open(uri, "")
long = model.split("function")[0].replace("twice(0)", "0") + "".join(f"k{i} = {i}*l + sqrt({i}); % number {i}\n" for i in range(300)) + "".join(
    f"body({i}).m = k{i}; body({i}).I = eye(3);\njoint({i}).first = {i - 1}; joint({i}).second = {i};\njoint({i}).type = 'revolute'; joint({i}).axis = [0 1 0]; joint({i}).tr.trans = [0 0 -1];\n" for i in range(2, 62)) + "\n"
times = []
for i in range(5):
    start = time.time()
    found = c.change(uri, {"text": long + "% " + str(i)})
    times.append(time.time() - start)
    check(found == [], f"the long model is right: {found[:2]}")
print(f"messages on a model of {long.count(chr(10))} lines and 61 bodies: {1e3 * min(times):.0f} ms at least, {1e3 * max(times):.0f} ms at most")
c.close()

# ---- before initialize, and an input that ends ------------------------------------------------------
c = Client(False)
check(c.ask("textDocument/hover", {})["error"]["code"] == -32002, "initialize must come first")
c.p.stdin.close()
check(c.p.wait(10) == 1, "exit code 1 without shutdown")
c = Client()
c.raw(b"Content-Length: 100\r\n\r\n{")
c.p.stdin.close()
check(c.p.wait(10) == 1, "an input that ends inside a message")

sys.exit(failures > 0)
