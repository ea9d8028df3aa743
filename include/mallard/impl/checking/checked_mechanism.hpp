/// A mechanism with a registry of its blocks, for adapt/checked.hpp and for checked builds
/// (impl/checking/by_default.hpp).
///
///     caller  ->  intercepted  ->  registering: registry  ->  the mechanism, which provides the block with its guard zones
///
/// Data model: the mechanism, and a hook with the registry (impl/adapt/intercepted.hpp). Requests to the mechanism grow by the
/// guard zones, 32 bytes a block (more at an alignment above 16), and by the quarantine: a freed block goes back to the
/// mechanism when it leaves. If the mechanism has no memory left, the request is repeated as blocks leave the quarantine.
///
/// A block of an expandable mechanism has as many bytes as the mechanism gave, and may be deallocated with any number from the
/// requested bytes up to that. The zone in front moves down with its begin, the one behind moves with its end. A block in
/// quarantine is not free, so its neighbours grow in place less often than otherwise.
///
/// Threads: if the mechanism is thread-safe, every call holds a lock; otherwise there is none. Handlers run under
/// that lock.
#pragma once

#include <mallard/checking/misuse.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/adapt/intercepted.hpp>
#include <mallard/impl/adapt/operations.hpp>
#include <mallard/impl/checking/block_registry.hpp>
#include <mallard/impl/checking/pool_with_zones.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace mallard::checking { inline namespace MALLARD_MODE {

/// The mark of a checked allocator: the mechanism's, and the state of the registry.
template <class Position>
struct checked_position {
    Position inner;
    block_registry::state state;
};

/// The hook of a checked mechanism.
template <class Mechanism>
class registering : public adapt::passing {
    using mutex_type = std::conditional_t<thread_safe<Mechanism>, threads::fork_mutex, core::no_mutex>;
    using outer_block = block_registry::outer_block;

public:
    using lock_type = core::lock_guard<mutex_type>;
    using passing::operator();

    /// A call of the allocator: its lock, and its entry in the registry.
    class call_in_progress {
    public:
        call_in_progress(registering& hook, allocator_call by) noexcept
            : lock_(mutex_of_living(hook, by)), registry_(hook.registry), begun_(registry_.begin(by)) {}
        call_in_progress(const call_in_progress&) = delete;
        call_in_progress& operator=(const call_in_progress&) = delete;
        ~call_in_progress() { registry_.finish(begun_); }

    private:
        static mutex_type& mutex_of_living(registering& hook, allocator_call by) noexcept {
            hook.registry.expect_alive(by);
            return hook.mutex;
        }

        lock_type lock_;
        block_registry& registry_;
        block_registry::call begun_;
    };

    /// Effects: enters the block, or the larger one of an expandable mechanism.
    template <class Call>
    auto operator()(Mechanism& m, const adapt::allocation& a, Call call) -> decltype(call(a)) {
        MALLARD_EXPECTS(is_power_of_two(a.alignment));
        const call_in_progress entry(*this, allocator_call::allocate);
        if constexpr (std::is_same_v<decltype(call(a)), sized_block>) {
            const expansion_result block = allocate_fresh(
                m, {.least_bytes = a.bytes, .preferred_bytes = a.bytes, .alignment = a.alignment}, a.quiet);
            return {.p = block.p, .bytes = block.bytes};
        } else {
            block_registry::new_record opened = open(m, a.bytes, a.alignment, a.quiet);
            if (opened == nullptr) {
                return nullptr;
            }
            const outer_block outer = registry.around(a.bytes, a.alignment);
            const adapt::allocation padded{outer.bytes, outer.alignment, a.quiet};
            void* memory = nullptr;
            if (a.quiet || (core::fails_recoverably<Mechanism> && registry.blocks_in_quarantine() != 0)) {
                repeat_as_blocks_leave(m, [&] {
                    memory = a.quiet ? call(padded) : core::ask_quietly(m, outer.bytes, outer.alignment);
                    return memory != nullptr;
                });
            }
            if (memory == nullptr && !a.quiet) {
                memory = call(padded);
            }
            return memory == nullptr ? nullptr
                                     : registry.enter(std::move(opened), memory, unused_behind(m, a.bytes));
        }
    }

    /// Effects: requests the blocks one by one. Guard zones lie between them.
    template <class Call>
    block_chain operator()(Mechanism& m, const adapt::burst& b, Call) {
        MALLARD_EXPECTS(b.contiguous != 0);
        single_blocks allocator{*this, m};
        return core::allocate_one_by_one(allocator, b.bytes, b.alignment, b.count);
    }

