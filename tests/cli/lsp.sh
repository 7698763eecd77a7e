# tendril lsp, by a client that does what editors do.
. "$(dirname "$0")/common.bash"
command -v python3 >/dev/null || exit 77
python3 "$source/tests/cli/lsp_client.py" "$program" "$source" || fail 'the language server'
expect 1 lsp model.m
finish
