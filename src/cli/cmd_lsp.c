// tendril lsp: a language server for editors.  Messages are read from the standard input, bounded
// in length; checks of changed texts wait until no further message is there, so that somebody who
// types fast waits for one check alone.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lsp.h"

enum { MOST_MESSAGE = 64 << 20, MOST_HEADER = 4096 };
enum {  // of JSON-RPC and of the protocol
  PARSE_ERROR = -32700,
  INVALID_REQUEST = -32600,
  METHOD_NOT_FOUND = -32601,
  INVALID_PARAMS = -32602,
  NOT_INITIALIZED = -32002,
  REQUEST_FAILED = -32803
};

// ---- the standard input and output ------------------------------------------------------------

typedef struct input {
  char buffer[65536];
  size_t begin, end;
  bool closed;
} input;

// One byte; -1: the input is closed.
static int next_byte(input* in) {
  while (in->begin == in->end && !in->closed) {
    const ssize_t n = read(STDIN_FILENO, in->buffer, sizeof in->buffer);
    if (n < 0 && errno == EINTR) continue;
    in->begin = 0;
    in->end = n > 0 ? (size_t)n : 0;
    in->closed = n <= 0;
  }
  return in->closed ? -1 : (unsigned char)in->buffer[in->begin++];
}

// Does a message wait to be read?
static bool is_waiting(const input* in) {
  struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
  return in->begin < in->end || poll(&p, 1, 0) > 0;
}

static void send_error(const cJSON* id, int code, const char* text) {
  cJSON* message = cJSON_CreateObject();
  json_add(message, "id", id ? cJSON_Duplicate(id, true) : cJSON_CreateNull());
  cJSON* error = cJSON_AddObjectToObject(message, "error");
  cJSON_AddNumberToObject(error, "code", code);
  cJSON_AddStringToObject(error, "message", text);
  lsp_send(message);
}

static void send_result(const cJSON* id, cJSON* result) {
  cJSON* message = cJSON_CreateObject();
  json_add(message, "id", cJSON_Duplicate(id, true));
  json_add(message, "result", result ? result : cJSON_CreateNull());
  lsp_send(message);
}

// Read one message, to be freed; NULL: the input ended, or *again: this one was wrong or too long,
// which is reported.
static char* read_message(input* in, size_t* size, bool* again) {
  long length = -1;
  *again = false;

  // lines of the head up to an empty one; other lines than Content-Length are skipped
  char line[MOST_HEADER];
  for (;;) {
    size_t n = 0;
    int c;
    while ((c = next_byte(in)) >= 0 && c != '\n')
      if (n + 1 < sizeof line) line[n++] = (char)c;
    if (c < 0) return NULL;
    while (n > 0 && line[n - 1] == '\r') n--;
    line[n] = '\0';
    if (n == 0 && length >= 0) break;
    if (strncmp(line, "Content-Length:", 15) == 0) {
      char* end;
      length = strtol(line + 15, &end, 10);
      if (end == line + 15 || length < 0) length = -1;
    }
  }

  // the body; one that is too long is passed over
  *again = true;
  char* text = length <= MOST_MESSAGE ? malloc((size_t)length + 1) : NULL;
  for (long i = 0; i < length; i++) {
    const int c = next_byte(in);
    if (c < 0) {
      free(text);
      *again = false;
      return NULL;
    }
    if (text) text[i] = (char)c;
  }
  if (!text) {
    send_error(NULL, INVALID_REQUEST, "the message is too long");
    return NULL;
  }
  text[length] = '\0';
  *size = (size_t)length;
  return text;
}

// ---- methods ----------------------------------------------------------------------------------

static cJSON* capabilities(void) {
  cJSON* result = cJSON_CreateObject();
  cJSON* c = cJSON_AddObjectToObject(result, "capabilities");
  cJSON* sync = cJSON_AddObjectToObject(c, "textDocumentSync");
  cJSON_AddBoolToObject(sync, "openClose", true);
  cJSON_AddNumberToObject(sync, "change", 2);  // incremental
  cJSON* completion = cJSON_AddObjectToObject(c, "completionProvider");
  cJSON* triggers = cJSON_AddArrayToObject(completion, "triggerCharacters");
  cJSON_AddItemToArray(triggers, cJSON_CreateString("."));
  cJSON_AddItemToArray(triggers, cJSON_CreateString("'"));
  static const char* const simple[] = {"hoverProvider", "definitionProvider",
                                       "documentSymbolProvider", "documentFormattingProvider"};
  for (int i = 0; i < 4; i++) cJSON_AddBoolToObject(c, simple[i], true);
  cJSON* rename = cJSON_AddObjectToObject(c, "renameProvider");
  cJSON_AddBoolToObject(rename, "prepareProvider", true);
  cJSON* about = cJSON_AddObjectToObject(result, "serverInfo");
  cJSON_AddStringToObject(about, "name", "tendril");
  cJSON_AddStringToObject(about, "version", td_version());
  return result;
}

static const char* text_at(const cJSON* object, const char* name) {
  return cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
}

