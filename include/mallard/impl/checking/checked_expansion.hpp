/// The registry of a mechanism whose blocks change and know their sizes.
///
///     caller  ->  checked_expansion, checked_calls: registry_  ->  Base: the mechanism
///
/// Data model: nothing beyond checked_calls. Every member of an expandable mechanism has a counterpart here. The
/// mechanism is asked for the block with its guard zones: the zone in front moves down with the begin, the one
/// behind moves with the end. A block has as many bytes as the mechanism gave, and may be deallocated with any
/// number from the requested bytes up to that. A block in quarantine is not free, so its neighbours grow in place
/// less often than otherwise.
///
/// Threads: a lock if the mechanism is thread-safe.
#pragma once

#include <mallard/checking/misuse.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/impl/checking/block_registry.hpp>
#include <mallard/impl/checking/checked_calls.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_MODE {

/// For a mechanism of any kind; if it is not expandable, this adds nothing to checked_calls.
template <upstream Base>
class checked_expansion : public checked_calls<Base> {
    using calls = checked_calls<Base>;
    using calls::mutex_;
    using calls::registry_;
    using typename calls::call_in_progress;

public:
    using calls::allocate_many;
    using calls::calls;
    using calls::deallocate;
    using calls::deallocate_many;

    /// Effects: deallocates a block whose size the mechanism knows.
    void deallocate(void* p) noexcept
        requires requires(Base& b) { b.deallocate(p); }
    {
        const call_in_progress call(*this, allocator_call::deallocate);
        registry_.close(p);
        calls::give_back(allocator_call::deallocate);
    }

    /// Returns: a block of at least `bytes` bytes, and their number.
    /// Throws: the mechanism's exceptions; std::bad_alloc if the registry has no memory.
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires expandable<Base>
    {
        return allocate_at_least_by(bytes, alignment, false);
    }

    /// Returns: a block of `bytes` bytes, and their number: a write behind them is an error whatever the pool's size is.
    /// Throws: the exceptions of allocate().
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires(!expandable<Base>) && requires(Base& b) { b.allocate_at_least(bytes, alignment); }
    {
        return {this->allocate(bytes, alignment), bytes};
    }

    /// Returns: a block of at least `bytes` bytes, and their number; null and 0 if there is no memory.
    [[nodiscard]] sized_block try_allocate_at_least(std::size_t bytes,
                                                    std::size_t alignment = fundamental_alignment) noexcept
        requires expandable<Base>
    {
        return allocate_at_least_by(bytes, alignment, true);
    }

    /// Returns: blocks of these sizes, requested one by one.
    /// Requires: each size is at least a pointer's.
    /// Throws: the exceptions of allocate(). No block is lost.
    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<Base>
    {
        unfinished_burst_of_sizes burst{*this, {}};
        for (const std::size_t bytes : sizes) {
            MALLARD_EXPECTS(bytes >= sizeof(void*));
            burst.blocks.push_back(this->allocate(bytes, alignment));
        }
        return std::move(burst.blocks);
    }

    /// Effects: deallocates each block.
    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<Base>
    {
        while (void* p = blocks.pop_front()) {
            deallocate(p);
        }
    }

    /// Returns: the bytes that the caller may use; 0, after a report, if `p` is not a live block.
    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<Base>
    {
        const call_in_progress call(*this, allocator_call::usable_bytes);
        const auto outer = registry_.look_up(p, allocator_call::usable_bytes);
        return outer ? registry_.bytes_within(*outer) : 0;
    }

    /// Effects: expands the block in its guard zones. Reports a pointer that is not a live block, and
    /// out-of-bounds writes; if the handler returns, a pointer that is not a live block does not grow.
    /// Returns: the block and its bytes, or a null result.
    /// Throws: the exceptions of allocate_at_least() if a fresh block was allowed.
    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<Base>
    {
        return expand_by(p, request, false);
    }

    /// Returns: the result of expand(); a null result if that throws.
    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires expandable<Base>
    {
        return expand_by(p, request, true);
    }

    /// Effects: shrinks the block. Reports a pointer that is not a live block, a block with fewer bytes, and
    /// writes around it; if the handler returns, nothing happens.
    /// Returns: the bytes that the block has now; 0 if `p` is not a live block.
    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<Base>
    {
        const call_in_progress call(*this, allocator_call::shrink);
        auto outer = registry_.look_up_part(p, bytes, allocator_call::shrink);
        if (!outer) {
            return 0;
        }
        outer->bytes = Base::shrink(outer->p, registry_.around(bytes, outer->alignment).bytes);
        return registry_.follow(p, bytes, *outer).bytes;
    }

