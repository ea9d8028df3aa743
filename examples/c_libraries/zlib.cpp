// zlib, whose hooks have a user pointer and no realloc: an arena for each stream.
//
// A stream takes its blocks at its beginning and returns them at its end: the arena takes one chunk, once. bzip2 and
// liblzma have the same hooks.
#include <mallard/mallard.hpp>

#include <zlib.h>

#include <iostream>
#include <string>

namespace {

using functions = mallard::c_functions<mallard::monotonic<>>;

unsigned long compressed_bytes(std::string text, mallard::monotonic<>& arena) {
    z_stream stream{};
    stream.zalloc = functions::malloc;
    stream.zfree = functions::free;
    stream.opaque = &arena;
    deflateInit(&stream, Z_DEFAULT_COMPRESSION);
    std::string compressed(1000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
    stream.avail_out = static_cast<uInt>(compressed.size());
    deflate(&stream, Z_FINISH);
    return stream.total_out; // without deflateEnd()
}

} // namespace

int main() {
    mallard::monotonic<> arena(std::size_t{1} << 19);
    unsigned long most_bytes = 0;
    for (int document = 0; document != 100; ++document) {
        const unsigned long bytes = compressed_bytes(std::string(10'000, 'x'), arena);
        most_bytes = bytes > most_bytes ? bytes : most_bytes;
        arena.rewind();
    }
    std::cout << "10000 bytes become " << (most_bytes < 100 ? "less" : "more") << " than 100.\n";
    std::cout << "The arena called its upstream " << arena.stats().upstream_calls << " time.\n";
}
