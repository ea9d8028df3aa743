#include "bench/workload/locality_strategies.hpp"

#include "bench/strategy/mechanisms.hpp"

#include <mallard/bind/allocator.hpp>

#include <cstdlib>
#include <list>
#include <memory_resource>

namespace bench {

namespace {

using standard_list = std::list<int>;
using abstract_list = std::pmr::list<int>;
template <class A>
using list_over = std::list<int, mallard::allocator<int, A>>;

/// AS1.
struct global_subsystem : subsystem<standard_list> {};

/// AS2. That it is this resource is hidden from the compiler, as it is in a program.
struct new_delete_subsystem : subsystem<abstract_list> {
    new_delete_subsystem() : subsystem(&abstract(*mallard::new_delete_resource())) {}
};

/// An allocator of its own, bound by type.
template <class A>
struct own {
    A source;
};
template <class A>
struct typed_subsystem : private own<A>, public subsystem<list_over<A>> {
    typed_subsystem() : subsystem<list_over<A>>(mallard::allocator<int, A>(own<A>::source)) {}
};

template <class A>
struct abstract_subsystem : private own<mallard::resource<A>>, public subsystem<abstract_list> {
    abstract_subsystem() : subsystem(&abstract(own<mallard::resource<A>>::source)) {}
};

/// AS11 and AS13: the monotonic allocator is the subsystem's too, and has no initial buffer. There may be a
/// subsystem for every link: so the pool begins with little, and the arena's chunks are what the pool asks
/// for.
class pool_over_arena {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        pool_.deallocate(p, bytes, alignment);
    }

private:
    monotonic arena_{{.first_chunk_bytes = 64, .largest_chunk_bytes = 64}};
    multipool_over_monotonic pool_{arena_, {.growth = {.first_chunk_bytes = 64}}};
};

template <class Made, class List>
constexpr subsystem_life<List> life_of() {
    return {[]() -> subsystem<List>* { return new Made(); },
            [](subsystem<List>* s) { delete static_cast<Made*>(s); }, sizeof(Made)};
}

/// Calls `use` with how the subsystems of `s` live.
template <class Use>
auto with_subsystems(const strategy& s, Use&& use) {
    const bool by_type = s.binding == binding_kind::type_parameter;
    switch (s.mechanism) {
    case mechanism_kind::global:
        return use(life_of<global_subsystem, standard_list>());
    case mechanism_kind::new_delete:
        return use(life_of<new_delete_subsystem, abstract_list>());
    case mechanism_kind::multipool:
        return by_type ? with_multipool_by(s.reuse,
                                           [&use](auto type) {
                                               using pool = typename decltype(type)::type;
                                               return use(life_of<typed_subsystem<pool>, list_over<pool>>());
                                           })
                       : use(life_of<abstract_subsystem<multipool>, abstract_list>());
    case mechanism_kind::multipool_over_monotonic:
        return by_type ? use(life_of<typed_subsystem<pool_over_arena>, list_over<pool_over_arena>>())
                       : use(life_of<abstract_subsystem<pool_over_arena>, abstract_list>());
    default:
        std::abort(); // has_locality() refuses these
    }
}

} // namespace

bool has_locality(const strategy& s) noexcept {
    return s.destruction == destruction_kind::normal &&
           (s.mechanism == mechanism_kind::global || s.mechanism == mechanism_kind::new_delete ||
            s.mechanism == mechanism_kind::multipool ||
            s.mechanism == mechanism_kind::multipool_over_monotonic);
}

std::size_t subsystem_bytes(const strategy& s) {
    return with_subsystems(s, [](const auto& life) { return life.bytes; });
}

void measure_locality_under(const strategy& s, const locality_cell& cell, row& result) {
    with_subsystems(s, [&](const auto& life) { measure_locality(cell, life, result); });
}

} // namespace bench
