#include "../platform/memory.hpp"
#include "../platform/protection.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/upstream/numa_pages.hpp>

namespace mallard { inline namespace MALLARD_LIBRARY {

numa_pages::numa_pages(unsigned node, huge_pages huge) : pages_({.huge = huge}), node_(node) {
    if (!has_node(node)) {
        core::refuse_numa_node(node);
    }
}

bool numa_pages::has_node(unsigned node) noexcept {
    const std::size_t page = pages::page_bytes();
    std::byte* const p = platform::map(page, page);
    if (p == nullptr) {
        return false;
    }
    const bool bound = platform::bind_to_node(p, page, node);
    platform::unmap(p, page, page);
    return bound;
}

void* numa_pages::allocate(std::size_t bytes, std::size_t alignment) {
    void* const p = try_allocate(bytes, alignment);
    if (p == nullptr) {
        core::fail_allocation(bytes, alignment);
    }
    return p;
}

void* numa_pages::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    void* const p = pages_.try_allocate(bytes, alignment);
    const std::size_t mapped_bytes = core::align_up(core::max<std::size_t>(bytes, 1), pages::page_bytes());
    if (p != nullptr && !platform::bind_to_node(static_cast<std::byte*>(p), mapped_bytes, node_)) {
        pages_.deallocate(p, bytes, alignment);
        return nullptr;
    }
    return p;
}

}} // namespace mallard::MALLARD_LIBRARY
