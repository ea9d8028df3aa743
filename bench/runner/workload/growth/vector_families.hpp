/// Constructs the vectors of every strategy: plain ones for timed passes, counted ones for the others
/// (workload/request_counter.hpp).
///
/// A family has `make()`, `make(size)` and `make_counted(counter, size)`. Their vectors have `push_back`,
/// `erase` at the end, `shrink_to_fit` and the usual members. Vectors over a local mechanism share it; it lives
/// as long as the family.
///
///     version     container               allocator
///     none        std::vector             std::allocator, mallard::allocator
///     first       boost::container::vector   mallard::allocator, boost::container::allocator<T, 1>
///     second      boost::container::vector   mallard::expandable_allocator, boost::container::allocator<T, 2>, ...
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1.
#pragma once

#include "runner/strategy/sources.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/growth/own_vectors.hpp"
#include "runner/workload/request_counter.hpp"

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/expandable_allocator.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#if BENCH_HAS_BOOST_CONTAINER
#include <boost/container/vector.hpp>
#endif

namespace bench {

/// The article's element. Its copy constructor costs as much as most moves, and no library may copy its bytes.
class my_int {
public:
    my_int(int i = 0) noexcept : int_(i) {}                    // NOLINT: as in the article
    my_int(const my_int& other) noexcept : int_(other.int_) {} // NOLINT: as in the article
    my_int& operator=(const my_int& other) noexcept {          // NOLINT: as in the article
        int_ = other.int_;
        return *this;
    }
    ~my_int() = default;

    operator int() const noexcept { return int_; } // NOLINT: lets works on vectors treat it as an int

private:
    int int_;
};
static_assert(!std::is_trivially_copyable_v<my_int>);

/// Vector<T, Allocator> for one allocator.
template <template <class...> class Vector, class Allocator>
class allocator_family {
    using element = typename std::allocator_traits<Allocator>::value_type;
    using counted = counted_allocator<Allocator>;

public:
    explicit allocator_family(const Allocator& allocator) noexcept : allocator_(allocator) {}

    [[nodiscard]] auto make() const { return Vector<element, Allocator>(allocator_); }
    [[nodiscard]] auto make(std::size_t size) const { return Vector<element, Allocator>(size, allocator_); }
    [[nodiscard]] auto make_counted(request_counter& counter, std::size_t size) const {
        return Vector<element, counted>(size, counted(allocator_, counter));
    }

private:
    Allocator allocator_;
};

template <class T>
class realloc_family {
public:
    [[nodiscard]] static auto make() noexcept { return realloc_vector<T>(nullptr); }
    [[nodiscard]] static auto make(std::size_t size) { return realloc_vector<T>(size, nullptr); }
    [[nodiscard]] static auto make_counted(request_counter& counter, std::size_t size) {
        return size == 0 ? realloc_vector<T>(&counter) : realloc_vector<T>(size, &counter);
    }
};

template <class T>
class preallocated_family {
public:
    /// Requires: `room` holds the largest of the vectors, and there is one at a time.
    explicit preallocated_family(std::span<std::byte> room) noexcept : room_(room) {}

    [[nodiscard]] auto make() const noexcept { return preallocated_vector<T>(room_); }
    [[nodiscard]] auto make(std::size_t size) const noexcept { return preallocated_vector<T>(size, room_); }
    [[nodiscard]] auto make_counted(request_counter&, std::size_t size) const noexcept { return make(size); }

private:
    std::span<std::byte> room_;
};

/// True if an experiment with vectors has the strategy.
[[nodiscard]] inline bool has_vectors(const strategy& s) noexcept {
    using enum mechanism_kind;
    if (s.version != vector_version::none) {
        return true;
    }
    return s.mechanism == null || s.mechanism == global || s.mechanism == c_realloc ||
           (s.mechanism == heap && s.binding == binding_kind::type_parameter && s.frees_every_block());
}

/// The expansions that strategies of the second version may not use, because they would hide the
/// measured one.
enum class masked_expansion { none, forward };

/// Effects: calls `use` with std::vector over `allocator`.
template <class Allocator, class Use>
void with_standard_vectors(const Allocator& allocator, Use&& use) {
    const allocator_family<std::vector, Allocator> family(allocator);
    use(family);
}

#if BENCH_HAS_BOOST_CONTAINER

template <class T, class Allocator>
using boost_vector = boost::container::vector<T, Allocator>;

template <class Allocator, class Use>
void with_boost_vectors(const Allocator& allocator, Use&& use) {
    const allocator_family<boost_vector, Allocator> family(allocator);
    use(family);
}

/// An allocator A of version 2 that is never asked to expand forward. Allocators of mallard and Boost have a
/// parameter for this.
template <class A>
class not_forward : public A {
    using traits = std::allocator_traits<A>;

public:
    template <class U>
    struct rebind {
        using other = not_forward<typename traits::template rebind_alloc<U>>;
    };

