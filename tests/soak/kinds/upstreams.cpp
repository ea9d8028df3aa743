// The sources of memory, and heaps over those of the system.
#include "soak/kinds/add_kinds.hpp"

namespace soak {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// Large enough for blocks with ranges of addresses to themselves.
constexpr bounds with_large_blocks{.bytes = 2 * mebibyte, .live_bytes = 32 * mebibyte, .slowness = 2};
constexpr bounds by_the_system{.live_blocks = 256, .slowness = 16};
constexpr bounds until_full{.release_bytes = 14 * mebibyte, .may_refuse = true, .uses_again = false};

[[maybe_unused]] const bool added = [] {
    add_bindings<contract::system_upstream<mallard::new_delete>>("new_delete");
    add_bindings<contract::system_upstream<mallard::pages>>("pages", by_the_system);
    add_bindings<contract::system_upstream<mallard::chunk_cache>>("chunk_cache", with_large_blocks);
    add_bindings<contract::buffer_upstream>("buffer", until_full);
    add_adaptors<contract::heap_over_system<mallard::chunk_cache>>("heap_over_chunk_cache",
                                                                   with_large_blocks);
    add_bindings<contract::heap_over_system<mallard::new_delete>>("heap_over_new_delete");
    add_bindings<contract::heap_over_system<mallard::pages>>("heap_over_pages", with_large_blocks);
    return true;
}();

} // namespace

} // namespace soak
