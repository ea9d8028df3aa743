/// A thread's stock of free blocks of one shape, used without a lock.
///
///     first_ -> block -> block -> ... -> null        the loaded batch: up to batch_blocks, freed last first
///     full_  -> batch -> batch -> null               whole batches, up to full_limit_
///
///     batch:   [ next block | next batch | ... ]     its first block
///              [ next block | ................ ]     the others
///
/// Data model: the links are in the blocks. A batch has exactly batch_blocks(index) blocks, so that it changes owners
/// as one chain, without a look at its blocks. A thread that frees into a full loaded batch puts it on full_; if
/// there are as many as allowed, the newest of these leaves the magazine for it.
/// Growth: a thread that gave a batch away and had to fetch one later may keep one more, as long as its cache has
/// growth left (most_growth_bytes). A thread that only frees, or only allocates, keeps no more than one.
/// Invariants: the loaded batch has count_ blocks and ends in null. All bytes of a magazine that was never used are
/// zero, so that the first call is slow. Blocks are poisoned under AddressSanitizer, links and all.
///
/// Source: J. Bonwick, J. Adams, "Magazines and Vmem", USENIX 2001.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

/// Whole batches in a list, last in, first out. Neither call looks at any block but the first of a batch.
class batch_stack {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    /// Requires: blocks of `batch` hold two pointers.
    void push(core::free_block* batch) noexcept {
        links::write(next_batch(batch), first_);
        first_ = batch;
    }

    /// Returns: the batch that was put in last; null if there is none.
    [[nodiscard]] core::free_block* pop() noexcept {
        core::free_block* const batch = first_;
        if (batch != nullptr) {
            first_ = links::read(next_batch(batch));
        }
        return batch;
    }

private:
    using links = core::links<true>; // blocks of size classes, or of whole cache lines

    [[nodiscard]] static core::free_block** next_batch(core::free_block* batch) noexcept {
        return reinterpret_cast<core::free_block**>(batch) + 1;
    }

    core::free_block* first_ = nullptr;
};

/// A magazine has blocks of one shape; requests are rounded up to it.
struct block_shape {
    std::size_t bytes;
    std::size_t alignment;
};

/// The first magazines serve the size classes up to 8 KiB: larger blocks take so long to fill that a lock does not
/// matter. The others serve blocks of one to eight whole cache lines, so that threads do not write to one line.
inline constexpr std::size_t classes_with_magazines = eighth_classes::index(std::size_t{8} << 10) + 1;

/// The least block: the first of a batch has two links.
inline constexpr std::size_t least_magazine_bytes = 2 * sizeof(void*);

inline constexpr std::size_t line_magazines = 8;
inline constexpr std::size_t magazine_count = classes_with_magazines + line_magazines;

/// Returns: the magazine that serves a request; magazine_count if none does.
/// Requires: `alignment` is a power of two.
[[nodiscard]] constexpr std::size_t magazine_index(std::size_t bytes, std::size_t alignment) noexcept {
    if (alignment <= fundamental_alignment) [[likely]] {
        const std::size_t index = eighth_classes::index(core::max(bytes, least_magazine_bytes), alignment);
        return index < classes_with_magazines ? index : magazine_count;
    }
    if (alignment <= cache_line_bytes && bytes <= line_magazines * cache_line_bytes) {
        return classes_with_magazines + (bytes - static_cast<std::size_t>(bytes != 0)) / cache_line_bytes;
    }
    return magazine_count;
}

/// Returns: the shape of the blocks of magazine `index`.
[[nodiscard]] constexpr block_shape magazine_shape(std::size_t index) noexcept {
    if (index >= classes_with_magazines) {
        return {(index - classes_with_magazines + 1) * cache_line_bytes, cache_line_bytes};
    }
    const std::size_t bytes = eighth_classes::bytes(index);
    return {bytes, bytes % fundamental_alignment == 0 ? fundamental_alignment : 8};
}

/// Returns: the number of blocks in a batch: 64, or as many as 16 KiB hold.
[[nodiscard]] constexpr std::size_t batch_blocks(std::size_t index) noexcept {
    return core::min<std::size_t>((std::size_t{16} << 10) / magazine_shape(index).bytes, 64);
}

/// Returns: the most free blocks in magazine `index` that has not grown: two batches.
[[nodiscard]] constexpr std::size_t magazine_capacity(std::size_t index) noexcept {
    return 2 * batch_blocks(index);
}

/// The most bytes by which all magazines of one cache may grow.
inline constexpr std::size_t most_growth_bytes = std::size_t{1} << 20;

/// Not thread-safe: it belongs to one thread.
class alignas(32) magazine {
public:
    /// Returns: the block freed last, still poisoned; null if load() has to be called first.
    [[nodiscard, gnu::always_inline]] void* pop() noexcept {
        if (count_ == 0) [[unlikely]] {
            return nullptr;
        }
        --count_;
        core::free_block* const block = core::known(first_);
        first_ = links::read(block);
        // The next block may have left the cache, and its link is read before the caller writes to it.
        MALLARD_PREFETCH(first_, 1);
        return block;
    }

    /// Returns: false, with no effect, if make_room() has to be called first.
    [[nodiscard, gnu::always_inline]] bool push(void* p, std::size_t index) noexcept {
        if (count_ == capacity_) [[unlikely]] {
            return false;
        }
        ++count_;
        auto* const block = static_cast<core::free_block*>(p);
        links::write(block, first_);
        first_ = block;
        core::poison(p, magazine_shape(index).bytes);
        return true;
    }

