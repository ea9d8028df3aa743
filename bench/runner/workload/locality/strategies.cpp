#include "runner/workload/locality/strategies.hpp"

#include "runner/strategy/sources.hpp"

#include <mallard/bind/allocator.hpp>

#include <cstdlib>
#include <list>
#include <memory_resource>
#include <type_traits>

namespace bench {

namespace {

using standard_list = std::list<int>;
using abstract_list = std::pmr::list<int>;
template <class A>
using list_over = std::list<int, mallard::allocator<int, A>>;

/// new-delete.
struct global_subsystem : subsystem<standard_list> {};

/// new-delete/base. The resource is hidden from the compiler, as in a program.
struct new_delete_subsystem : subsystem<abstract_list> {
    new_delete_subsystem() : subsystem(&abstract(*mallard::new_delete_resource())) {}
};

/// The node of a std::list<int>, in every implementation of the standard library.
struct link_like {
    void* next;
    void* previous;
    int value;
};
constexpr block_shape link_shape{.bytes = sizeof(link_like), .alignment = alignof(link_like)};

/// A subsystem's own allocator, bound by type.
template <class A>
struct own {
    A source = make_source<A>(link_shape);
};
template <class A>
struct typed_subsystem : private own<A>, public subsystem<list_over<A>> {
    typed_subsystem() : subsystem<list_over<A>>(mallard::allocator<int, A>(own<A>::source)) {}
};

template <class A>
struct abstract_subsystem : private own<mallard::resource<A>>, public subsystem<abstract_list> {
    abstract_subsystem() : subsystem(&abstract(own<mallard::resource<A>>::source)) {}
};

template <class A>
struct inline_subsystem : private own<mallard::resource<A>>, public subsystem<inline_list> {
    inline_subsystem()
        : subsystem(opaque(static_cast<mallard::inline_resource*>(&(own<mallard::resource<A>>::source)))) {}
};

/// The mechanism of multipool+monotonic, behind a lock if Pool is. The subsystem owns the monotonic allocator, which has no initial buffer.
/// There may be a subsystem for every link, so the pool begins with a small chunk, and the arena takes chunks of the
/// size that the pool requests.
template <class Pool>
class pool_over_arena {
public:
    using front_owner = pool_over_arena;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        pool_.deallocate(p, bytes, alignment);
    }
    template <class P = Pool>
        requires mallard::core::has_front<P>
    [[nodiscard]] auto& front() noexcept {
        return pool_.front();
    }

private:
    monotonic arena_{{.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 64}}};
    Pool pool_{arena_, mallard::multipool_options{.growth = {.first_chunk_bytes = 64}}};
};

template <class Subsystem, class List>
constexpr subsystem_life<List> make_life() {
    return {[]() -> subsystem<List>* { return new Subsystem(); },
            [](subsystem<List>* s) { delete static_cast<Subsystem*>(s); }, sizeof(Subsystem)};
}

/// Effects: calls `use` with the subsystem_life of the mechanism A behind the base for `binding`.
template <class A, class Use>
void with_bases(binding_kind binding, Use&& use) {
    if (binding == binding_kind::inline_base) {
        use(make_life<inline_subsystem<A>, inline_list>());
    } else if constexpr (!survey_only) {
        use(make_life<abstract_subsystem<A>, abstract_list>());
    }
}

/// Effects: calls `use` with the subsystem_life of the mechanism A under any binding.
template <class A, class Use>
void with_binding(binding_kind binding, Use&& use) {
    if (binding == binding_kind::type_parameter) {
        use(make_life<typed_subsystem<A>, list_over<A>>());
    } else {
        with_bases<A>(binding, use);
    }
}

/// The source of a registered mechanism that a subsystem owns.
template <mechanism_kind Kind>
using link_source = typename source_traits<Kind>::template type<link_shape.bytes>;

/// The standard allocator of a mechanism with one instance for the process.
template <mechanism_kind Kind>
using link_allocator = typename source_traits<Kind>::template node_allocator<int, sizeof(link_like)>;
template <mechanism_kind Kind>
concept serves_nodes_by_type = requires { sizeof(link_allocator<Kind>); };

