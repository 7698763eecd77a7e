# The recipes of CONTRIBUTING.md ("To add"): adding.sh PROGRAM SOURCES
# For each kind of thing an example of the sources is copied under another name and listed once more, in copies of the
# headers.  Everything that reads the lists must compile; without the new files something is missing for the linker, with
# them nothing is.
build=$(dirname "$1")
[ -f "$build/compile_commands.json" ] || { echo 'no compile_commands.json in this build'; exit 77; }
command -v nm >/dev/null && command -v python3 >/dev/null || { echo 'nm or python3 is missing'; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

python3 - "$build" "$2" "$work" <<'PYTHON'
import json, os, re, shlex, subprocess, sys
build, source, work = sys.argv[1:]
read = lambda path: open(os.path.join(source, path), encoding='utf-8').read()

# thing, header with its list, list, example, new name, files of the example
things = [
    ('force', 'src/model/model.h', 'TD_FORCES', 'magnet', 'pebble',
     ['src/model/build_magnet.c', 'src/engine/force_magnet.c', 'src/gen/derive_magnet.c']),
    ('joint', 'src/model/model_tree.h', 'TD_HOPS', 'slot', 'groove',
     ['src/model/build_slot.c', 'src/engine/hop_slot.c', 'src/gen/derive_slot.c']),
    ('rod model', 'src/model/model.h', 'TD_ROD_MODELS', 'ebr', 'twig', []),
    ('basis', 'src/elem/basis.h', 'TD_BASES', 'fourier', 'wavelet', ['src/elem/basis_fourier.c']),
    ('shape', 'src/elem/shape.h', 'TD_SHAPES', 'plane', 'wedge', ['src/elem/shape_plane.c']),
    ('sensor', 'src/model/sensor.h', 'TD_SENSOR_LIST', 'com', 'heart', ['src/engine/sensor_com.c', 'src/gen/derive_com.c']),
    ('solver', 'include/tendril/tendril.h', 'TD_SOLVERS', 'adams', 'eve', ['src/solve/time/adams.c']),
    ('structure', 'src/model/structure.h', 'TD_STRUCTURES', 'chamber', 'bladder', ['src/model/chamber.c']),
    ('command', 'src/cli/commands.h', 'COMMANDS', 'video', 'movie', ['src/cli/cmd_video.c']),
]
rod = '''#include "model/rods.h"
td_status td_build_rod_twig(builder* b, int rod) { return td_build_rod_ebr(b, rod); }
td_status td_refine_rod_twig(builder* b, int rod) { return td_refine_rod_ebr(b, rod); }
'''

def renamed(text, old, new):
    for a, b in ((old, new), (old.upper(), new.upper())):
        text = re.sub(r'(?<![A-Za-z])' + a + r'(?![A-Za-z])', b, text)
    return text

def copied(text, old, new):
    """The file under the new name: only what it shows to the linker is renamed."""
    shown = re.findall(r'^(?!static\b)[a-z][\w* ]*\b(\w+)(?= = \{|\()', text, re.M)
    for symbol in shown: text = re.sub(r'\b' + symbol + r'\b', renamed(symbol, old, new), text)
    return text

def put(path, text):
    os.makedirs(os.path.dirname(os.path.join(work, path)), exist_ok=True)
    open(os.path.join(work, path), 'w', encoding='utf-8').write(text)
    return path

# list every thing once more, and copy the files of its example
headers, stems = {}, []  # (new file, file whose flags it has, thing)
for thing, header, name, old, new, files in things:
    text = headers.get(header) or read(header)
    found = re.search(r'#define ' + name + r'\(X\)(?:.*\\\n)*.*\n', text)
    entry = re.search(r'\n  X\((?:[^()]|\([^()]*\))*\b' + old + r'\b(?:[^()]|\([^()]*\))*\)', found.group()) if found else None
    assert entry, f'{header} has no line of {name} for {old}'
    first = found.start() + entry.start()
    headers[header] = text[:first] + renamed(entry.group(), old, new) + ' \\' + text[first:]
    for path in files:
        stems.append((put(re.sub(old + r'(?=\.c$)', new, path), copied(read(path), old, new)), path, thing))
    if thing == 'rod model':
        stems.append((put('src/model/build_twig.c', rod), 'src/model/build_rods.c', thing))
for header, text in headers.items():
    put(header, text)

# the files that read the lists
lists = re.compile(r'\b(' + '|'.join(t[2] for t in things) + r'|TD_MODEL_ARRAYS)\(')
tables = [os.path.relpath(os.path.join(folder, name), source) for folder, _, names in os.walk(os.path.join(source, 'src'))
          for name in names if name.endswith('.c')]
tables = sorted(p for p in tables if 'src/gen/fmu' not in p and lists.search(read(p))) + ['src/cli/main.c']

commands = {}
for c in json.load(open(os.path.join(build, 'compile_commands.json'))):
    if 'fmu_engine' not in c['command']: commands.setdefault(os.path.relpath(c['file'], source), c['command'])

def compile(path, like, symbols):
    args = [a for a in shlex.split(commands[like]) if not re.match(r'-(O|g|M|fsanitize|flto)|.*ccache$', a)]
    for name in ('-o', '-c'):
        del args[args.index(name):args.index(name) + 2]
    args = [a for a in args if not a.endswith('.d') and not a.endswith('.c.o')]
    out = os.path.join(work, re.sub(r'\W', '_', path) + '.o')
    file = os.path.join(work, path) if os.path.exists(os.path.join(work, path)) else os.path.join(source, path)
    done = subprocess.run(args[:1] + ['-I' + work + '/src', '-I' + work + '/include'] + args[1:] + ['-O0', '-c', file, '-o', out],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'FAILED: {path} does not compile with the new lines:\n{done.stderr}')
    for line in subprocess.run(['nm', out], capture_output=True, text=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        symbols[kind == 'U'].add(name)

in_tables, in_stems = (set(), set()), {t[0]: (set(), set()) for t in things}
for path in tables: compile(path, path, in_tables)
for path, like, thing in stems: compile(path, like, in_stems[thing])

bad = 0
for thing, header, name, old, new, files in things:
    mine = re.compile(r'(^|_)(' + new + '|' + new.upper() + r')(_|$)')
    asked = {s for s in in_tables[1] if mine.search(s)}
    made = in_stems[thing][0]
    lacking = {s for s in asked | in_stems[thing][1] if mine.search(s)} - made - in_tables[0]
    print(f'{thing:10} {len(files) or 1} files and a line of {name}: {", ".join(sorted(asked))}')
    if not asked: bad = print(f'FAILED: nothing asks for the new {thing}') or 1
    if lacking: bad = print(f'FAILED: the new {thing} still lacks {", ".join(sorted(lacking))}') or 1
sys.exit(bad)
PYTHON