    template <class Call>
    block_chain operator()(Mechanism& m, const adapt::mixed_burst& b, Call) {
        single_blocks allocator{*this, m};
        block_chain blocks;
        core::undone_unless_kept undo([&]() noexcept { deallocate_all(m, blocks, {.has_numbers = false}); });
        for (const std::size_t bytes : b.sizes) {
            MALLARD_EXPECTS(bytes >= sizeof(void*));
            blocks.push_back(allocator.allocate(bytes, b.alignment));
        }
        undo.keep();
        return blocks;
    }

    template <class Call>
    expansion_result operator()(Mechanism& m, const adapt::growth& g, Call) {
        MALLARD_EXPECTS(g.request.least_bytes <= g.request.preferred_bytes);
        MALLARD_EXPECTS(is_power_of_two(g.request.alignment));
        const call_in_progress entry(*this, allocator_call::expand);
        if (g.p != nullptr) {
            if (const auto outer = registry.look_up(g.p, allocator_call::expand)) {
                const expansion_result result = expand_in_place(m, g.p, *outer, g.request);
                if (result.p != nullptr) {
                    return result;
                }
            }
        }
        return includes(g.request.allowed, expansion::fresh) ? allocate_fresh(m, g.request, g.quiet)
                                                             : expansion_result{};
    }

    /// Effects: puts the block in quarantine. Reports a pointer that is not a live block, a block that has another size or
    /// alignment, out-of-bounds writes, and writes into blocks that leave the quarantine. If the handler returns, a pointer that
    /// is not a live block is ignored.
    template <class Call>
    void operator()(Mechanism& m, const adapt::deallocation& d, Call) noexcept {
        deallocate(m, d);
    }

    template <class Call>
    void operator()(Mechanism& m, const adapt::burst_return& b, Call) noexcept {
        deallocate_all(m, b.blocks, {.bytes = b.bytes, .alignment = b.alignment});
    }

    template <class Call>
    void operator()(Mechanism& m, const adapt::mixed_return& b, Call) noexcept {
        deallocate_all(m, b.blocks, {.has_numbers = false});
    }

    template <class Call>
    std::size_t operator()(Mechanism&, const adapt::shrinking& s, Call call) noexcept {
        const call_in_progress entry(*this, allocator_call::shrink);
        auto outer = registry.look_up_part(s.p, s.bytes, allocator_call::shrink);
        if (!outer) {
            return 0;
        }
        outer->bytes = call({.p = outer->p, .bytes = registry.around(s.bytes, outer->alignment).bytes});
        return registry.follow(s.p, s.bytes, *outer).bytes;
    }