    /// Effects: makes the newest whole batch the loaded one.
    /// Returns: false, with no effect, if there is none: call fill() then.
    /// Requires: pop() returned null.
    [[nodiscard]] bool load() noexcept {
        if (full_count_ == 0) {
            return false;
        }
        --full_count_;
        first_ = full_.pop();
        count_ = capacity_;
        return true;
    }

    /// Effects: there is room for a push afterwards.
    /// Returns: the batch that has to leave for it; null if none has.
    /// Requires: push() returned false.
    [[nodiscard]] core::free_block* make_room(std::size_t index) noexcept {
        if (capacity_ == 0) {
            open(index);
            return nullptr;
        }
        expect_chain(first_);
        core::free_block* excess = nullptr;
        if (full_count_ == full_limit_) {
            excess = full_.pop();
            // Counts only matter as far as there can be batches to fetch.
            unmatched_ = static_cast<std::uint16_t>(unmatched_ + (unmatched_ != UINT16_MAX));
        } else {
            ++full_count_;
        }
        full_.push(std::exchange(first_, nullptr));
        count_ = 0;
        return excess;
    }

    /// Returns: the number of blocks to fetch for an empty magazine: one, then twice as many each time, up to
    /// a batch, so that a thread keeps no stock of blocks that it seldom needs. If no fill()
    /// follows, because memory ran out, it begins with one again.
    [[nodiscard]] std::size_t next_fetch(std::size_t index) noexcept {
        const std::size_t twice = core::max<std::size_t>(2 * std::size_t{std::exchange(fetched_, 0)}, 1);
        return core::min(twice, batch_blocks(index));
    }

    /// Effects: puts in `count` blocks to which `first` leads, the last one to null.
    /// Requires: load() returned false; `count` is at most batch_blocks(index), and all are poisoned.
    void fill(core::free_block* first, std::size_t count, std::size_t index) noexcept {
        open(index);
        first_ = first;
        count_ = static_cast<std::uint32_t>(count);
        fetched_ = static_cast<std::uint16_t>(count);
    }

    /// Effects: puts a whole batch in. If one had to leave before, one more may stay from now on, as far as
    /// `growth_bytes` reach, which become fewer.
    /// Requires: load() returned false; all blocks are poisoned.
    void fill(core::free_block* batch, std::size_t index, std::uint32_t& growth_bytes) noexcept {
        fill(batch, batch_blocks(index), index);
        const std::size_t batch_bytes = batch_blocks(index) * magazine_shape(index).bytes;
        if (unmatched_ != 0) {
            --unmatched_;
            if (batch_bytes <= growth_bytes) {
                growth_bytes -= static_cast<std::uint32_t>(batch_bytes);
                ++full_limit_;
            }
        }
    }

    /// Effects: calls `use_batch(batch)` for all whole batches, and `use(block)` for the other blocks. Leaves the
    /// magazine as it was made.
    template <class UseBatch, class Use>
    void empty_out(UseBatch use_batch, Use use) noexcept {
        magazine all = std::exchange(*this, magazine{});
        expect_length(all.first_, all.count_);
        while (core::free_block* const batch = all.full_.pop()) {
            use_batch(batch);
        }
        for_each(all.first_, all.count_, use);
    }

    /// Effects: calls `use(block)` for `count` blocks, after the link of each was read.
    template <class Use>
    static void for_each(core::free_block* block, std::size_t count, Use use) noexcept {
        for (; count != 0; --count) {
            core::free_block* const next = links::read(block);
            use(block);
            block = next;
        }
    }

    /// Effects: reports free memory that is damaged unless `count` blocks lead to null. A block that was deallocated
    /// twice leads back to itself.
    static void expect_length(core::free_block* first, std::size_t count) noexcept {
        core::free_block* block = first;
        for (; count != 0 && block != nullptr; --count) {
            block = links::read(block);
        }
        if (count != 0 || block != nullptr) [[unlikely]] {
            core::fail_damaged_free_memory(first);
        }
    }

private:
    using links = core::links<true>; // blocks of size classes, or of whole cache lines

    void open(std::size_t index) noexcept {
        capacity_ = static_cast<std::uint32_t>(batch_blocks(index));
        full_limit_ = core::max<std::uint16_t>(full_limit_, 1);
    }

    /// Effects: reports a block that was deallocated again at once or after one other. A whole batch is not
    /// walked: its blocks may have left the cache.
    static void expect_chain(core::free_block* first) noexcept {
        core::free_block* const second = links::read(first);
        if (second != nullptr && (second == first || links::read(second) == first)) [[unlikely]] {
            core::fail_damaged_free_memory(first);
        }
    }

    core::free_block* first_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t capacity_ = 0; ///< of the loaded batch; 0 before the first use
    batch_stack full_;
    std::uint16_t full_count_ = 0;
    std::uint16_t full_limit_ = 0;
    std::uint16_t unmatched_ = 0; ///< the batches that left, less those fetched since
    std::uint16_t fetched_ = 0;   ///< how many blocks were fetched the last time
};

static_assert(sizeof(magazine) == 32, "no magazine lies in two cache lines");

}} // namespace mallard::threads::MALLARD_LIBRARY