/// A contender behind an abstract base: that of std::pmr, or that of its own library.
template <class Base>
struct behind {
    using list = list_over<Base>;
    static typename list::allocator_type allocator(Base& base) noexcept { return base; }
};
template <>
struct behind<std::pmr::memory_resource> {
    using list = abstract_list;
    static list::allocator_type allocator(std::pmr::memory_resource& base) noexcept { return &base; }
};
template <class Source>
using list_behind = typename behind<typename Source::base_type>::list;
template <class Source>
struct resource_subsystem : private own<Source>, public subsystem<list_behind<Source>> {
    resource_subsystem()
        : subsystem<list_behind<Source>>(
              behind<typename Source::base_type>::allocator(to_handle(own<Source>::source))) {}
};

/// Effects: calls `use` with the subsystem_life of a contender. Each subsystem owns a pool if the contender allows
/// it.
template <mechanism_kind Kind, class Use>
void with_contender_subsystems(Use&& use) {
    if constexpr (!registered<Kind> || is_in_a_region(Kind)) {
        std::abort(); // has_locality() refuses these
    } else if constexpr (requires { typename link_source<Kind>::base_type; }) {
        using source = link_source<Kind>;
        use(make_life<resource_subsystem<source>, list_behind<source>>());
    } else if constexpr (serves_containers_by_type<Kind> && std::is_empty_v<link_source<Kind>>) {
        using list = std::list<int, typename source_traits<Kind>::template allocator<int>>;
        use(make_life<subsystem<list>, list>());
    } else if constexpr (serves_nodes_by_type<Kind>) {
        using list = std::list<int, link_allocator<Kind>>;
        use(make_life<subsystem<list>, list>());
    } else {
        using source = link_source<Kind>;
        use(make_life<typed_subsystem<source>, list_over<source>>());
    }
}

/// Effects: calls `use` with the subsystem_life of `s`.
template <class Use>
void with_subsystems(const strategy& s, Use&& use) {
    switch (s.mechanism) {
    case mechanism_kind::global:
        return use(make_life<global_subsystem, standard_list>());
    case mechanism_kind::multipool:
        if constexpr (!survey_only) {
            if (s.locked) {
                return with_binding<locked_multipool>(s.binding, use);
            }
        }
        return s.binding == binding_kind::type_parameter
                   ? with_multipool_by(s.reuse,
                                       [&use](auto type) {
                                           using pool = typename decltype(type)::type;
                                           return use(make_life<typed_subsystem<pool>, list_over<pool>>());
                                       })
                   : with_bases<multipool>(s.binding, use);
    case mechanism_kind::heap:
        return with_binding<local_heap>(s.binding, use);
    case mechanism_kind::new_delete:
        if constexpr (!survey_only) {
            use(make_life<new_delete_subsystem, abstract_list>());
        }
        return;
    case mechanism_kind::multipool_over_monotonic:
        if constexpr (!survey_only) {
            s.locked ? with_binding<pool_over_arena<locked_multipool_over_monotonic>>(s.binding, use)
                     : with_binding<pool_over_arena<multipool_over_monotonic>>(s.binding, use);
        }
        return;
    default:
        with_kind(s.mechanism, [&]<mechanism_kind Kind>() { with_contender_subsystems<Kind>(use); });
    }
}

} // namespace

bool has_locality(const strategy& s) noexcept {
    // A process cannot have one thread-safe pool for each subsystem: std::pmr's takes a thread-specific key,
    // and there are 1,024.
    const bool needs_synchronized_pools = s.can(capability::own | capability::all_threads);
    return (s.is_plain() || s.locked) && s.destruction == destruction_kind::normal &&
           s.can(capability::reuses) && !needs_synchronized_pools;
}

std::size_t subsystem_bytes(const strategy& s) {
    std::size_t bytes = 0;
    with_subsystems(s, [&bytes](const auto& life) { bytes = life.bytes; });
    return bytes;
}

void measure_locality_under(const strategy& s, const locality_cell& cell, row& result) {
    with_subsystems(s, [&](const auto& life) { measure_locality(cell, life, result); });
}

} // namespace bench
