/// Heaps with their upstreams for fuzz::heap_operations, the requests that they may refuse, and changes of the upstream.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/impl/checking/checked_expansion.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/region_heap.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace fuzz {

/// Small chunks, which are often returned.
inline constexpr mallard::heap_options small_chunks{
    .growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 16384, .factor = 2}};

/// Fails as the bytes decide, if exceptions are enabled.
template <class Heap, bool KnowsSizes>
struct heap_over_ledger {
    /// True if the blocks of the heap are exactly those of its callers, without guard zones and quarantine.
    static constexpr bool knows_sizes = KnowsSizes;

    [[nodiscard]] bool may_refuse() const noexcept { return fails; }
    [[nodiscard]] std::size_t rooms() const noexcept { return heap.stats().chunks; }

    void change([[maybe_unused]] std::size_t choice) {
#ifdef __cpp_exceptions
        fails = choice % 4 == 0;
        source.fail({.at = fails ? 1 + choice / 4 % 4 : 0, .for_ever = choice / 16 % 2 == 1});
#endif
    }

    /// Returns: the fault found after everything was deallocated.
    [[nodiscard]] std::string end() {
        heap.release();
        if (source.outstanding() != 0) {
            return std::to_string(source.outstanding_bytes()) + " bytes did not come back";
        }
        return source.complaints().empty() ? std::string() : source.complaints().front();
    }

    equipment::ledger source{};
    Heap heap{source, small_chunks};
    bool fails = false;
};

/// Over system memory, where large blocks have their own address ranges.
template <class Upstream>
struct heap_over_system {
    static constexpr bool knows_sizes = true;

    [[nodiscard]] static bool may_refuse() noexcept { return false; }
    [[nodiscard]] std::size_t rooms() const noexcept { return heap.stats().chunks; }
    static void change(std::size_t) noexcept {}

    [[nodiscard]] std::string end() {
        heap.release();
        return heap.stats().chunk_bytes == 0 ? "" : "chunks after a release";
    }

    Upstream source{};
    mallard::heap<Upstream> heap{source};
};

/// In a part of a region, which grows into the remaining part and shrinks again.
struct heap_in_region {
    static constexpr bool knows_sizes = true;
    static constexpr std::size_t first_bytes = std::size_t{64} << 10;
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;

    [[nodiscard]] static bool may_refuse() noexcept { return true; }
    [[nodiscard]] static std::size_t rooms() noexcept { return 1; }

    void change(std::size_t choice) {
        if (choice % 4 == 0) {
            heap.shrink_to_fit();
            std::memset(memory.get() + heap.region_bytes(), 0xDD, most_bytes - heap.region_bytes());
        } else {
            const std::size_t wanted = choice % 4 == 1 ? choice : choice << 10;
            heap.grow(std::min(wanted, most_bytes - heap.region_bytes()));
        }
    }

    /// Returns: the fault found after all blocks were deallocated.
    [[nodiscard]] std::string end() {
        heap.release();
        return heap.use().free_blocks == 1 ? "" : "a region in parts";
    }

    std::unique_ptr<std::byte[]> memory{new std::byte[most_bytes]};
    mallard::region_heap& heap = mallard::region_heap::create_in(std::span(memory.get(), first_bytes));
};

using ledger_heap = heap_over_ledger<mallard::heap<equipment::ledger>, true>;
using checked_heap =
    heap_over_ledger<mallard::checking::checked_expansion<mallard::heap<equipment::ledger>>, false>;
using cached_heap = heap_over_system<mallard::chunk_cache>;
using paged_heap = heap_over_system<mallard::pages>;
using region = heap_in_region;

} // namespace fuzz
