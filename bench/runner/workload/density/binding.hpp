/// The structures of Benchmark I under any binding, and the functions of a binding: one for each structure and kind of
/// destruction. A strategy calls one of them per iteration, through a table (strategy/binding.hpp).
#pragma once

#include "runner/harness/escape.hpp"
#include "runner/strategy/binding.hpp"
#include "runner/workload/density/input.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace bench {

/// The characters of a string that its hash reads. Addresses, which the papers' programs hash, would make the
/// buckets depend on the allocator.
enum class string_hash {
    prefix, ///< the length and the first eight characters: hashing is cheap compared with allocating
    full,   ///< all characters, by std::hash: 517 on average
};

/// Set once, before the first structure is built.
inline string_hash string_hash_in_use = string_hash::prefix;

/// Integers hash to themselves, strings by string_hash, containers by their first element. Not noexcept, so that
/// libstdc++ stores the hash in each node, as it does for std::string.
struct density_hash {
    template <class T>
    std::size_t operator()(const T& value) const {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<std::size_t>(value);
        } else if constexpr (std::is_same_v<typename T::value_type, char>) {
            if (string_hash_in_use == string_hash::full) {
                return std::hash<std::string_view>()(std::string_view(value.data(), value.size()));
            }
            std::uint64_t first = 0;
            std::memcpy(&first, value.data(), sizeof first);
            return static_cast<std::size_t>((first ^ value.size()) * 0x9e3779b97f4a7c15ULL >> 16);
        } else {
            return value.empty() ? 0 : (*this)(*value.begin());
        }
    }
};

/// The twelve structures. All parts take their memory from `Alloc`.
template <template <class> class Alloc>
struct density_types {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    template <class T>
    using vector = std::vector<T, Alloc<T>>;
    template <class T>
    using set = std::unordered_set<T, density_hash, std::equal_to<>, Alloc<T>>;
};

template <class T>
concept set_like = requires { typename T::hasher; };
template <class T>
concept string_like = std::is_same_v<typename T::traits_type, std::char_traits<char>>;

/// Effects: adds leaf number `i` at the end of a vector, or to a set.
template <class Container>
void add_leaf(Container& c, const density_input& input, std::size_t i) {
    if constexpr (string_like<typename Container::value_type>) {
        if constexpr (set_like<Container>) {
            escape(std::addressof(*c.emplace(input.text(i), input.length(i)).first));
        } else {
            escape(std::addressof(c.emplace_back(input.text(i), input.length(i))));
        }
    } else if constexpr (set_like<Container>) {
        escape(std::addressof(*c.insert(static_cast<int>(i)).first));
    } else {
        c.push_back(static_cast<int>(i));
        escape(std::addressof(c.back()));
    }
}

/// Effects: adds leaves first, first + 1 .. first + count - 1. Not inlined, because the layout of a loop of a
/// nanosecond a leaf would depend on the allocating code around it, which differs between strategies.
template <class Container>
[[gnu::noinline]] void add_leaves(Container& c, const density_input& input, std::size_t first,
                                  std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        add_leaf(c, input, first + i);
    }
}

/// Effects: fills the empty `c` with leaves first, first + 1 .. first + count - 1.
template <class Container>
void fill_leaves(Container& c, const density_input& input, std::size_t first, std::size_t count) {
    c.reserve(count);
    add_leaves(c, input, first, count);
}

template <class T>
concept container_of_containers =
    !std::is_integral_v<typename T::value_type> && !string_like<typename T::value_type>;

/// Effects: reserves, and fills the empty `structure` element by element (P0213R0, section 9).
template <class Structure>
void fill(Structure& structure, const density_input& input) {
    if constexpr (container_of_containers<Structure>) {
        using inner_type = typename Structure::value_type;
        const std::size_t count = input.leaves_an_element();
        structure.reserve(input.elements());
        for (std::size_t element = 0; element != input.elements(); ++element) {
            inner_type inner{typename inner_type::allocator_type(structure.get_allocator())};
            fill_leaves(inner, input, element * count, count);
            if constexpr (set_like<Structure>) {
                structure.insert(std::move(inner));
            } else {
                structure.push_back(std::move(inner));
            }
        }
    } else {
        fill_leaves(structure, input, 0, input.elements());
    }
}

