// Reports without stacks: looking up their names takes longer than the rest of these tests.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
    return "symbolize=0";
}
