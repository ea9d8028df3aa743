// Reports without stacks: symbolising them takes longer than the tests themselves.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
    return "symbolize=0";
}
