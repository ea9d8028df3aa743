/// The allocator of a container over a source: std::allocator for the global source, an allocator with a pointer for
/// all others.
#pragma once

#include "runner/strategy/global_source.hpp"

#include <mallard/bind/allocator.hpp>

#include <memory>
#include <type_traits>

namespace bench {

template <class T, class Source>
using allocator_over = std::conditional_t<std::is_same_v<Source, global_source>, std::allocator<T>,
                                          mallard::allocator<T, Source>>;

/// Returns: the allocator of a container over `source`.
template <class Allocator, class Source>
Allocator make_allocator([[maybe_unused]] Source& source) noexcept {
    if constexpr (std::is_same_v<Source, global_source>) {
        return {};
    } else {
        return Allocator(source);
    }
}

} // namespace bench