    template <class Call>
    bool operator()(Mechanism&, const adapt::resizing& r, Call call) noexcept {
        constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX) / 2;
        const call_in_progress entry(*this, allocator_call::resize_last);
        const auto outer = registry.look_up(r.p, r.old_bytes, allocator_call::resize_last);
        if (!outer || r.new_bytes > most_bytes) {
            return false;
        }
        const std::size_t bytes = r.new_bytes == 0 ? 0 : registry.around(r.new_bytes, outer->alignment).bytes;
        if (!call({.p = outer->p, .old_bytes = outer->bytes, .new_bytes = bytes})) {
            return false;
        }
        registry.resize(r.p, r.new_bytes);
        return true;
    }

    /// Effects: reserves blocks with room for their guard zones, or bytes, of which zones take a part. Blocks in quarantine are
    /// not free.
    template <class Call>
    void operator()(Mechanism& m, const adapt::reserving& r, Call call) {
        const call_in_progress entry(*this, allocator_call::allocate);
        if (!r.is_of_blocks) {
            return call(r);
        }
        if (!registry.has_representation(r.bytes, r.alignment)) {
            core::fail_as_upstream(m, r.bytes, r.alignment);
        }
        const outer_block outer = registry.around(r.bytes, r.alignment);
        call({.bytes = outer.bytes, .alignment = outer.alignment, .count = r.count, .is_of_blocks = true});
    }

    /// Effects: checks all blocks, and ends them.
    template <class Call>
    void operator()(Mechanism& m, const adapt::ending& e, Call call) noexcept {
        end(m, e.keeps_memory ? allocator_call::rewind : allocator_call::release, [&] { call(e); });
    }

    template <class End>
    void end(Mechanism& m, allocator_call by, End end_mechanism) noexcept {
        const call_in_progress entry(*this, by);
        empty_quarantine(m, by);
        registry.forget_all(by);
        end_mechanism();
    }

    template <class Call>
    auto operator()(const Mechanism&, adapt::marking m, Call call) noexcept {
        const lock_type lock(mutex);
        const auto inner = call(m);
        return checked_position<std::remove_const_t<decltype(inner)>>{inner, registry.current_state()};
    }

    /// Effects: checks the blocks that were allocated since the mark, and ends them. Reports a mark of another allocator, and one
    /// from before a release, a rewind or a rollback to an earlier mark; if the handler returns, nothing happens.
    template <class Position, class Call>
    void operator()(Mechanism& m, const adapt::rolling_back<checked_position<Position>>& r,
                    Call call) noexcept {
        const call_in_progress entry(*this, allocator_call::rollback);
        const block_registry::state& state = r.to.state;
        if (!registry.may_go_back(state)) {
            return;
        }
        registry.let_leave_since(state.next_number);
        give_back(m, allocator_call::rollback);
        registry.forget_since(state.next_number);
        call(adapt::rolling_back<Position>{r.to.inner});
    }

    /// Effects: gives all blocks in quarantine to the mechanism first.
    template <class Call>
    void operator()(Mechanism& m, const adapt::trimming& t, Call call) noexcept {
        const allocator_call by = t.orders ? allocator_call::tidy : allocator_call::trim;
        const call_in_progress entry(*this, by);
        empty_quarantine(m, by);
        call(t);
    }

    /// Effects: adopts the blocks of `other`, which are live blocks of this allocator alone from now on, and its youngest. Marks
    /// of `other` become stale.
    /// Returns: the mechanism's answer; false if there is no memory for the registry.
    [[nodiscard]] bool adopt(Mechanism& m, registering& other, Mechanism& others) noexcept {
        const call_in_progress entry(*this, allocator_call::adopt);
        const call_in_progress other_entry(other, allocator_call::adopt);
        other.empty_quarantine(others, allocator_call::adopt);
        if (!registry.has_room_for(other.registry) || !m.adopt(others)) {
            return false;
        }
        registry.adopt(other.registry);
        return true;
    }

    block_registry registry{core::gives_fixed_blocks<Mechanism> ? 0 : block_registry::default_guard_bytes,
                            own_quarantine};
    [[MALLARD_NO_UNIQUE_ADDRESS]] mutex_type mutex;

