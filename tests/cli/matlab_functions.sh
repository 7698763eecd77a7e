# Functions and idioms of MATLAB give what Octave gives: matlab_functions.m runs in both.  Octave's lines are kept in
# matlab_functions.expected; where it is installed it prints them again.
. "$(dirname "$0")/common.bash"
text=$source/tests/cli/matlab_functions
"$program" check "$text.m" >ours.txt 2>stderr.txt
grep 'error:' stderr.txt | grep -v 'the model has no body' && fail 'a function is not understood'
diff "$text.expected" ours.txt || fail 'a function gives something else than Octave'
if command -v octave >/dev/null; then
  octave --no-gui -q "$text.m" >octave.txt 2>/dev/null
  diff "$text.expected" octave.txt >/dev/null || echo "this version of Octave prints other lines"
fi
finish
