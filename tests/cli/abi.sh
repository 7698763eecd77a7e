# Programs keep working with a later libtendril.so: abi.sh PROGRAM SOURCES [record]
# Layouts of the public structs and values of enumerations are those of abi.txt, but for what the kind of each struct allows
# (tendril.h, "Structs that grow"); with `record` the file is written anew, which is done when a version is released.
# Then callers are compiled with headers that have fewer and more members, and run with the library.
library=$(cd "$(dirname "$1")" && pwd)/libtendril.so source=$(cd "$2" && pwd)
[ -f "$library" ] || { echo 'no shared library in this build'; exit 77; }
for tool in python3 cc; do command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }; done
[ "$(getconf LONG_BIT)" = 64 ] || { echo 'abi.txt is for 64 bits'; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }

# ---- layouts: offset and length of each member as the compiler has them -------------------------------------
python3 - "$source/include/tendril" <<'PYTHON' >layout.c || fail 'the headers were not understood'
import re, sys
from pathlib import Path

headers = ["tendril.h", "accuracy.h", "control.h", "tools.h", "generate.h", "view.h", "gradient.h", "estimate.h"]
print("#include <stdio.h>", *[f'#include "tendril/{h}"' for h in headers], "int main(void) {", sep="\n")
for header in headers:
    text = (Path(sys.argv[1]) / header).read_text()
    plain = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)
    for match in re.finditer(r"^typedef struct (\w+) \{(.*?)^\} \1;", plain, re.S | re.M):
        name = match.group(1)
        before = re.search(r"((?:^//[^\n]*\n)+)\Z", text[:match.start()], re.M)
        kind = re.search(r"\((Options|Answers|Results|Fixed)\b[^)]*\.\)\s*\Z", before.group(1)) if before else None
        kind = "fixed" if name == "td_state" else kind and kind.group(1).lower()
        if not kind:
            sys.exit(f"{header}: the comment of {name} does not end with its kind")
        print(f'  printf("{kind} {name} %zu\\n", sizeof({name}));')
        for line in match.group(2).split(";"):
            line = re.sub(r"\(\*(\w+)\)\s*\(.*\)", r"\1", line, flags=re.S)  # a pointer to a function
            for member in re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:,|\Z)", line.strip()):
                print(f'  printf("  {name}.{member} %zu %zu\\n", offsetof({name}, {member}), sizeof((({name}*)0)->{member}));')
    for match in re.finditer(r"^(?:typedef )?enum \w* ?\{(.*?)\}", plain, re.S | re.M):
        for name in re.findall(r"\b(TD_[A-Z0-9_]+)\b(?!\()", match.group(1)):
            if name not in ("TD_STATUS_LIST", "TD_STATUS_COUNT", "TD_", "TD_SOLVERS", "TD_SOLVER_VALUE", "TD_SOLVER_COUNT"):
                print(f'  printf("value {name} %d\\n", (int){name});')
    for name in re.findall(r"^  X\((\w+), \"", plain, re.M):
        print(f'  printf("value TD_{name} %d\\n", (int)TD_{name});')
    for name in re.findall(r"^  X\((\w+), \w+, *\\?$|^  X\((\w+), \w+, \"", plain, re.M):
        name = "SOLVER_" + "".join(name)
        print(f'  printf("value TD_{name} %d\\n", (int)TD_{name});')
print("  return 0;\n}")
PYTHON
cc -I"$source/include" layout.c -o layout && ./layout >now.txt || fail 'the headers do not compile'
[ "$(grep -c '^options' now.txt)" -ge 9 ] && [ "$(wc -l <now.txt)" -ge 320 ] || fail 'the headers were not understood'
if [ "$3" = record ]; then cp now.txt "$source/tests/cli/abi.txt"; exit; fi

python3 - "$source/tests/cli/abi.txt" now.txt <<'PYTHON' || fail 'the layout has changed; CONTRIBUTING.md says how to add to a struct'
import sys

def read(path):
    structs, facts = {}, {}
    for line in open(path):
        words = line.split()
        if words[0] in ("options", "answers", "results", "fixed"):
            structs[words[1]] = (words[0], int(words[2]))
        else:
            facts[words[-2] if words[0] == "value" else words[0]] = words[1 + (words[0] == "value"):]
    return structs, facts

(structs, facts), (structs_now, facts_now) = read(sys.argv[1]), read(sys.argv[2])
wrong = [f"{name}: was {' '.join(fact)}, is {' '.join(facts_now.get(name, ['missing']))}"
         for name, fact in facts.items() if facts_now.get(name) != fact]
