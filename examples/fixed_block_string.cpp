// Strings in blocks of one size.
//
// The book's function removes control characters: it adds one character after the other, and makes a new string
// for each. An allocator whose blocks all fit the longest string makes each of them cheap. A function that makes
// fewer strings gains more, under any allocator.
#include <mallard/mallard.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

struct line_blocks : mallard::per_thread<line_blocks, mallard::counted<mallard::fixed_pool<>>> {};

using line = mallard::fixed_string<128, line_blocks>; // at most 127 characters

line as_printed(std::string_view s) {
    line result;
    for (const char c : s) {
        if (c >= 0x20) {
            result = result + c; // a new string each time
        }
    }
    return result;
}

line appended(std::string_view s) {
    line result;
    for (const char c : s) {
        if (c >= 0x20) {
            result += c;
        }
    }
    return result;
}

line reserved(std::string_view s) {
    line result;
    result.reserve(s.size());
    std::copy_if(s.begin(), s.end(), std::back_inserter(result), [](char c) { return c >= 0x20; });
    return result;
}

void show(const char* name, line (*remove_control)(std::string_view)) {
    const std::string text =
        "\tforty characters that one wants to keep,\r\n and forty more, with a tab\tin them.";
    const std::size_t before = line_blocks::pool().counts().allocations;
    const line kept = remove_control(text);
    std::cout << name << ": " << kept.size() << " characters kept, "
              << (line_blocks::pool().counts().allocations - before > 10 ? "many blocks" : "a few blocks")
              << " used, "
              << line_blocks::pool().counts().bytes_in_use / line_blocks::pool().mechanism().block_bytes()
              << " in use\n";
}

} // namespace

int main() {
    show("as printed", as_printed);
    show("appended", appended);
    show("reserved", reserved);

    try {
        line too_long(1000, 'x');
        std::cout << too_long.size() << '\n';
    } catch (const std::length_error&) {
        std::cout << "a line has at most " << line::allocator_type::max_length() << " characters\n";
    }
}
