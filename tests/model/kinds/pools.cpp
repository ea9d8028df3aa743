// Pools whose blocks have one size: small_object_pool, adaptive_pool, fixed_pool in each arena, and the pools of classes.
#include "model/kinds/add.hpp"

#include <cstddef>

namespace model {

namespace {

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
    static void release() noexcept { mallard::common_pool::pool().release(); }

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

} // namespace

void add_pools(kind_list& to) {
    constexpr traits of_a_size{.any_size = false};
    constexpr traits in_place{.from_ledger = false, .any_size = false};
    constexpr bounds in_blocks{.bytes = 1024, .alignment = 256, .live_blocks = 2000};
    constexpr bounds in_few_blocks{.bytes = 1024, .alignment = 256, .live_blocks = 8192, .may_refuse = true};

    add<small_object_pool, extent::checked>(to, "small_object_pool");
    add<adaptive_pool<mallard::slab_shape::divided>, extent::checked>(to, "adaptive_pool", {},
                                                                      {.slowness = 2});
    add<adaptive_pool<mallard::slab_shape::undivided>>(to, "adaptive_pool_aligned", {}, {.slowness = 2});
    add<adaptive_pool_of_a_size>(to, "adaptive_pool_of_a_size", of_a_size, {.bytes = 300, .alignment = 64});
    add<fixed_pool_reusing<mallard::last_freed>, extent::checked>(to, "fixed_pool_last_freed");
    add<fixed_pool_reusing<mallard::first_freed>>(to, "fixed_pool_first_freed");
    add<fixed_pool>(to, "fixed_pool", of_a_size, {.bytes = 8, .alignment = 8});
    add<fixed_pool_of_a_size<mallard::last_freed>, extent::checked>(to, "fixed_pool_of_a_size_last_freed",
                                                                    of_a_size, in_blocks);
    add<fixed_pool_of_a_size<mallard::first_freed>>(to, "fixed_pool_of_a_size", of_a_size, in_blocks);
    add<fixed_pool_in_one_chunk>(to, "fixed_pool_in_one_chunk", of_a_size, in_few_blocks);
    add<fixed_pool_in_buffer>(to, "fixed_pool_in_buffer", in_place, in_few_blocks);
    add<class_pools>(to, "pooled", in_place, {.bytes = pools_of_classes::most_bytes, .alignment = 1});
}

} // namespace model
