/// Which mechanism a copy of a container uses: a policy of the allocator (bind/allocator.hpp).
///
///     shared_on_copy    that of the original. The copy must not outlive it.
///     global_on_copy    the global allocator, as with std::pmr, so that a copy may leave the arena:
///
///     using names = std::vector<int, mallard::inline_allocator<int, mallard::global_on_copy>>;
///     names result = in_the_arena;      // may outlive the arena
///     names moved{std::move(in_the_arena), result.get_allocator()};    // copies the elements too
///
/// A policy of the user is a class with a static function of_copy(A&), for a mechanism A that it knows.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/core/build_mode.hpp>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// For inline_allocator, behind which any mechanism may stand. An allocator that names another mechanism in its type
/// cannot name the global allocator too.
struct global_on_copy {
    [[nodiscard]] static inline_resource& of_copy(inline_resource&) noexcept {
        return *new_delete_resource();
    }
};

}} // namespace mallard::MALLARD_LIBRARY
