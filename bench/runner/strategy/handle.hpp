/// The handle of any strategy that serves containers: the object that its binding (strategy/binding.hpp) takes.
#pragma once

#include "runner/strategy/contender_binding.hpp"

#include <cstddef>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <utility>

namespace bench {

/// Effects: constructs the allocator of `s`, over `buffer` if it takes one, calls `use` with its handle, and destroys it.
/// `Upstream` is that of mallard's allocators. It does not construct null.
/// Requires: `s` serves containers and one thread, and is compiled into this runner.
/// Returns: the number of chunks that mallard's monotonic allocator took beyond its buffer.
template <class Upstream = mallard::chunk_cache, class Use>
std::size_t with_handle(const strategy& s, std::span<std::byte> buffer, Use&& use) {
    const auto use_compiled = [&use]<class Handle>(Handle& handle) {
        constexpr bool in_survey =
            !std::is_same_v<Handle, local_heap> && !std::is_same_v<Handle, mallard::inline_resource>;
        if constexpr (!survey_only || in_survey) {
            use(handle);
        } else {
            std::abort(); // the survey's runner has no table for these
        }
    };
    if (s.mechanism == mechanism_kind::global || s.mechanism == mechanism_kind::global_kept) {
        global_handle global;
        use(global);
        return 0;
    }
    if (s.mechanism == mechanism_kind::new_delete) {
        use(abstract(*mallard::new_delete_resource()));
        return 0;
    }
    if (!s.is_contender()) {
        return with_mechanism<Upstream>(s, buffer, use_compiled);
    }
    with_kind(s.mechanism, [&]<mechanism_kind Kind>() {
        if constexpr (serves_containers_by_type<Kind>) {
            process_wide<Kind> handle;
            use(handle);
        } else if constexpr (serves_any_size<Kind> && !is_library_pool(Kind) && !is_in_a_region(Kind)) {
            with_registered_source<Kind>(buffer, block_shape(), use);
        } else {
            std::abort();
        }
    });
    return 0;
}

} // namespace bench
