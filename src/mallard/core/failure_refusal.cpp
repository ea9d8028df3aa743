#include "failure_report.hpp"

#include <mallard/core/failure.hpp>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <new>
#include <stdexcept>

namespace mallard { inline namespace MALLARD_LIBRARY {

refused_request::refused_request(const char* why) noexcept {
    std::snprintf(why_.data(), why_.size(), "%s", why);
}

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

namespace {

/// Effects: calls the handler, and fails with the message.
[[noreturn, gnu::format(MALLARD_FORMAT, 3, 4)]] void refuse(std::size_t bytes, std::size_t alignment,
                                                            const char* format, ...) {
    std::array<char, 224> text;
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
    call_oom_handler(bytes, alignment);
#ifdef __cpp_exceptions
    throw refused_request(text.data());
#else
    abort_with("%s\n", text.data());
#endif
}

} // namespace

void fail_array_length(std::size_t count, std::size_t object_bytes, std::size_t alignment) {
    call_oom_handler(SIZE_MAX, alignment);
#ifdef __cpp_exceptions
    static_cast<void>(count);
    static_cast<void>(object_bytes);
    throw std::bad_array_new_length();
#else
    abort_with("mallard: an array of %zu objects of %zu bytes is longer than any memory\n", count,
               object_bytes);
#endif
}

void refuse_request(std::size_t bytes, std::size_t alignment, std::size_t most_bytes,
                    std::size_t most_alignment) {
    refuse(bytes, alignment,
           "mallard: a request for %zu bytes at alignment %zu is refused: blocks of this pool have %zu "
           "bytes at alignment %zu; construct the pool with the block_size of its largest request",
           bytes, alignment, most_bytes, most_alignment);
}

void refuse_for_want_of_room(std::size_t bytes, std::size_t alignment) {
    refuse(bytes, alignment,
           "mallard: a request for %zu bytes at alignment %zu is refused: the pool's arena has no room "
           "for one such block; make it larger",
           bytes, alignment);
}

void refuse_burst(std::size_t bytes, std::size_t alignment) {
    refuse(bytes, alignment,
           "mallard: a burst of blocks of %zu bytes at alignment %zu is refused: each block of a chain "
           "holds a pointer to the next; request blocks of %zu bytes or more",
           bytes, alignment, sizeof(void*));
}

void refuse_reserve(std::size_t bytes, std::size_t alignment, std::size_t most_bytes) {
    refuse(
        bytes, alignment,
        "mallard: a request for a reserve of %zu bytes a block at alignment %zu is refused: the pool keeps "
        "blocks of up to %zu bytes, and returns larger ones at once; raise largest_pooled_bytes",
        bytes, alignment, most_bytes);
}

void refuse_block_size(std::size_t bytes, std::size_t alignment, std::size_t most_bytes,
                       std::size_t most_alignment) {
    refuse(bytes, alignment,
           "mallard: a pool of blocks of %zu bytes at alignment %zu is refused: a block has %zu bytes "
           "at the most, and an alignment that is a power of two up to %zu; make the block_size so",
           bytes, alignment, most_bytes, most_alignment);
}

void refuse_region(const void* begin, std::size_t bytes, std::size_t least_bytes, std::size_t alignment) {
    refuse(
        bytes, alignment,
        "mallard: a region of %zu bytes at %p is refused: a heap needs %zu bytes at the least, and a begin "
        "at a multiple of %zu; make it larger, or align it by alignas",
        bytes, begin, least_bytes, alignment);
}

void refuse_foreign_region(const void* begin) {
    refuse(0, 1,
           "mallard: there is no heap in the region at %p: create one by create_in(), or open it with the "
           "mallard that made it",
           begin);
}

void refuse_region_part(const void* begin, std::size_t bytes, std::size_t heap_bytes) {
    refuse(heap_bytes, 1,
           "mallard: the heap in the region at %p has %zu bytes, and the region %zu: map all of it, "
           "unless the file was cut off",
           begin, heap_bytes, bytes);
}

void refuse_root_type(const char* name, std::size_t name_bytes, std::size_t bytes, std::size_t alignment,
                      std::size_t named_bytes, std::size_t named_alignment) {
    constexpr std::size_t most_shown = 40;
    refuse(bytes, alignment,
           "mallard: a request for the object '%.*s' as a type of %zu bytes at alignment %zu is refused: "
           "it was named as another type, of %zu bytes at alignment %zu",
           static_cast<int>(std::min(name_bytes, most_shown)), name, bytes, alignment, named_bytes,
           named_alignment);
}

void refuse_numa_node(unsigned node) {
    refuse(0, 1,
           "mallard: memory of NUMA node %u is refused: this machine has no such node, or its system binds "
           "no memory; ask numa_pages::has_node() first",
           node);
}

void fail_length(std::size_t requested, std::size_t most) {
    std::array<char, 160> text;
    std::snprintf(text.data(), text.size(),
                  "mallard: a fixed block holds %zu objects, and %zu were requested: use larger blocks, or "
                  "reserve the full size at once",
                  most, requested);
#ifdef __cpp_exceptions
    throw std::length_error(text.data());
#else
    abort_with("%s\n", text.data());
#endif
}

}} // namespace mallard::core::MALLARD_LIBRARY
