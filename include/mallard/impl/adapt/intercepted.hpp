/// The list of an allocator's operations, each of which goes through a hook on its way to the mechanism.
///
///     caller  ->  intercepted: hook_(mechanism, operation, call)  ->  call(operation): mechanism
///
/// An adaptor (adapt/adaptor.hpp) holds its mechanism or refers to it. A checked allocator (impl/checking/checked_mechanism.hpp)
/// derives from its mechanism in private, so that it has the mechanism's constructors, and no member that is not of this list.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/impl/adapt/operations.hpp>
#include <mallard/impl/threads/fork_hold.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// A mechanism as a member: held by value, or by reference for `A&`.
template <class A>
class held {
public:
    using mechanism_type = std::remove_reference_t<A>;

    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit constexpr held(Args&&... args) : mechanism_(std::forward<Args>(args)...) {}

    held(const held&) = delete;
    held& operator=(const held&) = delete;

    [[nodiscard]] mechanism_type& mechanism() noexcept { return mechanism_; }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return mechanism_; }

protected:
    ~held() = default;

private:
    A mechanism_;
};

/// A mechanism as a base, with its constructors.
template <class A>
class inherited : private A {
public:
    using mechanism_type = A;
    using A::A;

    [[nodiscard]] mechanism_type& mechanism() noexcept { return *this; }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return *this; }

protected:
    ~inherited() = default;
};

/// Each member keeps the contract of the mechanism's member of that name, unless the hook answers.
template <class Storage, class Hook>
    requires upstream<typename Storage::mechanism_type>
class intercepted : protected Storage {
protected:
    using Storage::mechanism;
    using typename Storage::mechanism_type;

public:
    using upstream_type = mechanism_type; ///< it decides how a request fails

    static constexpr bool has_fixed_blocks = core::gives_fixed_blocks<mechanism_type>;
    static constexpr bool only_the_last_is_reused = core::reuses_only_the_last<mechanism_type>;

    using Storage::Storage;

    /// Effects: those of the mechanism.
    static void expect_not_null(const void* mechanism) noexcept
        requires requires { mechanism_type::expect_not_null(mechanism); }
    {
        mechanism_type::expect_not_null(mechanism);
    }

