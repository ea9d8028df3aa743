// The sources of memory.
#include "model/kinds/add.hpp"

namespace model {

void add_upstreams(kind_list& to) {
    constexpr traits own{.from_ledger = false};
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    add<system_upstream<mallard::new_delete>, extent::bound>(to, "new_delete", own);
    add<system_upstream<mallard::pages>, extent::bound>(to, "pages", own,
                                                        {.live_blocks = 256, .slowness = 16});
    add<named_pages, extent::bound>(to, "protected_pages", own, {.live_blocks = 256, .slowness = 16});
    add<system_upstream<mallard::chunk_cache>, extent::bound>(
        to, "chunk_cache", own, {.bytes = 2 * mebibyte, .live_bytes = 32 * mebibyte, .slowness = 2});
    add<buffer_upstream, extent::bound>(
        to, "buffer", own, {.release_bytes = 14 * mebibyte, .may_refuse = true, .uses_again = false});
}

} // namespace model
