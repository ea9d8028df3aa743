// Preloaded: system() answers 42 without a shell.
int system(const char* command) {
    (void)command;
    return 42;
}
