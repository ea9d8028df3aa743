// yyjson, whose hooks have a user pointer: an arena for each document.
//
// The values of a document lie in a few blocks that grow where they are, and end with the arena, without yyjson_doc_free().
#include <mallard/mallard.hpp>

#include <yyjson.h>

#include <iostream>
#include <string>

namespace {

using functions = mallard::c_functions<mallard::monotonic<>>;

} // namespace

int main() {
    mallard::monotonic<> arena;
    const yyjson_alc hooks{functions::malloc, functions::realloc, functions::free, &arena};
    std::string text = "[0";
    for (int i = 1; i != 1000; ++i) {
        text += "," + std::to_string(i * i);
    }
    text += "]";
    yyjson_doc* const document = yyjson_read_opts(text.data(), text.size(), 0, &hooks, nullptr);
    std::cout << "The document has " << yyjson_arr_size(yyjson_doc_get_root(document)) << " squares.\n";
    std::cout << (arena.owns(document) ? "It lies in the arena.\n" : "");
}