    /// Returns: the bytes that shrink() would leave the block; 0, after a report, if `p` is not a live block or has fewer
    /// bytes.
    [[nodiscard]] std::size_t shrunk_bytes(const void* p, std::size_t bytes) const noexcept
        requires requires(const Base& b) { b.shrunk_bytes(p, bytes); }
    {
        const call_in_progress call(*this, allocator_call::shrink);
        auto outer = registry_.look_up_part(p, bytes, allocator_call::shrink);
        if (!outer) {
            return 0;
        }
        outer->bytes = Base::shrunk_bytes(outer->p, registry_.around(bytes, outer->alignment).bytes);
        return registry_.bytes_within(*outer);
    }

    /// Returns: the blocks of allocate_many() without `contiguous`: guard zones lie between them.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count,
                                            std::size_t contiguous)
        requires requires(Base& b) { b.allocate_many(bytes, alignment, count, contiguous); }
    {
        MALLARD_EXPECTS(contiguous != 0);
        return calls::allocate_many(bytes, alignment, count);
    }

private:
    /// Blocks that are collected for a caller. They go back if not all of them can be had.
    struct unfinished_burst_of_sizes {
        checked_expansion& allocator;
        block_chain blocks;

        ~unfinished_burst_of_sizes() {
            while (void* p = blocks.pop_front()) {
                allocator.deallocate(p);
            }
        }
    };

    [[nodiscard]] sized_block allocate_at_least_by(std::size_t bytes, std::size_t alignment, bool quiet) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        const call_in_progress call(*this, allocator_call::allocate);
        const expansion_result fresh = allocate_fresh({.least_bytes = bytes,
                                                       .preferred_bytes = bytes,
                                                       .alignment = alignment,
                                                       .allowed = expansion::fresh},
                                                      quiet);
        return {.p = fresh.p, .bytes = fresh.bytes};
    }

    [[nodiscard]] expansion_result expand_by(void* p, const expansion_request& request, bool quiet) {
        MALLARD_EXPECTS(request.least_bytes <= request.preferred_bytes);
        MALLARD_EXPECTS(is_power_of_two(request.alignment));
        const call_in_progress call(*this, allocator_call::expand);
        if (p != nullptr) {
            if (const auto outer = registry_.look_up(p, allocator_call::expand)) {
                const expansion_result result = expand_in_place(p, *outer, request);
                if (result.p != nullptr) {
                    return result;
                }
            }
        }
        return includes(request.allowed, expansion::fresh) ? allocate_fresh(request, quiet)
                                                           : expansion_result{};
    }

    /// Returns: the request with guard zones, for the expansions `allowed`; for none if a size with its zones is
    /// not representable.
    [[nodiscard]] expansion_request around(const expansion_request& request, std::size_t alignment,
                                           expansion allowed) const noexcept {
        expansion_request padded = request;
        padded.alignment = alignment;
        padded.allowed =
            registry_.has_representation(request.least_bytes, alignment) ? allowed : expansion::none;
        if (padded.allowed != expansion::none) {
            padded.least_bytes = registry_.around(request.least_bytes, alignment).bytes;
            padded.preferred_bytes = registry_.has_representation(request.preferred_bytes, alignment)
                                         ? registry_.around(request.preferred_bytes, alignment).bytes
                                         : padded.least_bytes;
        }
        return padded;
    }

    [[nodiscard]] expansion_result expand_in_place(void* p, const block_registry::outer_block& outer,
                                                   const expansion_request& request) noexcept {
        const expansion_request padded =
            around(request, outer.alignment, request.allowed & expansion::in_place);
        if (padded.allowed == expansion::none) {
            return {};
        }
        const expansion_result result = Base::try_expand(outer.p, padded);
        if (result.p == nullptr) {
            return {};
        }
        const sized_block block = registry_.follow(
            p, request.least_bytes, {.p = result.p, .bytes = result.bytes, .alignment = outer.alignment});
        return {.p = block.p, .bytes = block.bytes, .method = result.method};
    }

    /// Returns: a fresh block; a null result if there is no memory and `quiet`.
    /// Throws: the exceptions of allocate_at_least(), unless `quiet`.
    [[nodiscard]] expansion_result allocate_fresh(const expansion_request& request, bool quiet) {
        block_registry::new_record opened = registry_.open(request.least_bytes, request.alignment);
        if (opened == nullptr) {
            if (!quiet) {
                calls::fail_without_record(request.least_bytes, request.alignment);
            }
            return {};
        }
        const expansion_request padded = around(request, request.alignment, expansion::fresh);
        expansion_result result;
        calls::ask_as_blocks_leave(allocator_call::allocate, [&]() noexcept {
            result = Base::try_expand(nullptr, padded);
            return result.p != nullptr;
        });
        if (result.p == nullptr && !quiet) {
            result = Base::expand(nullptr, padded);
        }
        if (result.p == nullptr) {
            return {};
        }
        const sized_block block = registry_.enter_larger(std::move(opened), result.p, result.bytes);
        return {.p = block.p, .bytes = block.bytes, .method = expansion::fresh};
    }
};

}} // namespace mallard::checking::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <class Base>
inline constexpr bool thread_safe<checking::checked_expansion<Base>> = thread_safe<Base>;

}} // namespace mallard::MALLARD_MODE
