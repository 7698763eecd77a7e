// Writes the texts of random robots to files 1.m, 2.m ... of a folder (tools/golden).
#include <stdio.h>
#include <stdlib.h>

#include "random_robot.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int count = atoi(argv[2]);
  for (int written = 0, seed = 1; written < count && seed < 10 * count; seed++) {
    random_robot plan;
    if (!random_robot_make(&plan, (unsigned)seed, ROBOT_ANY)) continue;
    const robot_style style = robot_style_plain();
    char* text = random_robot_text(&plan, &style, NULL);
    char name[4096];
    snprintf(name, sizeof name, "%s/%d.m", argv[1], ++written);
    FILE* f = text ? fopen(name, "w") : NULL;
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) return 1;
    free(text);
  }
  return 0;
}
