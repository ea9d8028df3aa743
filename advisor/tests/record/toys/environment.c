/* environment FILE: writes the variables as each way to find them shows them, and the page size from the auxiliary vector behind
 * them, as the runtimes of some languages find it. */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

extern char** environ;

static FILE* out;

static unsigned long behind(char** variables, unsigned long type) {
    while (*variables != NULL)
        ++variables;
    const unsigned long* pair = (const unsigned long*)(variables + 1);
    while (pair[0] != AT_NULL && pair[0] != type)
        pair += 2;
    return pair[0] == type ? pair[1] : 0;
}

static void write_variables(const char* way, char** variables) {
    for (char** each = variables; *each != NULL; ++each)
        fprintf(out, "%s: %s\n", way, *each);
}

static void write_all(const char* way, char** variables) {
    write_variables(way, variables);
    fprintf(out, "%s: page size %lu, random %d\n", way, behind(variables, AT_PAGESZ),
            behind(variables, AT_RANDOM) == getauxval(AT_RANDOM));
}

static void write_system_file(void) {
    static char text[1 << 20];
    FILE* const file = fopen("/proc/self/environ", "r");
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    for (size_t at = 0; at < bytes; at += strlen(text + at) + 1)
        if (text[at] != 0)
            fprintf(out, "/proc: %s\n", text + at);
}

int main(int count, char** arguments, char** variables) {
    out = fopen(arguments[count - 1], "a"); /* as the child does */
    write_all("main", variables);
    write_all("environ", environ);
    write_all("arguments", arguments + count + 1);
    write_system_file();
    setenv("ADDED", "1", 1);
    putenv("ADDED=2");
    unsetenv("HOME");
    write_variables("changed", environ);
    fflush(out);
    if (system("env >> \"$FILE\"") != 0)
        return 1;
    clearenv();
    fprintf(out, "%d\n", environ == NULL);
    fclose(out);
    return 0;
}
