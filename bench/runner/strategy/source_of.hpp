/// The sources of a workload's blocks, and the place where contenders are registered.
///
/// A source has `allocate(bytes, alignment)` and `deallocate(p, bytes, alignment) noexcept`, like a mechanism of the
/// library; some have `release()` (frees everything), `trim()` (returns free memory) and `allocate_many`,
/// `deallocate_many` (core/burst.hpp). Workloads check with `requires`.
///
/// A contender's file specialises source_traits<kind>:
///
///     type<Bytes>    the source; sources that get the size at construction ignore `Bytes`
///     sized          true if the source gets its size only by `Bytes`
///     buffered       if it is of another type over a buffer: that type
///     allocator<T>   if one object serves the process: its form behind a container
///     node_allocator<T, NodeBytes>   its form behind containers of nodes of that size
///
/// A source is constructed from a block_shape, from a buffer, or from nothing. If programs use a resource of its
/// library through an abstract base, the source derives from the resource and names the base as `base_type`;
/// workloads then see only the base, as such a program does.
#pragma once

#include "runner/harness/escape.hpp"
#include "runner/strategy/mechanism_table.hpp"

#include <mallard/core/alignment.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace bench {

/// The size and alignment of the blocks of a source.
struct block_shape {
    std::size_t bytes;
    std::size_t alignment;

    /// Returns: the distance of adjacent aligned blocks.
    [[nodiscard]] constexpr std::size_t stride() const noexcept {
        return mallard::core::align_up(bytes, alignment);
    }
};

/// A shape known to the compiler: code that is compiled for each size of a node is then compiled for this size only.
template <std::size_t Bytes, std::size_t Alignment>
struct constant_shape {
    static constexpr std::size_t bytes = Bytes;
    static constexpr std::size_t alignment = Alignment;

    constexpr operator block_shape() const noexcept { return {Bytes, Alignment}; } // NOLINT: a shape as any
};

/// Not defined for the mechanisms that this build lacks.
template <mechanism_kind Kind>
struct source_traits;

/// The entry of a source that gets the size of its blocks at construction, or serves any size.
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
concept registered = requires { sizeof(source_traits<Kind>); };

/// One object serves the process, including its containers.
template <mechanism_kind Kind>
concept serves_containers_by_type =
    requires { std::type_identity<typename source_traits<Kind>::template allocator<int>>(); };

/// A source that gets the size of its blocks at construction, and serves no other size.
template <class Source>
concept of_one_size = std::is_constructible_v<Source, block_shape>;

/// The source over a buffer.
template <mechanism_kind Kind, class Traits = source_traits<Kind>>
struct buffered_source_of {
    using type = typename Traits::template type<0>;
};
template <mechanism_kind Kind, class Traits>
    requires requires { typename Traits::buffered; }
struct buffered_source_of<Kind, Traits> {
    using type = typename Traits::buffered;
};
template <mechanism_kind Kind>
using buffered_source = typename buffered_source_of<Kind>::type;

template <mechanism_kind Kind>
concept buffer_constructible = std::is_constructible_v<buffered_source<Kind>, std::span<std::byte>>;

/// Blocks of any size, from a source that is constructed without a size.
template <mechanism_kind Kind>
concept serves_any_size = registered<Kind> && !source_traits<Kind>::sized &&
                          !of_one_size<typename source_traits<Kind>::template type<0>>;

/// The node of a sized_source.
template <std::size_t Bytes>
struct sized_node {
    alignas(sizeof(void*)) std::byte bytes[Bytes];
};

/// Calls `use` with the bytes of a node of `shape`, rounded up to words.
/// Requires: the result is at most largest_node_bytes.
template <class Use>
void with_node_bytes(block_shape shape, Use&& use) {
    constexpr std::size_t word = sizeof(void*);
    const std::size_t words = mallard::core::align_up(shape.stride(), word) / word;
    const auto among = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((words == I + 1 && (use(std::integral_constant<std::size_t, (I + 1) * word>()), true)) ||
                ...);
    };
    if (!among(std::make_index_sequence<largest_node_bytes / word>())) {
        std::abort(); // refuse_unserved() rejects larger ones
    }
}

template <std::size_t Bytes, std::size_t Alignment, class Use>
void with_node_bytes(constant_shape<Bytes, Alignment>, Use&& use) {
    constexpr std::size_t bytes =
        mallard::core::align_up(mallard::core::align_up(Bytes, Alignment), sizeof(void*));
    if constexpr (bytes <= largest_node_bytes) {
        use(std::integral_constant<std::size_t, bytes>());
    } else {
        std::abort(); // refuse_unserved() rejects larger ones
    }
}

/// Returns: a source for blocks of `shape`.
template <class Source>
Source make_source(block_shape shape) {
    if constexpr (of_one_size<Source>) {
        return Source(shape);
    } else {
        return Source();
    }
}

/// Returns: the workload's view of a source: the source, or its abstract base with a type that is hidden from the
/// compiler.
template <class Source>
auto& to_handle(Source& source) noexcept {
    if constexpr (requires { typename Source::base_type; }) {
        return *opaque(static_cast<typename Source::base_type*>(&source));
    } else {
        return source;
    }
}

/// Effects: constructs the source of a registered mechanism, calls `use` with its handle, and destroys it.
template <mechanism_kind Kind, class Shape, class Use>
void with_registered_source(std::span<std::byte> buffer, Shape shape, Use&& use) {
    if constexpr (source_traits<Kind>::sized) {
        with_node_bytes(shape, [&](auto bytes) {
            typename source_traits<Kind>::template type<decltype(bytes)::value> source;
            use(to_handle(source));
        });
    } else {
        using source_type = typename source_traits<Kind>::template type<0>;
        if constexpr (buffer_constructible<Kind>) {
            if (!buffer.empty()) {
                buffered_source<Kind> source(buffer);
                use(to_handle(source));
                return;
            }
        }
        if constexpr (is_in_a_region(Kind)) {
            std::abort(); // without a region there is no memory
        } else {
            auto source = make_source<source_type>(shape);
            use(to_handle(source));
        }
    }
}

/// Effects: calls `use.operator()<kind>()` with the kind as a constant.
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