// Answer a request about a document.
static void answer(const cJSON* id, const char* method, const cJSON* params) {
  const cJSON* where = cJSON_GetObjectItem(params, "textDocument");
  document* d = lsp_find(text_at(where, "uri"));
  const cJSON* position = cJSON_GetObjectItem(params, "position");
  const int offset = d && position ? lsp_offset(d->text, position) : -1;
  const char* what = method + strlen("textDocument/");
  char error[160] = "";

  // those about the whole text
  static const char* const known[] = {"documentSymbol", "formatting", "completion",   "hover",
                                      "definition",     "rename",     "prepareRename"};
  int which = -1;
  for (int i = 0; i < 7; i++)
    if (strncmp(method, "textDocument/", 13) == 0 && strcmp(what, known[i]) == 0) which = i;
  if (which < 0) {
    send_error(id, METHOD_NOT_FOUND, "this method is not known");
    return;
  }
  if (!d || (which >= 2 && offset < 0)) {
    send_error(id, INVALID_PARAMS, d ? "this is no position" : "this document is not open");
    return;
  }
  cJSON* result = NULL;
  switch (which) {
    case 0:
      result = lsp_symbols(d);
      break;
    case 1:
      result = lsp_formatting(d);
      break;
    case 2:
      result = lsp_completion(d, offset);
      break;
    case 3:
      result = lsp_hover(d, offset);
      break;
    case 4:
      result = lsp_definition(d, offset);
      break;
    case 5: {
      const char* name = text_at(params, "newName");
      result = lsp_rename(d, offset, name ? name : "", error, sizeof error);
      break;
    }
    default:
      result = lsp_rename(d, offset, NULL, error, sizeof error);
      if (!result) {
        *error = '\0';
        result = cJSON_CreateNull();
      }
  }
  if (*error) {
    cJSON_Delete(result);
    send_error(id, REQUEST_FAILED, error);
  } else {
    send_result(id, result);
  }
}

// Take a notification; those that are wrong or not known are passed over.
static void notice(const char* method, const cJSON* params) {
  const cJSON* where = cJSON_GetObjectItem(params, "textDocument");
  const char *uri = text_at(where, "uri"), *text = text_at(where, "text");
  document* d = lsp_find(uri);
  if (strcmp(method, "textDocument/didOpen") == 0 && uri && text) lsp_open(uri, text);
  if (strcmp(method, "textDocument/didChange") == 0 && d)
    lsp_change(d, cJSON_GetObjectItem(params, "contentChanges"));
  if (strcmp(method, "textDocument/didClose") == 0 && d) lsp_close(uri);
}

typedef enum phase { PHASE_NEW, PHASE_OPEN, PHASE_SHUT, PHASE_DONE } phase;

// Handle one message.
static phase handle(const cJSON* message, phase at) {
  const cJSON* id = cJSON_GetObjectItem(message, "id");
  const cJSON* params = cJSON_GetObjectItem(message, "params");
  const char* method = text_at(message, "method");
  if (!cJSON_IsObject(message) || !method) {
    // answers to requests of the server have no method; it makes none
    if (!cJSON_IsObject(message) || !id) send_error(NULL, INVALID_REQUEST, "this is no request");
    return at;
  }
  if (strcmp(method, "exit") == 0) return PHASE_DONE;
  if (!id) {
    if (at == PHASE_OPEN) notice(method, params);
    return at;
  }
  if (at == PHASE_SHUT) {
    send_error(id, INVALID_REQUEST, "the server was shut down");
  } else if (strcmp(method, "initialize") == 0) {
    if (at == PHASE_OPEN)
      send_error(id, INVALID_REQUEST, "initialize was sent before");
    else
      send_result(id, capabilities());
    return PHASE_OPEN;
  } else if (at == PHASE_NEW) {
    send_error(id, NOT_INITIALIZED, "initialize must come first");
  } else if (strcmp(method, "shutdown") == 0) {
    send_result(id, NULL);
    return PHASE_SHUT;
  } else {
    answer(id, method, params);
  }
  return at;
}

// Serve one client until it sends exit or closes the input; as the protocol has it, the exit code
// is 1 without a shutdown before.
int cmd_lsp(const options* opt) {
  (void)opt;
  input* in = calloc(1, sizeof *in);
  if (!in) return complain(CODE_NUMERICS, "out of memory");
  phase at = PHASE_NEW;
  bool shut = false, again = true;
  while (at != PHASE_DONE && again) {
    size_t size = 0;
    char* text = read_message(in, &size, &again);
    if (text) {
      cJSON* message = cJSON_ParseWithLength(text, size);
      if (message)
        at = handle(message, at);
      else
        send_error(NULL, PARSE_ERROR, "this is not JSON");
      cJSON_Delete(message);
      free(text);
    }
    shut = shut || at == PHASE_SHUT;
    while (at == PHASE_OPEN && !is_waiting(in) && lsp_check_one()) continue;
  }
  lsp_close_all();
  free(in);
  return shut ? CODE_DONE : CODE_USE;
}
