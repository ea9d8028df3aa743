/// The reference of an allocator to its upstream: an address, or nothing if the upstream has no state.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>

#include <memory>

namespace mallard::core::inline MALLARD_MODE {

template <upstream Upstream>
class upstream_handle {
public:
    /// Requires: `source` outlives the handle.
    explicit upstream_handle(Upstream& source) noexcept : source_(std::addressof(source)) {}

    [[nodiscard]] Upstream& get() const noexcept { return *source_; }

private:
    Upstream* source_;
};

template <stateless_upstream Upstream>
class upstream_handle<Upstream> {
public:
    upstream_handle() = default;
    explicit upstream_handle(Upstream&) noexcept {}

    [[nodiscard]] Upstream get() const noexcept { return {}; }
};

} // namespace mallard::core::inline MALLARD_MODE
