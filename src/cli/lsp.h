// The language server: documents, and answers about them.  Messages are JSON-RPC over the standard
// input and output (Language Server Protocol 3.17); positions count UTF-16 units, as there.
#ifndef TD_CLI_LSP_H
#define TD_CLI_LSP_H

#include "cli/cli.h"

typedef struct document {
  char *uri, *path, *text;
  td_editor_text* read;  // NULL: not read since the last change
  td_spec* spec;         // of the last check, for values of params; NULL: none
  cJSON* messages;       // of the last check, an array for each uri; NULL: none
  bool changed;          // since the last check
} document;

// ---- documents (lsp_documents.c) --------------------------------------------------------------

// Send a message to the client, which is freed.
void lsp_send(cJSON* message);

document* lsp_find(const char* uri);  // NULL: it is not open
bool lsp_open(const char* uri, const char* text);
// Apply contentChanges; false: they are not understood, and the text is as it was.
bool lsp_change(document* d, const cJSON* changes);
void lsp_close(const char* uri);
void lsp_close_all(void);
// Check a document that changed and publish its messages; false: none has.
bool lsp_check_one(void);
// What is in the text, read when it is needed first; NULL: no memory.
const td_editor_text* lsp_read(document* d);
// Offset of {"line", "character"}; -1: it is none.  A position behind a line is its end.
int lsp_offset(const char* text, const cJSON* position);
cJSON* lsp_range(const char* text, int begin, int end);
char* lsp_uri_of(const char* path);  // to be freed

// ---- answers (lsp_answers.c): a result, or NULL with *error set ---------------------------------

cJSON* lsp_completion(document* d, int offset);
cJSON* lsp_hover(document* d, int offset);
cJSON* lsp_definition(document* d, int offset);
cJSON* lsp_symbols(document* d);
cJSON* lsp_formatting(document* d);
// With a new name: the changes; without: the range of the name that would be changed.
cJSON* lsp_rename(document* d, int offset, const char* name, char* error, size_t size);

#endif