private:
    /// None for an allocator that the quarantine would exhaust, and that cannot be retried.
    static constexpr std::optional<quarantine_bounds> own_quarantine =
        core::fails_recoverably<Mechanism> && !core::reuses_only_the_last<Mechanism>
            ? std::nullopt
            : std::optional(no_quarantine);

    /// The mechanism as the allocator of one block of a burst after the other.
    struct single_blocks {
        registering& hook;
        Mechanism& mechanism;

        [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
            return hook(mechanism, adapt::allocation{bytes, alignment}, [this](const adapt::allocation& a) {
                return mechanism.allocate(a.bytes, a.alignment);
            });
        }
        void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
            hook.deallocate(mechanism, {.p = p, .bytes = bytes, .alignment = alignment});
        }
    };

    /// Returns: a record; null if `quiet` and there is no memory for it, or no size holds the block with its guard zones.
    /// Throws: the mechanism's exceptions in the latter case, std::bad_alloc in the former, unless `quiet`.
    [[nodiscard]] block_registry::new_record open(Mechanism& m, std::size_t bytes, std::size_t alignment,
                                                  bool quiet) {
        block_registry::new_record opened = registry.open(bytes, alignment);
        if (opened == nullptr && !quiet) {
            if (!registry.has_representation(bytes, alignment)) {
                core::fail_as_upstream(m, bytes, alignment);
            }
            core::fail_allocation(bytes, alignment);
        }
        return opened;
    }

    /// Returns: the unused bytes behind the caller's, if all blocks have one size.
    [[nodiscard]] static std::size_t unused_behind([[maybe_unused]] const Mechanism& m,
                                                   [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (core::gives_fixed_blocks<Mechanism>) {
            return m.block_bytes() - bytes;
        } else {
            return 0;
        }
    }

    /// Effects: repeats `ask()` until it returns true. After each failure more blocks leave the quarantine,
    /// until none is left there.
    template <class Ask>
    void repeat_as_blocks_leave(Mechanism& m, Ask ask) {
        for (std::size_t count = 1; !ask() && registry.blocks_in_quarantine() != 0; count *= 2) {
            registry.let_leave(count);
            give_back(m, allocator_call::allocate);
        }
    }

    void deallocate(Mechanism& m, const adapt::deallocation& d) noexcept {
        const call_in_progress entry(*this, allocator_call::deallocate);
        if (d.has_numbers) {
            registry.close(d.p, d.bytes, d.alignment);
        } else {
            registry.close(d.p);
        }
        give_back(m, allocator_call::deallocate);
    }

    void deallocate_all(Mechanism& m, block_chain& blocks, adapt::deallocation d) noexcept {
        while ((d.p = blocks.pop_front()) != nullptr) {
            deallocate(m, d);
        }
    }

    /// Effects: gives the mechanism the blocks that leave the quarantine.
    void give_back(Mechanism& m, allocator_call by) noexcept {
        while (const auto outer = registry.next_leaving(by)) {
            core::give_back(m, outer->p, outer->bytes, outer->alignment);
        }
    }

    void empty_quarantine(Mechanism& m, allocator_call by) noexcept {
        registry.let_leave(registry.blocks_in_quarantine());
        give_back(m, by);
    }

    /// Returns: the request with guard zones, for the expansions `allowed`; for none if a size with its zones is
    /// not representable.
    [[nodiscard]] expansion_request around(const expansion_request& request, std::size_t alignment,
                                           expansion allowed) const noexcept {
        expansion_request padded = request;
        padded.alignment = alignment;
        padded.allowed =
            registry.has_representation(request.least_bytes, alignment) ? allowed : expansion::none;
        if (padded.allowed != expansion::none) {
            padded.least_bytes = registry.around(request.least_bytes, alignment).bytes;
            padded.preferred_bytes = registry.has_representation(request.preferred_bytes, alignment)
                                         ? registry.around(request.preferred_bytes, alignment).bytes
                                         : padded.least_bytes;
        }
        return padded;
    }

    [[nodiscard]] expansion_result expand_in_place(Mechanism& m, void* p, const outer_block& outer,
                                                   const expansion_request& request) noexcept {
        const expansion_request padded =
            around(request, outer.alignment, request.allowed & expansion::in_place);
        if (padded.allowed == expansion::none) {
            return {};
        }
        const expansion_result result = m.try_expand(outer.p, padded);
        if (result.p == nullptr) {
            return {};
        }
        const sized_block block = registry.follow(
            p, request.least_bytes, {.p = result.p, .bytes = result.bytes, .alignment = outer.alignment});
        return {.p = block.p, .bytes = block.bytes, .method = result.method};
    }

    /// Returns: a fresh block; a null result if there is no memory and `quiet`.
    /// Throws: the exceptions of allocate_at_least(), unless `quiet`.
    [[nodiscard]] expansion_result allocate_fresh(Mechanism& m, const expansion_request& request,
                                                  bool quiet) {
        block_registry::new_record opened = open(m, request.least_bytes, request.alignment, quiet);
        if (opened == nullptr) {
            return {};
        }
        const expansion_request padded = around(request, request.alignment, expansion::fresh);
        expansion_result result;
        repeat_as_blocks_leave(m, [&]() noexcept {
            result = m.try_expand(nullptr, padded);
            return result.p != nullptr;
        });
        if (result.p == nullptr && !quiet) {
            result = m.expand(nullptr, padded);
        }
        if (result.p == nullptr) {
            return {};
        }
        const sized_block block = registry.enter_larger(std::move(opened), result.p, result.bytes);
        return {.p = block.p, .bytes = block.bytes, .method = expansion::fresh};
    }
};

/// An allocator whose mechanism `Storage` holds or inherits.
template <class Storage>
class registered : public adapt::intercepted<Storage, registering<typename Storage::mechanism_type>> {
    using hook_type = registering<typename Storage::mechanism_type>;
    using base = adapt::intercepted<Storage, hook_type>;
    using call_in_progress = typename hook_type::call_in_progress;
    using lock_type = typename hook_type::lock_type;

protected:
    using base::hook_;
    using base::mechanism;
    using typename base::mechanism_type;

public:
    using base::base;