for name, (kind, size) in structs.items():
    kind_now, size_now = structs_now.get(name, ("missing", 0))
    if kind_now != kind or size_now < size or (kind == "fixed" and size_now != size):
        wrong.append(f"{name}: was {kind} of {size} bytes, is {kind_now} of {size_now}")
for name, fact in facts_now.items():
    struct = name.split(".")[0]
    if name in facts or struct not in structs:
        continue
    kind, size = structs[struct]
    if kind == "fixed":
        wrong.append(f"{name}: {struct} is fixed")
    elif kind in ("options", "answers") and int(fact[0]) < size:
        wrong.append(f"{name}: lies inside the older struct; is it the last, with TD_ADDED before it?")
for line in wrong:
    print(line)
sys.exit(bool(wrong))
PYTHON

# ---- callers of other versions -------------------------------------------------------------------------------
cat >caller.c <<'C'
#include <stdio.h>
#include "tendril/control.h"
#include "tendril/generate.h"
#include "tendril/gradient.h"
#include "tendril/view.h"

#ifdef __cplusplus
#define NONE nullptr
#else
#define NONE NULL
#endif

int main(void) {
  td_spec* spec = td_spec_new();
  td_model* model = NONE;
  td_spec_load_string(spec, "m.m", "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
                                   "joint(1).dof(1).spring.coeff = 2; joint(1).dof(1).init = 0.1;");
  if (td_model_compile(spec, &model) != TD_OK) return 1;
  td_work* work = td_work_new(model);
  td_state* state = td_state_new(model);
  td_state_initial(model, work, state);
  struct { td_sizes sizes; int guard; } n = {td_model_sizes(model), 77};
  struct { td_equil_result result; int guard; } found;
  found.guard = 77;
  td_equil_options e = td_equil_options_default();
  td_sim_options o = td_sim_options_default();
  o.t_final = 0.1, o.dt_out = 0.05;
#ifdef NEWER
  if (n.sizes.nnew != 0 || o.fast) return 2;
#endif
  td_trajectory* run = NONE;
  const td_status simulated = td_simulate(model, work, state, &o, &run);
  const td_status at_rest = td_equilibrium(model, work, state, &e, &found.result);
  printf("%d %d %d %d %d %d", n.sizes.nq, (int)simulated, td_trajectory_rows(run), (int)at_rest, n.guard, found.guard);
  td_trajectory_free(run);
#ifdef NEWER
  o.fast = true;
  run = NONE;
  printf(" %d", (int)td_simulate(model, work, state, &o, &run));
  td_trajectory_free(run);
#endif
  td_state_free(state);
  td_work_free(work);
  td_model_free(model);
  td_spec_free(spec);
  return 0;
}
C
try() { # try WHO WANT COMPILER FLAGS...: the caller, compiled with the headers in ./WHO
  local who=$1 want=$2; shift 2
  "$@" -Wall -Wextra -Werror -I"$work/$who" -o caller "$library" -Wl,-rpath,"$(dirname "$library")" ||
    fail "a caller with headers that are $who does not compile"
  local got; got=$(./caller) || fail "a caller with headers that are $who: $got"
  [ "$got" = "$want" ] || fail "a caller with headers that are $who gets '$got', not '$want'"
}
for who in these older newer; do mkdir $who && cp -r "$source/include/tendril" $who/; done
sed -i -e '/^  bool code_always;/d; /^  int nmemory;/d; /^  TD_ADDED /d' -e '/^  char note\[256\];  \/\/ why none/d' older/tendril/tendril.h
sed -i -e 's|^} td_sim_options;|  TD_ADDED bool fast;\n&|; s|^} td_sizes;|  TD_ADDED int nnew;\n&|' newer/tendril/tendril.h
for who in older newer; do
  cmp -s these/tendril/tendril.h $who/tendril/tendril.h && fail "the headers that are $who are these"
done
try these '1 0 3 0 77 77' cc caller.c
try older '1 0 3 0 77 77' cc caller.c
try newer '1 0 3 0 77 77 2' cc -DNEWER caller.c
if command -v c++ >/dev/null; then
  cp caller.c caller.cc
  try these '1 0 3 0 77 77' c++ caller.cc
  try newer '1 0 3 0 77 77 2' c++ -DNEWER caller.cc
fi
echo "$(wc -l <now.txt) facts, callers of three versions"
