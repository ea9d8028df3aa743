/// The reference of an allocator to its upstream: an address; nothing if the upstream has no state; a copy if the
/// upstream is a reference itself.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/utility.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace mallard::core { inline namespace MALLARD_MODE {

/// Effects: tells an upstream that can use it that the contents of [p, p + bytes), a part of a block, are not needed.
template <upstream Upstream>
void discard([[maybe_unused]] Upstream&& source, [[maybe_unused]] void* p,
             [[maybe_unused]] std::size_t bytes) noexcept {
    if constexpr (requires {
                      { source.discard(p, bytes) } noexcept -> std::same_as<void>;
                  }) {
        source.discard(p, bytes);
    }
}

/// The parameter of a constructor that takes an upstream: one to refer to; or a reference, which is copied, so that it may
/// be a temporary.
template <upstream Upstream>
using upstream_argument = std::conditional_t<upstream_reference<Upstream>, const Upstream&, Upstream&>;

template <upstream Upstream>
class upstream_handle {
public:
    /// Effects: refers to none, for an owner of nothing.
    upstream_handle() = default;

    /// Requires: `source` outlives the handle.
    explicit constexpr upstream_handle(Upstream& source) noexcept : source_(core::address_of(source)) {}

    [[nodiscard]] Upstream& get() const noexcept { return *source_; }

    /// Returns: true if both refer to the same upstream, so that either may give back what was taken by the other.
    [[nodiscard]] bool refers_to_same(const upstream_handle& other) const noexcept {
        return source_ == other.source_;
    }

private:
    Upstream* source_ = nullptr;
};

template <stateless_upstream Upstream>
class upstream_handle<Upstream> {
public:
    upstream_handle() = default;
    explicit constexpr upstream_handle(Upstream&) noexcept {}

    [[nodiscard]] Upstream get() const noexcept { return {}; }
    [[nodiscard]] bool refers_to_same(const upstream_handle&) const noexcept { return true; }
};

template <upstream_reference Upstream>
class upstream_handle<Upstream> {
public:
    upstream_handle() = default;
    explicit constexpr upstream_handle(const Upstream& source) noexcept : source_(source) {}

    [[nodiscard]] Upstream get() const noexcept { return source_; }

    /// References that cannot be compared count as different.
    [[nodiscard]] bool refers_to_same([[maybe_unused]] const upstream_handle& other) const noexcept {
        if constexpr (std::equality_comparable<Upstream>) {
            return source_ == other.source_;
        } else {
            return false;
        }
    }

private:
    Upstream source_;
};

}} // namespace mallard::core::MALLARD_MODE
