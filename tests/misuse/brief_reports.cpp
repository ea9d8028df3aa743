// Looking up the names in a report's stack takes longer than all else that these tests do.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
    return "symbolize=0";
}
