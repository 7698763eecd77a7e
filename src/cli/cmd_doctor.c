// tendril doctor: the parts this program is built from, optional programs it finds, and how to get
// missing ones.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

// An optional program.
typedef struct helper {
  const char *program, *other;  // either name will do
  const char *use, *package;
} helper;

static const helper helpers[] = {
    {"octave", "octave-cli", "read results and models in Octave", "octave"},
    {"python3", NULL, "read results in Python", "python3"},
    {"ffmpeg", NULL, "make videos (tendril video)", "ffmpeg"},
    {"chromium", "chromium-browser", "draw pictures and videos of reports without a display",
     "chromium"},
    {"cc", NULL, "binaries of exported FMUs, code of sim --jit", "gcc"},
    {"pdflatex", NULL, "typeset derived equations", "texlive-latex-base"},
    {"arm-none-eabi-gcc", NULL, "exported models on microcontrollers", "gcc-arm-none-eabi"},
    {"h5dump", NULL, "look into trajectory.h5 on the command line", "hdf5-tools"},
};
enum { NHELPER = sizeof helpers / sizeof *helpers };

// File name of a program on the PATH; to be freed, NULL: none
static char* find_program(const char* name) {
  const char* path = getenv("PATH");
  while (name && path && *path) {
    const int n = (int)strcspn(path, ":");
    char* file = format_text("%.*s/%s", n, path, name);
    if (file && access(file, X_OK) == 0) return file;
    free(file);
    path += n + (path[n] == ':');
  }
  return NULL;
}

static char* find_helper(const helper* h) {
  char* found = find_program(h->program);
  return found ? found : find_program(h->other);
}

static const char* compiler(void) {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

// Print versions and programs as JSON.
static int doctor_json(const td_part* parts, int n) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "tendril", td_version());
  cJSON_AddStringToObject(o, "compiler", compiler());
  cJSON* built = cJSON_AddObjectToObject(o, "parts");
  for (int i = 0; i < n; i++) cJSON_AddStringToObject(built, parts[i].name, parts[i].version);
  cJSON* optional = cJSON_AddObjectToObject(o, "optional");
  for (int i = 0; i < NHELPER; i++) {
    char* path = find_helper(&helpers[i]);
    json_add(optional, helpers[i].program, path ? cJSON_CreateString(path) : cJSON_CreateNull());
    free(path);
  }
  char version[200], path[200];
  json_add(optional, "mpi",
           td_link_module(version, path, sizeof path) ? cJSON_CreateString(version)
                                                      : cJSON_CreateNull());
  return json_print(o);
}

// Print versions, optional programs, and how to get missing ones.
int cmd_doctor(const options* opt) {
  td_part parts[16];
  const int n = td_parts(parts, 16);
  if (opt->json) return doctor_json(parts, n);

  printf("Tendril %s, built with %s\n\n", td_version(), compiler());
  for (int i = 0; i < n; i++) printf("  %-22s %s\n", parts[i].name, parts[i].version);

  // optional programs
  printf("\nOptional programs\n");
  char missing[256] = "";
  for (int i = 0; i < NHELPER; i++) {
    char* path = find_helper(&helpers[i]);
    printf("  %-10s %-28s %s\n", helpers[i].program, path ? path : "not found", helpers[i].use);
    if (!path) {
      strncat(missing, " ", sizeof missing - strlen(missing) - 1);
      strncat(missing, helpers[i].package, sizeof missing - strlen(missing) - 1);
    }
    free(path);
  }
  char version[200], path[200];
  const bool mpi = td_link_module(version, path, sizeof path);
  printf("  %-10s %-28s %s\n", "MPI", mpi ? version : "not built in", "sweeps on several machines");
  if (!mpi) printf("\nFor MPI install libopenmpi-dev or libmpich-dev and build Tendril again\n");
  if (*missing) printf("\nTo get the missing ones on Debian: apt-get install%s\n", missing);
  return CODE_DONE;
}