    /// The pool without checks, for another one that checks it (impl/checking/pool_with_zones.hpp).
    template <class M = mechanism_type>
    using with_room_for_zones = typename M::template with_room_for_zones<>;

    /// Effects: checks all blocks a last time, and destroys the mechanism.
    ~registered() {
        hook_.end(mechanism(), allocator_call::destructor, [] {});
    }

    /// Effects: reports a binding to a null pointer, and aborts the program.
    static void expect_not_null(const void* mechanism) noexcept {
        if (mechanism == nullptr) {
            report_no_allocator(misuse::null_allocator, allocator_call::none);
        }
    }

    /// Returns: the bytes that the caller may use; 0, after a report, if `p` is not a live block.
    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<mechanism_type>
    {
        const call_in_progress entry(hook_, allocator_call::usable_bytes);
        const auto outer = hook_.registry.look_up(p, allocator_call::usable_bytes);
        return outer ? hook_.registry.bytes_within(*outer) : 0;
    }

    /// Returns: the bytes that shrink() would leave the block; 0, after a report, if `p` is not a live block or has fewer
    /// bytes.
    [[nodiscard]] std::size_t shrunk_bytes(const void* p, std::size_t bytes) const noexcept
        requires requires(const mechanism_type& m) { m.shrunk_bytes(p, bytes); }
    {
        const call_in_progress entry(hook_, allocator_call::shrink);
        auto outer = hook_.registry.look_up_part(p, bytes, allocator_call::shrink);
        if (!outer) {
            return 0;
        }
        outer->bytes =
            mechanism().shrunk_bytes(outer->p, hook_.registry.around(bytes, outer->alignment).bytes);
        return hook_.registry.bytes_within(*outer);
    }

    [[nodiscard]] bool adopt(registered& other) noexcept
        requires requires(mechanism_type& m) { m.adopt(m); }
    {
        return this == &other || hook_.adopt(mechanism(), other.hook_, other.mechanism());
    }

    /// Returns: true if the mechanism is empty, and no block waits in quarantine.
    [[nodiscard]] bool empty() const noexcept
        requires requires(const mechanism_type& m) { m.empty(); }
    {
        const lock_type lock(hook_.mutex);
        return hook_.registry.blocks_in_quarantine() == 0 && mechanism().empty();
    }

    /// Effects: sets the bounds of this allocator's quarantine (checking/quarantine.hpp).
    void set_quarantine(quarantine_bounds bounds) noexcept {
        const lock_type lock(hook_.mutex);
        hook_.registry.set_quarantine(bounds);
    }

    /// Effects: reports every block with an out-of-bounds write, or a write after its deallocation.
    /// Complexity: linear in the blocks.
    void check() const noexcept {
        const call_in_progress entry(hook_, allocator_call::check);
        hook_.registry.look_at_all(allocator_call::check);
    }

    /// Effects: reports the oldest block that was not freed, with their number.
    void expect_all_freed() const noexcept {
        const call_in_progress entry(hook_, allocator_call::expect_all_freed);
        hook_.registry.expect_all_freed(allocator_call::expect_all_freed);
    }

    /// Effects: enables the report of blocks that were not freed, at each release and rewind, and when the
    /// allocator ends.
    void expect_all_freed_at_end() noexcept {
        const lock_type lock(hook_.mutex);
        hook_.registry.expect_all_freed_at_end();
    }

    // ---- for a fork

    /// Effects: locks the registry and the mechanism.
    /// Requires: the calling thread is not in an operation of this allocator.
    void lock_for_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        threads::lock_for_fork(hook_.mutex);
        base::lock_for_fork();
    }

    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        if (!threads::try_lock_for_fork(hook_.mutex)) {
            return false;
        }
        if (!base::try_lock_for_fork()) {
            threads::unlock_after_fork(hook_.mutex);
            return false;
        }
        return true;
    }

    /// Effects: unlocks them, in the process that forked and in its child.
    void unlock_after_fork() noexcept
        requires threads::locked_for_fork<mechanism_type>
    {
        base::unlock_after_fork();
        threads::unlock_after_fork(hook_.mutex);
    }
};

/// The class that checks a mechanism of any kind, with its constructors. A pool of one size has larger blocks here, so that
/// there is room for guard zones.
template <class Mechanism>
using checked_mechanism = registered<adapt::inherited<room_for_zones_t<Mechanism>>>;

}} // namespace mallard::checking::MALLARD_MODE
