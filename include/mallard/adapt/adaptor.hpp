/// The base of the adaptors: a mechanism, and a hook that each of its operations goes through.
///
///     caller  ->  adaptor: hook_(mechanism_, operation, call)  ->  call(operation): mechanism_
///
/// An adaptor has each member for blocks that its mechanism has; other members are called by mechanism(). A hook is a
/// class that derives from adapt::passing (adapt/operations.hpp). It performs an operation by `call(operation)`,
/// changed or not, or answers in the mechanism's stead.
#pragma once

#include <mallard/adapt/operations.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/threads/fork_hold.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// Each member keeps the contract of the mechanism's member of that name, unless the hook answers.
///
/// `A` is held by value, or by reference for adaptor<A&>. Thread-safe only if the derived adaptor is.
template <class A, class Hook = passing>
    requires upstream<std::remove_reference_t<A>>
class adaptor {
public:
    using mechanism_type = std::remove_reference_t<A>;
    using upstream_type = mechanism_type; ///< it decides how a request fails

    static constexpr bool has_fixed_blocks = core::gives_fixed_blocks<mechanism_type>;

    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit constexpr adaptor(Args&&... args) : mechanism_(std::forward<Args>(args)...) {}

    adaptor(const adaptor&) = delete;
    adaptor& operator=(const adaptor&) = delete;

