# A fixed few of the mutated models and files of tools/mutants (a thousand: tools/mutants --count 1000): no crash, no
# sanitizer report, no message missing, nothing that takes long.
. "$(dirname "$0")/common.bash"
python3 "$source/tools/mutants" --program "$program" --seed 7 --count 50 --keep found --cpu 10 || fail 'see above'
finish
