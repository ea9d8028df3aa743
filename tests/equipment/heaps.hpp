/// Heaps with their upstreams, for tests of the common behaviour of all heaps.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/local/heap.hpp>
#include <mallard/local/region_heap.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace equipment {

/// Returns: the fault, or "".
template <class Heap>
std::string find_defect(const Heap& heap) {
    const mallard::heap_sanity sanity = heap.check_sanity();
    return sanity.sound() ? "" : sanity.defect;
}

struct heap_on_ledger {
    [[nodiscard]] std::size_t rooms() const noexcept { return heap.stats().chunks; }

    ledger source;
    mallard::heap<ledger> heap{source};
};

struct heap_in_region {
    static constexpr std::size_t bytes = std::size_t{1} << 20;

    [[nodiscard]] static std::size_t rooms() noexcept { return 1; }

    std::unique_ptr<std::byte[]> memory{new std::byte[bytes]};
    mallard::region_heap& heap = mallard::region_heap::create_in(std::span(memory.get(), bytes));
};

} // namespace equipment
