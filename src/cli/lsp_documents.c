// Documents of the language server: their texts, positions in them, and the messages of a check.
#include <stdlib.h>
#include <string.h>

#include "cli/lsp.h"

enum { MOST_DOCUMENTS = 200, MOST_TEXT = 16 << 20 };
static document open_list[MOST_DOCUMENTS];  // by order of opening; a process serves one client
static int open_count;

void lsp_send(cJSON* message) {
  cJSON_AddStringToObject(message, "jsonrpc", "2.0");
  char* text = cJSON_PrintUnformatted(message);
  cJSON_Delete(message);
  if (!text) return;
  printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
  fflush(stdout);
  cJSON_free(text);
}

// ---- positions --------------------------------------------------------------------------------

// Bytes of the character at s and its UTF-16 units; wrong bytes count one each.
static int character(const char* s, int* units) {
  const unsigned char c = (unsigned char)*s;
  const int n = c < 0x80 ? 1 : c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  *units = n == 4 ? 2 : 1;
  for (int i = 1; i < n; i++)
    if (((unsigned char)s[i] & 0xC0) != 0x80) return *units = 1;
  return n;
}

int lsp_offset(const char* text, const cJSON* position) {
  const cJSON* line = cJSON_GetObjectItem(position, "line");
  const cJSON* column = cJSON_GetObjectItem(position, "character");
  if (!cJSON_IsNumber(line) || !cJSON_IsNumber(column) || !(line->valuedouble >= 0) ||
      !(column->valuedouble >= 0))
    return -1;
  const char* s = text;
  for (double l = 0; l < line->valuedouble; l++) {
    s += strcspn(s, "\r\n");
    if (!*s) return (int)(s - text);
    s += s[0] == '\r' && s[1] == '\n' ? 2 : 1;
  }
  for (double c = 0; c < column->valuedouble && *s && !strchr("\r\n", *s);) {
    int units;
    const int n = character(s, &units);
    s += n;
    c += units;
  }
  return (int)(s - text);
}

static cJSON* position(const char* text, int offset) {
  int line = 0, column = 0;
  for (int i = 0; i < offset && text[i];) {
    int units;
    const int n = character(text + i, &units);
    const bool crlf = text[i] == '\r' && text[i + 1] == '\n';
    if ((text[i] == '\n' || text[i] == '\r') && !crlf) {
      line++;
      column = 0;
    } else if (!crlf) {
      column += units;
    }
    i += n;
  }
  cJSON* object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "line", line);
  cJSON_AddNumberToObject(object, "character", column);
  return object;
}

cJSON* lsp_range(const char* text, int begin, int end) {
  cJSON* range = cJSON_CreateObject();
  json_add(range, "start", position(text, begin));
  json_add(range, "end", position(text, end < begin ? begin : end));
  return range;
}

// ---- addresses --------------------------------------------------------------------------------

static int hex(char c) {
  const char* digits = "0123456789abcdef";
  const char* at = c ? strchr(digits, c | 0x20) : NULL;
  return at ? (int)(at - digits) : -1;
}

// File name of an address file://...; other addresses stand for themselves.
static char* path_of(const char* uri) {
  const bool file = strncmp(uri, "file://", 7) == 0;
  char* path = format_text("%s", file ? uri + 7 : uri);
  char* out = path;
  for (const char* s = path; file && s && *s; s++) {
    const int high = *s == '%' ? hex(s[1]) : -1, low = high >= 0 ? hex(s[2]) : -1;
    const bool code = low >= 0 && (high || low);
    *out++ = code ? (char)(16 * high + low) : *s;
    if (code) s += 2;
  }
  if (file && out) *out = '\0';
  return path;
}

char* lsp_uri_of(const char* path) {
  for (int i = 0; i < open_count; i++)
    if (strcmp(open_list[i].path, path) == 0) return format_text("%s", open_list[i].uri);
  char* uri = malloc(3 * strlen(path) + 8);
  if (!uri) return NULL;
  char* out = uri + sprintf(uri, "file://");
  for (const char* s = path; *s; s++) {
    const bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                       (*s >= '0' && *s <= '9') || strchr("/._~-", *s);
    out += plain ? sprintf(out, "%c", *s) : sprintf(out, "%%%02X", (unsigned)(unsigned char)*s);
  }
  return uri;
}

// ---- opening, changing, closing ---------------------------------------------------------------

document* lsp_find(const char* uri) {
  for (int i = 0; uri && i < open_count; i++)
    if (strcmp(open_list[i].uri, uri) == 0) return &open_list[i];
  return NULL;
}

static void forget(document* d) {
  td_editor_close(d->read);
  d->read = NULL;
  d->changed = true;
}

bool lsp_open(const char* uri, const char* text) {
  document* d = lsp_find(uri);
  char* copy = strlen(text) <= MOST_TEXT ? format_text("%s", text) : NULL;
  if (!copy || (!d && open_count == MOST_DOCUMENTS)) {
    free(copy);
    return false;
  }
  if (!d) {
    d = &open_list[open_count];
    *d = (document){.uri = format_text("%s", uri), .path = path_of(uri)};
    if (!d->uri || !d->path) {
      free(d->uri);
      free(d->path);
      free(copy);
      return false;
    }
    open_count++;
  }
  free(d->text);
  d->text = copy;
  forget(d);
  return true;
}