/// Returns: a checksum of the leaves, in any order. Never inlined, so that it does not change the code of the
/// timed part.
template <class T>
[[gnu::noinline]] std::uint64_t compute_checksum(const T& value) {
    if constexpr (std::is_integral_v<T>) {
        return (static_cast<std::uint64_t>(value) + 1) * 0x9e3779b97f4a7c15ULL;
    } else if constexpr (string_like<T>) {
        constexpr std::uint64_t prime = 1099511628211ULL; // FNV-1a's, eight characters at a time
        std::uint64_t sum = 14695981039346656037ULL ^ value.size();
        for (std::size_t i = 0; i < value.size(); i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, value.data() + i, std::min<std::size_t>(8, value.size() - i));
            sum = (sum ^ word) * prime;
        }
        return sum;
    } else {
        std::uint64_t sum = value.size();
        for (const auto& element : value) {
            sum += compute_checksum(element);
        }
        return sum;
    }
}

inline constexpr std::size_t structure_count = 12;

/// The leaves of a structure, and the destination of its checksum, which is null in timed parts.
struct density_task {
    const density_input& input;
    std::uint64_t* checksum = nullptr;
};

template <class Handle>
struct density_operations {
    void (*normal)(Handle&, const density_task&);
    void (*winked_out)(Handle&, const density_task&); ///< null if the binding cannot release memory
};

/// In the order of data_structures().
template <class Handle>
using density_table = std::array<density_operations<Handle>, structure_count>;

template <class Structure>
void use(Structure& structure, const density_task& task) {
    fill(structure, task.input);
    escape(std::addressof(structure));
    if (task.checksum != nullptr) {
        *task.checksum = compute_checksum(structure);
    }
}

template <class Binding, class Structure>
void build_and_destroy(typename Binding::handle& source, const density_task& task) {
    Structure structure(typename Structure::allocator_type(Binding::template get<std::byte>(source)));
    use(structure, task);
}

template <class Binding, class Structure>
void build_and_leave(typename Binding::handle& source, const density_task& task) {
    use(Binding::template wink<Structure>(source), task);
}

/// A binding without `wink`, such as the global allocator's, cannot be winked out.
template <class Binding, class Structure>
constexpr density_operations<typename Binding::handle> operations_on() {
    using handle = typename Binding::handle;
    density_operations<handle> result{&build_and_destroy<Binding, Structure>, nullptr};
    if constexpr (requires(handle& source) { Binding::template wink<Structure>(source); }) {
        result.winked_out = &build_and_leave<Binding, Structure>;
    }
    return result;
}

template <class Binding, class... Structures>
constexpr density_table<typename Binding::handle> make_table() {
    return {operations_on<Binding, Structures>()...};
}

/// Returns: the operations on DS1..DS12 under `Binding`.
template <class Binding>
constexpr density_table<typename Binding::handle> make_density_table() {
    using types = density_types<Binding::template alloc>;
    using string = typename types::string;
    using vector_int = typename types::template vector<int>;
    using vector_string = typename types::template vector<string>;
    using set_int = typename types::template set<int>;
    using set_string = typename types::template set<string>;
    return make_table<Binding, vector_int, vector_string, set_int, set_string,
                      typename types::template vector<vector_int>,
                      typename types::template vector<vector_string>,
                      typename types::template vector<set_int>, typename types::template vector<set_string>,
                      typename types::template set<vector_int>, typename types::template set<vector_string>,
                      typename types::template set<set_int>, typename types::template set<set_string>>();
}

/// Returns: the operations on the twelve structures under the binding with that handle. Only tables.hpp has the definition.
template <class Handle>
const density_table<Handle>& density_table_for();

} // namespace bench