    // ---- blocks

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        return hook_(mechanism(), allocation{bytes, alignment},
                     [this](const allocation& a) { return mechanism().allocate(a.bytes, a.alignment); });
    }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(mechanism_type& m) { m.try_allocate(bytes, alignment); }
    {
        return hook_(mechanism(), allocation{bytes, alignment, true},
                     [this](const allocation& a) { return mechanism().try_allocate(a.bytes, a.alignment); });
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        hook_(mechanism(), deallocation{p, bytes, alignment},
              [this](const deallocation& d) { core::give_back(mechanism(), d.p, d.bytes, d.alignment); });
    }

    void deallocate(void* p) noexcept
        requires requires(mechanism_type& m) { m.deallocate(p); }
    {
        hook_(mechanism(), deallocation{.p = p, .has_numbers = false},
              [this](const deallocation& d) { mechanism().deallocate(d.p); });
    }

    [[nodiscard]] void* allocate_block()
        requires requires(mechanism_type& m) { m.allocate_block(); }
    {
        return hook_(mechanism(), allocation{mechanism().block_bytes(), mechanism().block_alignment()},
                     [this](const allocation&) { return mechanism().allocate_block(); });
    }

    void deallocate_block(void* p) noexcept
        requires requires(mechanism_type& m) { m.deallocate_block(p); }
    {
        hook_(mechanism(), deallocation{p, mechanism().block_bytes(), mechanism().block_alignment()},
              [this](const deallocation& d) { mechanism().deallocate_block(d.p); });
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
            return hook_(mechanism(), allocation{bytes, alignment}, [this](const allocation& a) {
                return mechanism().allocate_at_least(a.bytes, a.alignment);
            });
        }
    }

    [[nodiscard]] sized_block try_allocate_at_least(std::size_t bytes,
                                                    std::size_t alignment = fundamental_alignment) noexcept
        requires requires(mechanism_type& m) { m.try_allocate_at_least(bytes, alignment); }
    {
        return hook_(mechanism(), allocation{bytes, alignment, true}, [this](const allocation& a) {
            return mechanism().try_allocate_at_least(a.bytes, a.alignment);
        });
    }

    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<mechanism_type>
    {
        return look([&] { return mechanism().usable_bytes(p); });
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
        return hook_(mechanism(), shrinking{p, bytes},
                     [this](const shrinking& s) { return mechanism().shrink(s.p, s.bytes); });
    }

    [[nodiscard]] std::size_t shrunk_bytes(const void* p, std::size_t bytes) const noexcept
        requires requires(const mechanism_type& m) { m.shrunk_bytes(p, bytes); }
    {
        return look([&] { return mechanism().shrunk_bytes(p, bytes); });
    }

    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept
        requires requires(mechanism_type& m) { m.resize_last(p, old_bytes, new_bytes); }
    {
        return hook_(mechanism(), resizing{p, old_bytes, new_bytes}, [this](const resizing& r) {
            return mechanism().resize_last(r.p, r.old_bytes, r.new_bytes);
        });
    }

    // ---- bursts

    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires burst_allocator<mechanism_type>
    {
        return hook_(mechanism(), burst{bytes, alignment, count}, [this](const burst& b) {
            return mechanism().allocate_many(b.bytes, b.alignment, b.count);
        });
    }

    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count,
                                            std::size_t contiguous)
        requires requires(mechanism_type& m) { m.allocate_many(bytes, alignment, count, contiguous); }
    {
        return hook_(mechanism(), burst{bytes, alignment, count, contiguous}, [this](const burst& b) {
            return mechanism().allocate_many(b.bytes, b.alignment, b.count, b.contiguous);
        });
    }

    [[nodiscard]] block_chain allocate_many(std::span<const std::size_t> sizes,
                                            std::size_t alignment = fundamental_alignment)
        requires mixed_burst_allocator<mechanism_type>
    {
        return hook_(mechanism(), mixed_burst{sizes, alignment}, [this](const mixed_burst& b) {
            return mechanism().allocate_many(b.sizes, b.alignment);
        });
    }

    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept
        requires burst_allocator<mechanism_type>
    {
        hook_(mechanism(), burst_return{blocks, bytes, alignment}, [this](const burst_return& b) {
            mechanism().deallocate_many(std::move(b.blocks), b.bytes, b.alignment);
        });
    }

    void deallocate_many(block_chain&& blocks) noexcept
        requires mixed_burst_allocator<mechanism_type>
    {
        hook_(mechanism(), mixed_return{blocks},
              [this](const mixed_return& b) { mechanism().deallocate_many(std::move(b.blocks)); });
    }

    // ---- blocks to come

    void reserve(std::size_t bytes, std::size_t alignment, std::size_t count)
        requires requires(mechanism_type& m) { m.reserve(bytes, alignment, count); }
    {
        hook_(mechanism(), reserving{bytes, alignment, count, true},
              [this](const reserving& r) { mechanism().reserve(r.bytes, r.alignment, r.count); });
    }

    void reserve(std::size_t bytes)
        requires requires(mechanism_type& m) { m.reserve(bytes); }
    {
        hook_(mechanism(), reserving{bytes}, [this](const reserving& r) { mechanism().reserve(r.bytes); });
    }

    // ---- all blocks

    void release() noexcept
        requires local_allocator<mechanism_type>
    {
        hook_(mechanism(), ending{}, [this](ending) { mechanism().release(); });
    }

    void rewind() noexcept
        requires rewindable<mechanism_type>
    {
        hook_(mechanism(), ending{.keeps_memory = true}, [this](ending) { mechanism().rewind(); });
    }

    [[nodiscard]] auto mark() const noexcept
        requires rewindable<mechanism_type>
    {
        return hook_(mechanism(), marking{}, [this](marking) { return mechanism().mark(); });
    }

    template <class Position>
    void rollback(Position to) noexcept
        requires rewindable<mechanism_type>
    {
        hook_(mechanism(), rolling_back<Position>{to}, [this](const auto& r) { mechanism().rollback(r.to); });
    }

    /// Effects: takes over the blocks of `other`, with what the hook knows of them.
    [[nodiscard]] bool adopt(intercepted& other) noexcept
        requires requires(mechanism_type& m, Hook& h, bool (*call)() noexcept) {
            m.adopt(m);
            h.adopt(h, call);
        }
    {
        return hook_.adopt(other.hook_, [&]() noexcept { return mechanism().adopt(other.mechanism()); });
    }

    void trim() noexcept
        requires requires(mechanism_type& m) { m.trim(); }
    {
        hook_(mechanism(), trimming{}, [this](trimming) { mechanism().trim(); });
    }

    void tidy() noexcept
        requires requires(mechanism_type& m) { m.tidy(); }
    {
        hook_(mechanism(), trimming{.orders = true}, [this](trimming) { mechanism().tidy(); });
    }

    void settle() noexcept
        requires requires(mechanism_type& m) { m.settle(); }
    {
        hook_(mechanism(), looking{}, [this](looking) { mechanism().settle(); });
    }

    // ---- information from the mechanism

    [[nodiscard]] auto stats() const noexcept
        requires requires(const mechanism_type& m) { m.stats(); }
    {
        return look([this] { return mechanism().stats(); });
    }

    [[nodiscard]] bool owns(const void* p) const noexcept
        requires requires(const mechanism_type& m) { m.owns(p); }
    {
        return look([&] { return mechanism().owns(p); });
    }

    [[nodiscard]] std::size_t bytes_in_use() const noexcept
        requires requires(const mechanism_type& m) { m.bytes_in_use(); }
    {
        return look([this] { return mechanism().bytes_in_use(); });
    }

    [[nodiscard]] std::size_t bytes_left() const noexcept
        requires requires(const mechanism_type& m) { m.bytes_left(); }
    {
        return look([this] { return mechanism().bytes_left(); });
    }

    [[nodiscard]] bool empty() const noexcept
        requires requires(const mechanism_type& m) { m.empty(); }
    {
        return look([this] { return mechanism().empty(); });
    }

    [[nodiscard]] std::size_t capacity() const noexcept
        requires requires(const mechanism_type& m) { m.capacity(); }
    {
        return look([this] { return mechanism().capacity(); });
    }

    [[nodiscard]] std::size_t block_bytes() const noexcept
        requires requires(const mechanism_type& m) { m.block_bytes(); }
    {
        return look([this] { return mechanism().block_bytes(); });
    }

    [[nodiscard]] std::size_t block_alignment() const noexcept
        requires requires(const mechanism_type& m) { m.block_alignment(); }
    {
        return look([this] { return mechanism().block_alignment(); });
    }

    [[nodiscard]] std::size_t node_bytes() const noexcept
        requires requires(const mechanism_type& m) { m.node_bytes(); }
    {
        return look([this] { return mechanism().node_bytes(); });
    }

    [[nodiscard]] std::size_t largest_pooled_bytes() const noexcept
        requires requires(const mechanism_type& m) { m.largest_pooled_bytes(); }
    {
        return look([this] { return mechanism().largest_pooled_bytes(); });
    }

    [[nodiscard]] auto use() const noexcept
        requires requires(const mechanism_type& m) { m.use(); }
    {
        return look([this] { return mechanism().use(); });
    }

    [[nodiscard]] auto check_sanity() const noexcept
        requires requires(const mechanism_type& m) { m.check_sanity(); }
    {
        return look([this] { return mechanism().check_sanity(); });
    }

    /// Requires: `f` does not call this allocator.
    template <class F>
    void for_each_block(F f) const
        requires requires(const mechanism_type& m) { m.for_each_block(f); }
    {
        look([&] { mechanism().for_each_block(f); });
    }

    // ---- for a fork: not through the hook, with the effects of the mechanism

    void lock_for_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        mechanism().lock_for_fork();
    }

    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        return mechanism().try_lock_for_fork();
    }

    void unlock_after_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        mechanism().unlock_after_fork();
    }

protected:
    ~intercepted() = default;

    [[MALLARD_NO_UNIQUE_ADDRESS]] mutable Hook hook_;

private:
    expansion_result grow(const growth& request) {
        return hook_(mechanism(), request, [this](const growth& g) {
            return g.quiet ? mechanism().try_expand(g.p, g.request) : mechanism().expand(g.p, g.request);
        });
    }

    template <class Call>
    decltype(auto) look(Call call) const {
        return hook_(mechanism(), looking{}, [&](looking) -> decltype(auto) { return call(); });
    }
};

}} // namespace mallard::adapt::MALLARD_MODE