bool lsp_change(document* d, const cJSON* changes) {
  char* text = format_text("%s", d->text);
  const cJSON* change;
  bool ok = text && cJSON_IsArray(changes);
  cJSON_ArrayForEach(change, changes) {
    if (!ok) break;
    const char* put = cJSON_GetStringValue(cJSON_GetObjectItem(change, "text"));
    const cJSON* range = cJSON_GetObjectItem(change, "range");
    ok = put && strlen(put) + strlen(text) <= MOST_TEXT;
    if (!ok) break;

    // a part of the text, or all of it
    int begin = 0, end = (int)strlen(text);
    if (range) {
      begin = lsp_offset(text, cJSON_GetObjectItem(range, "start"));
      end = lsp_offset(text, cJSON_GetObjectItem(range, "end"));
      ok = begin >= 0 && begin <= end;
      if (!ok) break;
    }
    char* next = format_text("%.*s%s%s", begin, text, put, text + end);
    ok = next != NULL;
    if (!next) break;
    free(text);
    text = next;
  }
  if (!ok) {
    free(text);
    return false;
  }
  free(d->text);
  d->text = text;
  forget(d);
  return true;
}

// ---- messages ---------------------------------------------------------------------------------

// Publish the messages about one address: those of all open documents, each once.
static void publish(const char* uri) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < open_count; i++) {
    const cJSON* item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(open_list[i].messages, uri)) {
      bool known = false;
      const cJSON* other;
      cJSON_ArrayForEach(other, list) known = known || cJSON_Compare(item, other, true);
      if (!known) cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
    }
  }
  cJSON* params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "uri", uri);
  json_add(params, "diagnostics", list);
  cJSON* message = cJSON_CreateObject();
  cJSON_AddStringToObject(message, "method", "textDocument/publishDiagnostics");
  json_add(message, "params", params);
  lsp_send(message);
}

// Add message i of a check under the address of its file.
static void add_message(const document* d, const td_spec* spec, int i, cJSON* all) {
  static const int severity[] = {[TD_NOTE] = 3, [TD_WARNING] = 2, [TD_ERROR] = 1};
  td_editor_message m;
  if (!td_editor_message_into(spec, i, &m, sizeof m)) return;
  char* uri = lsp_uri_of(m.file ? m.file : d->path);
  if (!uri) return;
  cJSON* list = cJSON_GetObjectItemCaseSensitive(all, uri);
  if (!list) list = cJSON_AddArrayToObject(all, uri);

  // a message about the file as a whole is shown in its first line
  const char* source = m.source ? m.source : "";
  int begin = m.begin, end = m.end;
  if (begin < 0) {
    begin = 0;
    end = (int)strcspn(source, "\r\n");
  }
  if (end == begin && source[end] && !strchr("\r\n", source[end])) end++;
  cJSON* item = cJSON_CreateObject();
  json_add(item, "range", lsp_range(source, begin, end));
  cJSON_AddNumberToObject(item, "severity", severity[m.severity]);
  cJSON_AddStringToObject(item, "source", "tendril");
  char* text = m.hint ? format_text("%s\n%s", m.text, m.hint) : format_text("%s", m.text);
  cJSON_AddStringToObject(item, "message", text ? text : m.text);
  free(text);
  cJSON_AddItemToArray(list, item);
  free(uri);
}

// A text without bodies, rods and meshes is a part of another model: only its statements are
// checked.
static bool is_model(const td_spec* spec) {
  return td_spec_count(spec, "body") > 0 || td_spec_count(spec, "rod") > 0 ||
         td_spec_count(spec, "mesh") > 0 || td_spec_count(spec, "joint") > 0;
}

static void check(document* d) {
  d->changed = false;
  td_spec* spec = td_spec_new();
  cJSON *old = d->messages, *all = cJSON_CreateObject();
  if (!spec || !all) {
    td_spec_free(spec);
    cJSON_Delete(all);
    return;
  }
  td_editor_hurry(spec);
  const td_status status = td_spec_load_string(spec, d->path, d->text);
  td_model* model = NULL;
  if ((status == TD_OK || status == TD_E_MODEL) && is_model(spec)) td_model_compile(spec, &model);
  td_model_free(model);
  for (int i = 0; i < td_spec_message_count(spec); i++) add_message(d, spec, i, all);
  td_spec_free(d->spec);
  d->spec = spec;
  d->messages = all;

  // files that have messages now, or had some before
  publish(d->uri);
  for (const cJSON* list = all->child; list; list = list->next)
    if (strcmp(list->string, d->uri) != 0) publish(list->string);
  for (const cJSON* list = old ? old->child : NULL; list; list = list->next)
    if (strcmp(list->string, d->uri) != 0 && !cJSON_GetObjectItemCaseSensitive(all, list->string))
      publish(list->string);
  cJSON_Delete(old);
}

bool lsp_check_one(void) {
  for (int i = 0; i < open_count; i++) {
    if (!open_list[i].changed) continue;
    check(&open_list[i]);
    return true;
  }
  return false;
}

const td_editor_text* lsp_read(document* d) {
  if (!d->read) d->read = td_editor_open(d->text);
  return d->read;
}

static void document_free(document* d) {
  free(d->uri);
  free(d->path);
  free(d->text);
  td_editor_close(d->read);
  td_spec_free(d->spec);
  cJSON_Delete(d->messages);
}

void lsp_close(const char* uri) {
  document* d = lsp_find(uri);
  if (!d) return;
  document gone = *d;
  const int at = (int)(d - open_list);
  memmove(d, d + 1, (size_t)(open_count - at - 1) * sizeof *d);
  open_count--;
  publish(gone.uri);
  for (const cJSON* list = gone.messages ? gone.messages->child : NULL; list; list = list->next)
    if (strcmp(list->string, gone.uri) != 0) publish(list->string);
  document_free(&gone);
}

void lsp_close_all(void) {
  while (open_count > 0) document_free(&open_list[--open_count]);
}
