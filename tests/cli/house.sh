# The page about the house is true to the files: house.sh PROGRAM SOURCES
# Every file that docs/architecture.md and CONTRIBUTING.md name exists, and so do the lists and functions named beside them.
# Every work that a comment of the sources cites as [key] or [key, sec. n] has its entry in docs/references.bib.
cd "$2" || exit 1
bad=0
for page in docs/architecture.md CONTRIBUTING.md; do
  for path in $(grep -o '`[A-Za-z_]*/[A-Za-z_/.0-9]*[a-z]`' $page | tr -d '`' | sort -u); do
    [ -e "$path" ] || [ -e "include/$path" ] || case $path in build*|web/dist/*) ;; *) echo "$page names $path, which is not there"; bad=1 ;; esac
  done
done
for name in $(grep -o '`\(TD_[A-Z_]*\|td_[a-z_]*\)`' docs/architecture.md | tr -d '`' | sort -u); do
  grep -rqw "$name" include src || { echo "docs/architecture.md names $name, which is not there"; bad=1; }
done
# formulas are tested where they live: each file of elem by the test of its name, or of its family where a table is walked
for file in src/elem/*.[ch]; do
  stem=$(basename "${file%.*}")
  [ -f "tests/unit/elem/test_$stem.c" ] || [ -f "tests/unit/elem/test_${stem%%_*}.c" ] || { echo "$file has no test"; bad=1; }
done
# the compiler is tested by the tests of its files' names, in the folder where their results show; tables that other tests walk
# need none: sensor (test_fields), solver (test_solvers), hop_words (test_hops)
for file in src/model/*.c; do
  stem=$(basename "$file" .c)
  case $stem in sensor|solver|hop_words) continue ;; esac
  ls tests/unit/*/"test_$stem.c" >/dev/null 2>&1 || { echo "$file has no test"; bad=1; }
done
for key in $(grep -rhoE '//.*' src include | grep -oE '\[[a-z]+(19|20)[0-9]{2}[a-z]?[],]' | tr -d '[],' | sort -u); do
  grep -qE "^@[a-z]+\{$key," docs/references.bib || { echo "a comment cites [$key], which docs/references.bib does not have"; bad=1; }
done
[ $bad = 0 ] && echo 'all that the page names is there'
exit $bad
