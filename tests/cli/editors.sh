# The folders for editors: their files are read, and they know all structures of the model language.
. "$(dirname "$0")/common.bash"
command -v python3 >/dev/null || exit 77
for file in "$source"/editors/vscode/*.json "$source"/editors/vscode/syntaxes/*.json; do json "$file"; done
if command -v node >/dev/null; then
  node --check "$source/editors/vscode/extension.js" || fail 'extension.js does not parse'
fi
python3 - "$program" "$source/editors" <<'PYTHON' || fail 'the editors do not know the language'
import json, re, subprocess, sys
send = lambda m: (lambda b: b"Content-Length: %d\r\n\r\n" % len(b) + b)(json.dumps({"jsonrpc": "2.0", **m}).encode())
where = {"textDocument": {"uri": "file:///a.m"}, "position": {"line": 0, "character": 0}}
asked = b"".join(map(send, [
    {"id": 1, "method": "initialize", "params": {}},
    {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a.m", "text": ""}}},
    {"id": 2, "method": "textDocument/completion", "params": where},
    {"id": 3, "method": "shutdown"}, {"method": "exit"}]))
out = subprocess.run([sys.argv[1], "lsp"], input=asked, stdout=subprocess.PIPE, check=True).stdout.decode()
answers = [json.loads(t) for t in re.split(r"Content-Length: \d+\r\n\r\n", out)[1:]]
items = next(a for a in answers if a.get("id") == 2)["result"]
roots = {i["label"] for i in items if i["kind"] == 9}
assert len(roots) > 15, roots
grammar = json.load(open(sys.argv[2] + "/vscode/syntaxes/tendril.tmLanguage.json"))
match = {p["name"]: p.get("match", "") for p in grammar["patterns"]}
for pattern in match.values():
    re.compile(pattern)
known = set(re.search(r"\(\?:([\w|]+)\)", match["support.class.tendril"].split(")", 1)[1]).group(1).split("|"))
vim = open(sys.argv[2] + "/neovim/syntax/tendril.vim").read()
known_vim = set(re.search(r"tendrilStructure (.*)", vim).group(1).split())
for name, words in (("VS Code", known), ("Neovim", known_vim)):
    if words != roots:
        print(name, "lacks", roots - words, "and has too many", words - roots)
        sys.exit(1)
PYTHON
finish
