// A structure that is built once, and read-only from then on.
//
// An index of words is built in pages of its own. After protect() any write to it, by a stray pointer too, ends the
// program at the instruction that writes, and the report names the index.
#include <mallard/mallard.hpp>

#include <iostream>
#include <map>
#include <memory_resource>
#include <sstream>
#include <string>

namespace {

using word_counts = std::pmr::map<std::pmr::string, int>;

} // namespace

int main() {
    mallard::protected_pages source("the index of words");
    mallard::protected_pages::report_writes();
    mallard::resource<mallard::monotonic<mallard::protected_pages>> memory(source);

    // Winked out: the end of the program writes to none of its nodes.
    word_counts& words = mallard::wink_out<word_counts>(memory);
    std::istringstream text("the quick brown fox jumps over the lazy dog and the fox runs off");
    for (std::string word; text >> word;) {
        ++words[std::pmr::string(word, &memory)];
    }

    std::cout << "read-only: " << source.protect() << '\n';
    for (const auto& [word, count] : words) {
        if (count > 1) {
            std::cout << word << ": " << count << '\n';
        }
    }
    // words["fox"] = 0;
    // mallard: write to the read-only memory of the index of words at 0x7f3c5a2a5048
}