    /// Returns: the mechanism. Calls of it bypass the hook.
    [[nodiscard]] mechanism_type& mechanism() noexcept { return mechanism_; }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return mechanism_; }

    /// Effects: those of the mechanism.
    static void expect_not_null(const void* mechanism) noexcept
        requires requires { mechanism_type::expect_not_null(mechanism); }
    {
        mechanism_type::expect_not_null(mechanism);
    }

    // ---- blocks

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        return hook_(mechanism_, allocation{bytes, alignment},
                     [this](const allocation& a) { return mechanism_.allocate(a.bytes, a.alignment); });
    }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(mechanism_type& m) { m.try_allocate(bytes, alignment); }
    {
        return hook_(mechanism_, allocation{bytes, alignment, true},
                     [this](const allocation& a) { return mechanism_.try_allocate(a.bytes, a.alignment); });
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        hook_(mechanism_, deallocation{p, bytes, alignment},
              [this](const deallocation& d) { core::give_back(mechanism_, d.p, d.bytes, d.alignment); });
    }

    void deallocate(void* p) noexcept
        requires requires(mechanism_type& m) { m.deallocate(p); }
    {
        hook_(mechanism_, deallocation{p, 0, 1},
              [this](const deallocation& d) { mechanism_.deallocate(d.p); });
    }

    [[nodiscard]] void* allocate_block()
        requires requires(mechanism_type& m) { m.allocate_block(); }
    {
        return hook_(mechanism_, allocation{mechanism_.block_bytes(), mechanism_.block_alignment()},
                     [this](const allocation&) { return mechanism_.allocate_block(); });
    }

    void deallocate_block(void* p) noexcept
        requires requires(mechanism_type& m) { m.deallocate_block(p); }
    {
        hook_(mechanism_, deallocation{p, mechanism_.block_bytes(), mechanism_.block_alignment()},
              [this](const deallocation& d) { mechanism_.deallocate_block(d.p); });
    }

    // ---- blocks that change their size

    /// Returns: a block of exactly `bytes` bytes if the mechanism cannot tell the size of a block later, because a hook that
    /// counts bytes learns another number from the deallocation.
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires requires(mechanism_type& m) { m.allocate_at_least(bytes, alignment); }
    {
        if constexpr (!expandable<mechanism_type>) {
            return {allocate(bytes, alignment), bytes};
        } else {
            return hook_(mechanism_, allocation{bytes, alignment}, [this](const allocation& a) {
                return mechanism_.allocate_at_least(a.bytes, a.alignment);
            });
        }
    }

    [[nodiscard]] sized_block try_allocate_at_least(std::size_t bytes,
                                                    std::size_t alignment = fundamental_alignment) noexcept
        requires requires(mechanism_type& m) { m.try_allocate_at_least(bytes, alignment); }
    {
        return hook_(mechanism_, allocation{bytes, alignment, true}, [this](const allocation& a) {
            return mechanism_.try_allocate_at_least(a.bytes, a.alignment);
        });
    }

    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<mechanism_type>
    {
        return look([&] { return mechanism_.usable_bytes(p); });
    }

    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<mechanism_type>
    {
        return grow({p, request, false});
    }

    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires expandable<mechanism_type>
    {
        return grow({p, request, true});
    }

    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<mechanism_type>
    {
        return hook_(mechanism_, shrinking{p, bytes},
                     [this](const shrinking& s) { return mechanism_.shrink(s.p, s.bytes); });
    }

    [[nodiscard]] std::size_t shrunk_bytes(const void* p, std::size_t bytes) const noexcept
        requires requires(const mechanism_type& m) { m.shrunk_bytes(p, bytes); }
    {
        return look([&] { return mechanism_.shrunk_bytes(p, bytes); });
    }

    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept
        requires requires(mechanism_type& m) { m.resize_last(p, old_bytes, new_bytes); }
    {
        return hook_(mechanism_, resizing{p, old_bytes, new_bytes}, [this](const resizing& r) {
            return mechanism_.resize_last(r.p, r.old_bytes, r.new_bytes);
        });
    }

    // ---- bursts

    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<mechanism_type>
    {
        return hook_(mechanism_, burst{bytes, alignment, count}, [this](const burst& b) {
            return mechanism_.allocate_many(b.bytes, b.alignment, b.count);
        });
    }

    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count,
                                            std::size_t contiguous)
        requires requires(mechanism_type& m) { m.allocate_many(bytes, alignment, count, contiguous); }
    {
        return hook_(mechanism_, burst{bytes, alignment, count}, [this, contiguous](const burst& b) {
            return mechanism_.allocate_many(b.bytes, b.alignment, b.count, contiguous);
        });
    }

    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<mechanism_type>
    {
        return hook_(mechanism_, mixed_burst{sizes, alignment},
                     [this](const mixed_burst& b) { return mechanism_.allocate_many(b.sizes, b.alignment); });
    }

    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<mechanism_type>
    {
        hook_(mechanism_, burst_return{blocks, bytes, alignment}, [this](const burst_return& b) {
            mechanism_.deallocate_many(std::move(b.blocks), b.bytes, b.alignment);
        });
    }

    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<mechanism_type>
    {
        hook_(mechanism_, mixed_return{blocks},
              [this](const mixed_return& b) { mechanism_.deallocate_many(std::move(b.blocks)); });
    }

    // ---- blocks to come

    void reserve(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires requires(mechanism_type& m) { m.reserve(bytes, alignment, count); }
    {
        hook_(mechanism_, reserving{bytes, alignment, count},
              [this](const reserving& r) { mechanism_.reserve(r.bytes, r.alignment, r.count); });
    }

    void reserve(std::size_t bytes)
        requires requires(mechanism_type& m) { m.reserve(bytes); }
    {
        hook_(mechanism_, reserving{bytes}, [this](const reserving& r) { mechanism_.reserve(r.bytes); });
    }

    // ---- all blocks

    void release() noexcept
        requires local_allocator<mechanism_type>
    {
        hook_(mechanism_, ending{}, [this](ending) { mechanism_.release(); });
    }

    void rewind() noexcept
        requires rewindable<mechanism_type>
    {
        hook_(mechanism_, ending{}, [this](ending) { mechanism_.rewind(); });
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<mechanism_type>
    {
        return hook_(mechanism_, marking{}, [this](marking) { return mechanism_.mark(); });
    }

    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<mechanism_type>
    {
        hook_(mechanism_, rolling_back<Position>{to}, [this](const auto& r) { mechanism_.rollback(r.to); });
    }

    /// Effects: takes over the blocks of `other`, with what the hook knows of them.
    [[nodiscard]] bool adopt(adaptor& other) noexcept
        requires requires(mechanism_type& m, Hook& h, bool (*call)() noexcept) {
            m.adopt(m);
            h.adopt(h, call);
        }
    {
        return hook_.adopt(other.hook_, [&]() noexcept { return mechanism_.adopt(other.mechanism_); });
    }

    void trim() noexcept
        requires requires(mechanism_type& m) { m.trim(); }
    {
        hook_(mechanism_, looking{}, [this](looking) { mechanism_.trim(); });
    }

    void tidy() noexcept
        requires requires(mechanism_type& m) { m.tidy(); }
    {
        hook_(mechanism_, looking{}, [this](looking) { mechanism_.tidy(); });
    }

    void settle() noexcept
        requires requires(mechanism_type& m) { m.settle(); }
    {
        hook_(mechanism_, looking{}, [this](looking) { mechanism_.settle(); });
    }

    // ---- information from the mechanism

    [[nodiscard]] auto stats() const noexcept
        requires requires(const mechanism_type& m) { m.stats(); }
    {
        return look([this] { return mechanism_.stats(); });
    }

    [[nodiscard]] bool owns(const void* p) const noexcept
        requires requires(const mechanism_type& m) { m.owns(p); }
    {
        return look([&] { return mechanism_.owns(p); });
    }

    [[nodiscard]] std::size_t bytes_in_use() const noexcept
        requires requires(const mechanism_type& m) { m.bytes_in_use(); }
    {
        return look([this] { return mechanism_.bytes_in_use(); });
    }

    [[nodiscard]] std::size_t bytes_left() const noexcept
        requires requires(const mechanism_type& m) { m.bytes_left(); }
    {
        return look([this] { return mechanism_.bytes_left(); });
    }

    [[nodiscard]] bool empty() const noexcept
        requires requires(const mechanism_type& m) { m.empty(); }
    {
        return look([this] { return mechanism_.empty(); });
    }

    [[nodiscard]] std::size_t capacity() const noexcept
        requires requires(const mechanism_type& m) { m.capacity(); }
    {
        return look([this] { return mechanism_.capacity(); });
    }

    [[nodiscard]] std::size_t block_bytes() const noexcept
        requires requires(const mechanism_type& m) { m.block_bytes(); }
    {
        return look([this] { return mechanism_.block_bytes(); });
    }

    [[nodiscard]] std::size_t block_alignment() const noexcept
        requires requires(const mechanism_type& m) { m.block_alignment(); }
    {
        return look([this] { return mechanism_.block_alignment(); });
    }

    [[nodiscard]] std::size_t largest_pooled_bytes() const noexcept
        requires requires(const mechanism_type& m) { m.largest_pooled_bytes(); }
    {
        return look([this] { return mechanism_.largest_pooled_bytes(); });
    }

    [[nodiscard]] auto use() const noexcept
        requires requires(const mechanism_type& m) { m.use(); }
    {
        return look([this] { return mechanism_.use(); });
    }

    [[nodiscard]] auto check_sanity() const noexcept
        requires requires(const mechanism_type& m) { m.check_sanity(); }
    {
        return look([this] { return mechanism_.check_sanity(); });
    }

    /// Requires: `f` does not call this allocator.
    template <class F>
    void for_each_block(F f) const
        requires requires(const mechanism_type& m) { m.for_each_block(f); }
    {
        look([&] { mechanism_.for_each_block(f); });
    }

    // ---- for a fork: not through the hook, with the effects of the mechanism

    void lock_for_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        mechanism_.lock_for_fork();
    }

    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        return mechanism_.try_lock_for_fork();
    }

    void unlock_after_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        mechanism_.unlock_after_fork();
    }

protected:
    ~adaptor() = default;

    A mechanism_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] mutable Hook hook_;

private:
    expansion_result grow(const growth& request) {
        return hook_(mechanism_, request, [this](const growth& g) {
            return g.quiet ? mechanism_.try_expand(g.p, g.request) : mechanism_.expand(g.p, g.request);
        });
    }

    template <class Call>
    decltype(auto) look(Call call) const {
        return hook_(mechanism_, looking{}, [&](looking) -> decltype(auto) { return call(); });
    }
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <class A>
inline constexpr bool thread_safe<adapt::adaptor<A, adapt::passing>> =
    thread_safe<std::remove_reference_t<A>>;

}} // namespace mallard::MALLARD_MODE
