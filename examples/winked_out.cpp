// A structure that is winked out.
//
// The index below has thousands of nodes and strings. Its destructor would visit each of them to free memory that is
// about to be released anyway. Made by wink_out, the index lives in its own arena and ends with one release.
#include <mallard/mallard.hpp>

#include <iostream>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using text = std::pmr::string;
using concordance = std::pmr::unordered_map<text, std::pmr::vector<int>>;

// The compiler checks that nothing in the type owns anything but memory of the allocator.
static_assert(mallard::winkable<concordance>);
static_assert(!mallard::winkable<std::pmr::vector<std::string>>); // std::string takes its memory elsewhere

} // namespace

int main() {
    mallard::resource<mallard::monotonic<>> arena;

    for (int generation = 1; generation <= 3; ++generation) {
        const std::size_t old_calls = arena.mechanism().stats().upstream_calls;

        auto& words = mallard::wink_out<concordance>(arena);
        for (int line = 0; line != 10'000; ++line) {
            const std::string word =
                "a word that needs memory of its own, number " + std::to_string(line % 1000);
            words[text(word, &arena)].push_back(line);
        }

        const std::size_t calls = arena.mechanism().stats().upstream_calls - old_calls;
        std::cout << "generation " << generation << ": " << words.size() << " words, "
                  << words.begin()->second.size() << " lines each; asked upstream for "
                  << (calls != 0 ? "memory" : "nothing") << '\n';

        arena.mechanism().rewind(); // ends the index and keeps its memory for the next one
    }
}
