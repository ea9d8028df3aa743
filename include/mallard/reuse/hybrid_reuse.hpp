/// The hybrid order of reuse: the few blocks freed most recently come first, last freed first; then the lowest
/// address.
///
///     size:    recent [ p | p | p | . ] <- last freed     full: the older half goes to the runs
///                |                                       empty: refilled with the lowest of the runs
///              runs with bitmaps (reuse/block_runs.hpp)
///
/// A block that is freed and allocated again at once is still in the cache, and no bitmap is read. Blocks that
/// are freed in bulk are reused in the order of their addresses.
///
/// Invariant: recent blocks are poisoned; to the runs they are in use.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/reuse/block_runs.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/recent_blocks.hpp>
#include <mallard/reuse/runs_by_class.hpp>

#include <cstddef>

namespace mallard::reuse::inline MALLARD_MODE {

/// The blocks of one size.
class recent_runs {
public:
    /// Requires: `block_bytes` is a multiple of 4, at least 4. `alignment` is that of the blocks, if it divides
    /// their size.
    explicit constexpr recent_runs(std::size_t block_bytes,
                                   std::size_t alignment = fundamental_alignment) noexcept
        : runs_(block_bytes, alignment) {}

    [[nodiscard]] void* pop() noexcept {
        return recent_.pop([this] { return runs_.pop(); });
    }

    void push(void* p) noexcept {
        core::poison(p, runs_.block_bytes());
        recent_.push(p, [this](void* older) { runs_.push(older); });
    }

    void add_run(std::byte*& cursor, std::byte* limit) noexcept { runs_.add_run(cursor, limit); }
    [[nodiscard]] void* carve(std::byte*& cursor, std::byte* limit) noexcept {
        return runs_.carve(cursor, limit);
    }

    [[nodiscard]] constexpr std::size_t room(std::size_t blocks = 1) const noexcept {
        return runs_.room(blocks);
    }
    [[nodiscard]] constexpr std::size_t blocks_in(std::size_t bytes) const noexcept {
        return runs_.blocks_in(bytes);
    }
    [[nodiscard]] bool empty() const noexcept { return recent_.empty() && runs_.empty(); }
    [[nodiscard]] constexpr std::size_t block_bytes() const noexcept { return runs_.block_bytes(); }

    /// Effects: forgets all blocks.
    void clear() noexcept {
        recent_.clear();
        runs_.clear();
    }

private:
    recent_blocks recent_;
    block_runs runs_;
};

} // namespace mallard::reuse::inline MALLARD_MODE

namespace mallard::inline MALLARD_MODE {

struct hybrid_reuse {
    template <size_class_policy Classes>
    using by_class = reuse::runs_by_class<reuse::recent_runs, Classes>;
    using of_one_size = reuse::recent_runs;
};

static_assert(reuse_order<hybrid_reuse>);

} // namespace mallard::inline MALLARD_MODE
