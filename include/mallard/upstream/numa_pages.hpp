/// Pages on one NUMA node, for memory that the threads of its processors use.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/upstream/pages.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// As pages, from the memory of one node only: a page that the node cannot give ends the program, by the system's rules of
/// a bound policy (MPOL_BIND). Stateless apart from its options; thread-safe.
class numa_pages {
public:
    /// Throws: refused_request if has_node(node) is false. A library built without exceptions aborts instead.
    explicit numa_pages(unsigned node, huge_pages huge = huge_pages::when_large);

    /// Returns: true if the machine has the node, and its system binds memory to it.
    /// Complexity: maps a page, and unmaps it.
    [[nodiscard]] static bool has_node(unsigned node) noexcept;

    /// Returns: zeroed memory of the node. Sizes are rounded up to whole pages.
    /// Throws: std::bad_alloc.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment);

    /// Returns: zeroed memory of the node; null if there is none. The out-of-memory handler is not called.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept;

    /// Requires: `p` came from allocate(bytes, alignment) and was not deallocated since.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        pages_.deallocate(p, bytes, alignment);
    }

    [[nodiscard]] unsigned node() const noexcept { return node_; }

private:
    pages pages_;
    unsigned node_;
};

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_MODE {

template <>
inline constexpr bool thread_safe<numa_pages> = true;

static_assert(upstream<numa_pages>);

}} // namespace mallard::MALLARD_MODE
