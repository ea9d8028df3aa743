/// The sources of a workload's blocks, and the place where contenders are registered.
///
/// A source has `allocate(bytes, alignment)` and `deallocate(p, bytes, alignment) noexcept`, as a mechanism of
/// the library has; some have `release()` (everything at once), `trim()` (gives back free memory) and
/// `allocate_many`, `deallocate_many` (core/burst.hpp). Workloads ask with `requires`.
///
/// A contender's file specialises source_of<its kind>:
///
///     type<Bytes>    the source; `Bytes` says nothing to those that learn the size when they are made
///     sized          true where `Bytes` is all that they learn
///     allocator<T>   if one object serves the process: its form behind a container
///     node_allocator<T, NodeBytes>   its form if it stands only behind containers of nodes of so many bytes
///
/// A source is made of a block_shape, of a buffer, or of nothing. If a program would hand its containers a resource
/// of its library's own abstract base, the source derives from it and names the base as `base_type`; workloads then
/// see the base only, as such a program does.
#pragma once

#include "bench/harness/escape.hpp"
#include "bench/strategy/mechanism_table.hpp"

#include <mallard/core/alignment.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace bench {

/// Of the blocks that a source is made for.
struct block_shape {
    std::size_t bytes;
    std::size_t alignment;

    /// Returns: the size with which blocks that lie side by side are aligned, all of them.
    [[nodiscard]] constexpr std::size_t stride() const noexcept {
        return mallard::core::align_up(bytes, alignment);
    }
};

/// A shape that the compiler knows too: code that is compiled for each size of a node is then compiled for this
/// one only.
template <std::size_t Bytes, std::size_t Alignment>
struct constant_shape {
    static constexpr std::size_t bytes = Bytes;
    static constexpr std::size_t alignment = Alignment;

    constexpr operator block_shape() const noexcept { return {Bytes, Alignment}; } // NOLINT: a shape as any
};

/// Not defined for the mechanisms that this build has not.
template <mechanism_kind Kind>
struct source_of;

/// The entry of a source that learns the size of its blocks when it is made, or serves any.
template <class Source>
struct plain_source {
    static constexpr bool sized = false;
    template <std::size_t>
    using type = Source;
};

/// The entry of a source that is compiled for one size.
template <template <std::size_t> class Source>
struct sized_source {
    static constexpr bool sized = true;
    template <std::size_t Bytes>
    using type = Source<Bytes>;
};

template <mechanism_kind Kind>
concept registered = requires { sizeof(source_of<Kind>); };

/// One object serves the process, behind the containers too.
template <mechanism_kind Kind>
concept serves_containers_by_type =
    requires { std::type_identity<typename source_of<Kind>::template allocator<int>>(); };

/// A source that learns the size of its blocks when it is made, and serves no other.
template <class Source>
concept of_one_size = std::is_constructible_v<Source, block_shape>;

/// Blocks of any size, from a source that does not learn their size when it is made.
template <mechanism_kind Kind>
concept serves_any_size =
    registered<Kind> && !source_of<Kind>::sized && !of_one_size<typename source_of<Kind>::template type<0>>;

/// The node that sized_source is compiled for, of so many bytes.
template <std::size_t Bytes>
struct node_of {
    alignas(sizeof(void*)) std::byte bytes[Bytes];
};

/// Calls `use` with the number of bytes, a multiple of a word, that a node of `shape` takes.
/// Requires: at most largest_node_bytes.
template <class Use>
void with_node_bytes(block_shape shape, Use&& use) {
    constexpr std::size_t word = sizeof(void*);
    const std::size_t words = mallard::core::align_up(shape.stride(), word) / word;
    const auto among = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((words == I + 1 && (use(std::integral_constant<std::size_t, (I + 1) * word>()), true)) ||
                ...);
    };
    if (!among(std::make_index_sequence<largest_node_bytes / word>())) {
        std::abort(); // refuse_unserved() did not
    }
}

template <std::size_t Bytes, std::size_t Alignment, class Use>
void with_node_bytes(constant_shape<Bytes, Alignment>, Use&& use) {
    constexpr std::size_t bytes =
        mallard::core::align_up(mallard::core::align_up(Bytes, Alignment), sizeof(void*));
    if constexpr (bytes <= largest_node_bytes) {
        use(std::integral_constant<std::size_t, bytes>());
    } else {
        std::abort(); // refuse_unserved() did not
    }
}

/// Returns: a source for blocks of `shape`.
template <class Source>
Source made_for(block_shape shape) {
    if constexpr (of_one_size<Source>) {
        return Source(shape);
    } else {
        return Source();
    }
}

/// Returns: a workload's view of a source: itself, or its abstract base, whose type is hidden from the compiler.
template <class Source>
auto& handle_of(Source& made) noexcept {
    if constexpr (requires { typename Source::base_type; }) {
        return *opaque(static_cast<typename Source::base_type*>(&made));
    } else {
        return made;
    }
}

/// Effects: makes the source of a registered mechanism, calls `use` with its handle, and destroys it.
template <mechanism_kind Kind, class Shape, class Use>
void with_source_of(std::span<std::byte> buffer, Shape shape, Use&& use) {
    if constexpr (source_of<Kind>::sized) {
        with_node_bytes(shape, [&](auto bytes) {
            typename source_of<Kind>::template type<decltype(bytes)::value> made;
            use(handle_of(made));
        });
    } else {
        using source = typename source_of<Kind>::template type<0>;
        if constexpr (std::is_constructible_v<source, std::span<std::byte>>) {
            if (!buffer.empty()) {
                source made(buffer);
                use(handle_of(made));
                return;
            }
        }
        if constexpr (is_in_a_region(Kind)) {
            std::abort(); // without a region there is no memory
        } else {
            source made = made_for<source>(shape);
            use(handle_of(made));
        }
    }
}

/// Effects: calls `use.operator()<kind>()`, the kind being a constant there.
/// Requires: `kind` is compiled into this runner.
template <class Use>
void with_kind(mechanism_kind kind, Use&& use) {
    const auto use_if_compiled = [&use]<mechanism_kind Kind>() {
        if constexpr (is_compiled(Kind)) {
            use.template operator()<Kind>();
        } else {
            std::abort(); // strategies() has none of these
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        static_cast<void>(((static_cast<std::size_t>(kind) == I &&
                            (use_if_compiled.template operator()<static_cast<mechanism_kind>(I)>(), true)) ||
                           ...));
    }(std::make_index_sequence<mechanism_count>());
}

} // namespace bench
