// Pools whose blocks have one size: fixed_pool in each arena, adaptive_pool, and the pools of classes.
#include "soak/kinds/add_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace soak {

namespace {

inline constexpr mallard::block_size of_blocks{.bytes = 1024, .alignment = 256};
constexpr std::size_t most_blocks = 2000;

template <class Arena, class Reuse>
struct fixed_pool_in {
    explicit fixed_pool_in(equipment::ledger& source)
        requires std::is_constructible_v<Arena, equipment::ledger&>
        : top(of_blocks, source) {}
    explicit fixed_pool_in(equipment::ledger& source)
        requires std::is_constructible_v<Arena, std::size_t, equipment::ledger&>
        : top(of_blocks, most_blocks, source) {}
    void release_below() noexcept {}
    mallard::fixed_pool<Arena, Reuse> top;
};

template <class Reuse>
struct fixed_pool_in_buffer {
    explicit fixed_pool_in_buffer(equipment::ledger&) : top(of_blocks, std::span<std::byte>(memory)) {}
    void release_below() noexcept {}
    alignas(256) std::byte memory[most_blocks * 1024];
    mallard::fixed_pool<mallard::buffer_arena, Reuse> top;
};

/// The pool of a class, by its operators new and delete. A request gets the smallest class that holds it.
template <std::size_t Bytes>
struct pooled_class : mallard::pooled<pooled_class<Bytes>> {
    std::byte bytes[Bytes];
};

class pools_of_classes {
public:
    static constexpr std::size_t most_bytes = 200;

    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) {
        if (bytes > most_bytes) {
            mallard::core::fail_allocation(bytes, alignment);
        }
        return with_class(bytes, [](auto* c) {
            using T = std::remove_pointer_t<decltype(c)>;
            return T::operator new(sizeof(T));
        });
    }

    static void deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
        with_class(bytes, [p](auto* c) {
            using T = std::remove_pointer_t<decltype(c)>;
            T::operator delete(p, sizeof(T));
            return p;
        });
    }

    /// Effects: ends the blocks of all of the classes.
    static void release() noexcept {
        pooled_class<1>::pool().release();
        pooled_class<24>::pool().release();
        pooled_class<most_bytes>::pool().release();
    }

private:
    template <class F>
    static void* with_class(std::size_t bytes, F f) {
        if (bytes <= 1) {
            return f(static_cast<pooled_class<1>*>(nullptr));
        }
        return bytes <= 24 ? f(static_cast<pooled_class<24>*>(nullptr))
                           : f(static_cast<pooled_class<most_bytes>*>(nullptr));
    }
};

struct class_pools {
    explicit class_pools(equipment::ledger&) {}
    ~class_pools() { pools_of_classes::release(); }
    void release_below() noexcept {}
    pools_of_classes top;
};

constexpr bounds in_blocks{.bytes = 1024, .alignment = 256, .live_blocks = 2000};
constexpr bounds in_few_blocks{.bytes = 1024, .alignment = 256, .live_blocks = 4096, .may_refuse = true};

[[maybe_unused]] const bool added = [] {
    using source = equipment::ledger;
    add_adaptors<fixed_pool_in<mallard::growing_arena<source>, mallard::last_freed>>("fixed_pool_last_freed",
                                                                                     in_blocks);
    add_bindings<fixed_pool_in<mallard::growing_arena<source>, mallard::first_freed>>(
        "fixed_pool_first_freed", in_blocks);
    add_bindings<fixed_pool_in<mallard::single_arena<source>, mallard::last_freed>>("fixed_pool_in_one_chunk",
                                                                                    in_few_blocks);
    add_bindings<fixed_pool_in_buffer<mallard::first_freed>>("fixed_pool_in_buffer", in_few_blocks);
    add_adaptors<contract::adaptive_pool<mallard::slab_shape::divided>>("adaptive_pool", {.slowness = 2});
    add_bindings<contract::adaptive_pool<mallard::slab_shape::undivided>>("adaptive_pool_aligned",
                                                                          {.slowness = 2});
    add_bindings<class_pools>("pooled", {.bytes = pools_of_classes::most_bytes, .alignment = 1});
    return true;
}();

} // namespace

} // namespace soak