    not_forward(const A& wrapped) noexcept : A(wrapped) {} // NOLINT: as an allocator from an allocator

    template <class B>
    not_forward(const not_forward<B>& other) noexcept : A(other) {}

    auto allocation_command(unsigned command, std::size_t limit, std::size_t& size,
                            typename traits::pointer& reuse) {
        constexpr unsigned forward = 0x02;
        return A::allocation_command(allocation_bits{command & ~forward}, limit, size, reuse);
    }
};

/// Effects: calls `use` with Boost's vectors over mallard's allocator of the version.
template <masked_expansion Masked, class T, class Mechanism, class Use>
void with_ours_behind_boost(vector_version version, Mechanism& mechanism, Use&& use) {
    using mallard::expandable_allocator;
    using mallard::expansion;
    constexpr expansion masked = Masked == masked_expansion::forward ? expansion::forward : expansion::none;
    switch (version) {
    case vector_version::first:
        return with_boost_vectors(mallard::allocator<T, Mechanism>(mechanism), use);
    case vector_version::second_masked:
        return with_boost_vectors(expandable_allocator<T, Mechanism, expansion::in_place>(mechanism), use);
    case vector_version::second:
        return with_boost_vectors(expandable_allocator<T, Mechanism, masked>(mechanism), use);
    case vector_version::none:
        break;
    }
    std::abort(); // no strategy has it
}

template <masked_expansion Masked, class T, class Use>
void with_boost_behind_boost(vector_version version, Use&& use) {
    using boost::container::allocator;
    constexpr unsigned forward = BOOST_CONTAINER_EXPAND_FWD;
    constexpr unsigned both = BOOST_CONTAINER_EXPAND_BOTH;
    constexpr unsigned masked = Masked == masked_expansion::forward ? forward : 0;
    switch (version) {
    case vector_version::first:
        return with_boost_vectors(allocator<T, 1>(), use);
    case vector_version::second_masked:
        return with_boost_vectors(allocator<T, 2, both>(), use);
    case vector_version::second:
        return with_boost_vectors(allocator<T, 2, masked>(), use);
    case vector_version::none:
        break;
    }
    std::abort(); // no strategy has it
}

#if BENCH_HAS_BOOST_INTERPROCESS
template <masked_expansion Masked, class T, class Use>
void with_interprocess_behind_boost(std::span<std::byte> region, Use&& use) {
    using allocator = boost_interprocess_source::allocator<T>;
    boost_interprocess_source memory(region);
    const allocator plain(memory.manager());
    if constexpr (Masked == masked_expansion::forward) {
        with_boost_vectors(not_forward<allocator>(plain), use);
    } else {
        with_boost_vectors(plain, use);
    }
}
#endif

/// Effects: calls `use` with Boost's vectors of T under the strategy.
template <masked_expansion Masked, class T, class Use>
void with_vectors_behind_boost(const strategy& s, std::span<std::byte> region, Use&& use) {
    switch (s.mechanism) {
    case mechanism_kind::heap: {
        local_heap memory;
        return with_ours_behind_boost<Masked, T>(s.version, memory, use);
    }
    case mechanism_kind::region_heap: {
        region_heap_source memory(region);
        return with_ours_behind_boost<Masked, T>(s.version, memory.heap(), use);
    }
    case mechanism_kind::boost_allocator:
        return with_boost_behind_boost<Masked, T>(s.version, use);
    case mechanism_kind::boost_interprocess:
#if BENCH_HAS_BOOST_INTERPROCESS
        return with_interprocess_behind_boost<Masked, T>(region, use);
#endif
    default:
        std::abort(); // this build does not have it
    }
}

#else

template <masked_expansion Masked, class T, class Use>
void with_vectors_behind_boost(const strategy&, std::span<std::byte>, Use&&) {
    std::abort(); // this build has no Boost.Container
}

#endif

/// Effects: constructs the mechanism that the vectors share, over `region` if it takes one, and calls `use` with
/// their family.
/// Requires: has_vectors(s); for null, `region` holds the largest of the vectors.
template <masked_expansion Masked, class T, class Use>
void with_vectors(const strategy& s, std::span<std::byte> region, Use&& use) {
    if (s.version != vector_version::none) {
        return with_vectors_behind_boost<Masked, T>(s, region, use);
    }
    switch (s.mechanism) {
    case mechanism_kind::null:
        return use(preallocated_family<T>(region));
    case mechanism_kind::global:
        return with_standard_vectors(std::allocator<T>(), use);
    case mechanism_kind::heap: {
        local_heap memory;
        return with_standard_vectors(mallard::allocator<T, local_heap>(memory), use);
    }
    case mechanism_kind::c_realloc:
        if constexpr (std::is_trivially_copyable_v<T>) {
            return use(realloc_family<T>());
        }
        break;
    default:
        break;
    }
    std::abort(); // parse() has refused the strategy
}

} // namespace bench
