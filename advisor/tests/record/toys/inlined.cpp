// inlined N: handles N requests. The compiler inlines handle() into main(), and fill() into handle().
#include <cstdlib>
#include <string>
#include <vector>

#ifdef NOINLINE
#define INLINING [[gnu::noinline]]
#else
#define INLINING [[gnu::always_inline]] inline
#endif

INLINING static void fill(std::vector<std::string>& words, int request) {
    for (int word = 0; word != 20; ++word) {
        words.push_back("a word that is too long for a string without a block " + std::to_string(request));
    }
}

INLINING static std::size_t handle(int request) {
    std::vector<std::string> words;
    fill(words, request);
    return words.back().size();
}

int main(int, char** arguments) {
    std::size_t letters = 0;
    for (int request = 0; request != std::atoi(arguments[1]); ++request) {
        letters += handle(request);
    }
    return letters == 0;
}
