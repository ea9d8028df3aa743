/// A reference to any upstream, chosen at run time.
///
///     mallard::upstream_ref source = in_a_test ? mallard::upstream_ref(ledger) : mallard::upstream_ref(pages);
///     mallard::multipool pool(source);            // a multipool<upstream_ref>, whatever stands behind it
///
///     [ address of the upstream | its calls ]
///
/// Data model: two words. A call costs an indirect call, as through std::pmr::memory_resource*; but any upstream will
/// do as it is, and the reference is a value: an allocator keeps a copy, so that only the upstream must outlive it.
///
/// Source: rmm::device_async_resource_ref of RAPIDS; any_allocator_reference of foonathan/memory.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/quiet_request.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

/// Thread-safe only if the upstream is.
class upstream_ref {
public:
    using refers_to_an_upstream = void;

    /// Effects: refers to none. Nothing but a copy or an assignment is allowed then.
    constexpr upstream_ref() noexcept = default;

    /// Requires: `source` outlives all chunks of it.
    template <upstream Upstream>
        requires(!std::same_as<Upstream, upstream_ref> && !std::is_const_v<Upstream>)
    constexpr upstream_ref(Upstream& source) noexcept
        : source_(const_cast<void*>(static_cast<const volatile void*>(std::addressof(source)))),
          calls_(&calls_for<Upstream>) {}

    /// Throws: the exceptions of the upstream.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) const {
        MALLARD_EXPECTS(calls_ != nullptr);
        return calls_->allocate(source_, bytes, alignment);
    }

    /// Returns: the result of allocate(); null where that throws (nothrow_upstream).
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) const noexcept {
        MALLARD_EXPECTS(calls_ != nullptr);
        return calls_->try_allocate(source_, bytes, alignment);
    }

    /// Requires: `p` came from allocate(bytes, alignment) of this upstream.
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = fundamental_alignment) const noexcept {
        MALLARD_EXPECTS(calls_ != nullptr);
        calls_->deallocate(source_, p, bytes, alignment);
    }

    /// Returns: true if both refer to the same upstream by the same type, or both to none.
    [[nodiscard]] friend bool operator==(const upstream_ref&, const upstream_ref&) noexcept = default;

private:
    struct calls {
        void* (*allocate)(void* source, std::size_t bytes, std::size_t alignment);
        void* (*try_allocate)(void* source, std::size_t bytes, std::size_t alignment) noexcept;
        void (*deallocate)(void* source, void* p, std::size_t bytes, std::size_t alignment) noexcept;
    };

    template <class Upstream>
    static constexpr calls calls_for{
        [](void* source, std::size_t bytes, std::size_t alignment) -> void* {
            return static_cast<Upstream*>(source)->allocate(bytes, alignment);
        },
        [](void* source, std::size_t bytes, std::size_t alignment) noexcept -> void* {
            return core::ask_without_unwinding(*static_cast<Upstream*>(source), bytes, alignment);
        },
        [](void* source, void* p, std::size_t bytes, std::size_t alignment) noexcept {
            core::give_back(*static_cast<Upstream*>(source), p, bytes, alignment);
        }};

    void* source_ = nullptr;
    const calls* calls_ = nullptr;
};

static_assert(upstream_reference<upstream_ref>);

}} // namespace mallard::MALLARD_MODE
