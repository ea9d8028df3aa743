/// The builds of a case study's source: CASE_BUILD is one of these types.
///
///     before                the program as the library's users write it
///     library_pool          changed to the library's own arena, if it has one
///     null_build            changed, and bound to operator new: the cost of the change itself
///     monotonic_build, ...  changed, and bound to an allocator of mallard
///
/// The allocators are constructed once, and reused by each call of the scope. end_of_scope() rewinds those that can
/// be.
#pragma once

#include <mallard/mallard.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace case_studies {

struct before {};
struct library_pool {};
struct library_pool_reused {};
struct reused {};

using null_build = mallard::new_delete;
using monotonic_build = mallard::monotonic<>;
using multipool_build = mallard::multipool<>;
using heap_build = mallard::heap<>;

/// A multipool over a monotonic allocator. A rewind ends both.
class multipool_monotonic_build {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return blocks_.allocate(bytes, alignment);
    }
    void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        blocks_.deallocate(block, bytes, alignment);
    }
    void release() noexcept {
        blocks_.release();
        region_.release();
    }
    void rewind() noexcept {
        blocks_.release();
        region_.rewind();
    }

private:
    mallard::monotonic<> region_;
    mallard::multipool<mallard::monotonic<>> blocks_{region_};
};

/// A pool for blocks up to its largest size, and operator new for the others.
class small_object_pool_build {
public:
    static constexpr std::size_t largest_bytes = 64;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return bytes <= largest_bytes ? objects_.allocate(bytes, alignment)
                                      : mallard::new_delete::allocate(bytes, alignment);
    }
    void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes <= largest_bytes) {
            objects_.deallocate(block, bytes, alignment);
        } else {
            mallard::new_delete::deallocate(block, bytes, alignment);
        }
    }

private:
    mallard::small_object_pool<> objects_;
};

/// A pool for each size, because an adaptive pool has nodes of one size; operator new for large blocks.
class adaptive_pool_build {
public:
    static constexpr std::size_t step_bytes = 16;
    static constexpr std::size_t pools = 64;

    adaptive_pool_build() : adaptive_pool_build(std::make_index_sequence<pools>{}) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return bytes <= step_bytes * pools ? find_pool(bytes).allocate(rounded(bytes), step_bytes)
                                           : mallard::new_delete::allocate(bytes, alignment);
    }
    void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes <= step_bytes * pools) {
            find_pool(bytes).deallocate(block, rounded(bytes), step_bytes);
        } else {
            mallard::new_delete::deallocate(block, bytes, alignment);
        }
    }

private:
    using nodes = mallard::adaptive_pool<>;

    template <std::size_t... Pool>
    explicit adaptive_pool_build(std::index_sequence<Pool...>)
        : pools_by_size_{nodes(mallard::block_size{(Pool + 1) * step_bytes, step_bytes})...} {}

    static constexpr std::size_t rounded(std::size_t bytes) {
        return bytes == 0 ? step_bytes : (bytes + step_bytes - 1) / step_bytes * step_bytes;
    }
    nodes& find_pool(std::size_t bytes) { return pools_by_size_[rounded(bytes) / step_bytes - 1]; }

    std::array<nodes, pools> pools_by_size_;
};

using build = CASE_BUILD;

template <class Build>
inline constexpr bool is_build = std::is_same_v<build, Build>;

/// Effects: rewinds an allocator that can be rewound; does nothing for others.
template <class Mechanism>
void end_of_scope(Mechanism& mechanism) noexcept {
    if constexpr (requires { mechanism.rewind(); }) {
        mechanism.rewind();
    }
}

} // namespace case_studies
