/// The large blocks of a heap, each in its own reserved range, so that it grows without moving and gives
/// memory back when it shrinks.
///
///     [ next | previous | range | committed | . ][ tag ][ the caller's ...... | word | reserved ........ ]
///     ^ begin of a page                           ^ block ^ a multiple of 64         ^ committed
///
/// Data model: a list of the ranges, linked both ways. The tag is that of any block, with the flag `reserved`. The block
/// ends a word before the committed bytes do, or earlier if the range had a larger block before, so that its bytes are a
/// multiple of the granule as everywhere. The range that was freed last
/// waits as the spare one, as long as the process has less than half of its possible ranges: a vector that is
/// made again would fault all its pages in anew otherwise.
/// Invariants: a block has at least the requested bytes. The seal of a range is that of its other words, apart
/// from `previous`, which leads to the range whose `next` it is.
/// Bound: committed memory grows and shrinks by at least an eighth, so that small changes rarely call the system.
/// A range is `reserve_factor` times as large as its first block, or `least_range_bytes`. If the system has no
/// such range, it is asked for one without room to grow, and then the other ranges give up theirs. If it refuses
/// that too, or the process has reserved_range::most_ranges, the heap takes a chunk. A spare range has at most
/// `most_spare_bytes` committed, and the system may take them if they are 1 MiB or more.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/reserved_range.hpp>
#include <mallard/impl/space/word_seal.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::space { inline namespace MALLARD_LIBRARY {

class reserved_blocks {
    struct alignas(cache_line_bytes) range {
        range* next;
        range* previous;
        std::size_t bytes;
        std::size_t committed;
        std::size_t granted; ///< of the committed bytes, those up to the end of the block
        std::size_t unused;
        std::size_t seal; ///< of the words above; a check of the heap detects damage with it
        std::size_t word;
    };
    static_assert(sizeof(range) == cache_line_bytes);
    /// The committed bytes that are not the caller's.
    static constexpr std::size_t overhead_bytes = sizeof(range) + heap_block::tag_bytes;

public:
    static constexpr std::size_t reserve_factor = 16;
    static constexpr std::size_t least_range_bytes = std::size_t{128} << 20;

    static constexpr std::size_t most_spare_bytes = std::size_t{64} << 20;

    reserved_blocks() = default;
    reserved_blocks(const reserved_blocks&) = delete;
    reserved_blocks& operator=(const reserved_blocks&) = delete;

    /// Returns: true if blocks at such multiples are possible.
    [[nodiscard]] static constexpr bool serve(std::size_t alignment) noexcept {
        return alignment <= sizeof(range);
    }

    /// Returns: a block whose payload has at least `bytes` bytes; null if the system has no memory or no
    /// addresses.
    [[nodiscard]] heap_block allocate(std::size_t bytes) noexcept;

    void deallocate(heap_block b) noexcept;

    /// Effects: gives the block at least `preferred` bytes of payload, or `least` if that is not possible.
    /// Returns: true if it has `least` bytes then. It never has fewer than before.
    bool grow(heap_block b, std::size_t least, std::size_t preferred) noexcept;

    /// Effects: gives back the memory behind `bytes` bytes of payload, if it is at least an eighth of them.
    void shrink(heap_block b, std::size_t bytes) noexcept;

    /// Returns: the bytes of payload that shrink() would leave the block, if the system takes the rest back.
    [[nodiscard]] static std::size_t shrunk_bytes(heap_block b, std::size_t bytes) noexcept;

    /// Effects: gives the spare range back. Ranges have room to grow again.
    void trim() noexcept;

    /// Effects: gives back the spare range and all room to grow, if both together have `bytes` bytes. For callers
    /// that the system has refused `bytes` bytes. New ranges have no room to grow until trim(), release(), or the
    /// last block is freed.
    /// Returns: true if it gave them back.
    /// Complexity: linear in the blocks, apart from calls to the system.
    bool make_way(std::size_t bytes) noexcept;

    /// Effects: gives all ranges back.
    void release() noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Returns: the bytes that are committed, those of the spare range included.
    [[nodiscard]] std::size_t committed_bytes() const noexcept { return committed_bytes_; }

    /// Returns: true if the tag of the large block `b` is undamaged.
    [[nodiscard]] static bool is_sound(heap_block b) noexcept {
        return b.tag() == word_for(range_holding(b)->granted);
    }

    /// Effects: calls `f(block)` for each, up to the first damaged range.
    /// Returns: the block of that range; null if there is none.
    template <class F>
    [[nodiscard]] heap_block for_each(F f) const {
        const range* previous = nullptr;
        for (range* r = first_; r != nullptr; r = r->next) {
            if (r->seal != compute_seal(r) || r->previous != previous) {
                return block_in(r);
            }
            f(block_in(r));
            previous = r;
        }
        return {};
    }

private:
    static heap_block block_in(range* r) noexcept {
        return heap_block(reinterpret_cast<std::byte*>(&r->word));
    }
    static range* range_holding(heap_block b) noexcept {
        return reinterpret_cast<range*>(b.payload() - sizeof(range));
    }
    static std::size_t word_for(std::size_t granted) noexcept {
        return (granted - sizeof(range)) | heap_block::in_use | heap_block::previous_in_use |
               heap_block::reserved;
    }
    [[nodiscard]] static std::size_t compute_seal(const range* r) noexcept {
        return seal_words({reinterpret_cast<std::uintptr_t>(r), reinterpret_cast<std::uintptr_t>(r->next),
                           r->bytes, r->committed, r->granted});
    }
    [[nodiscard]] range* new_range(std::size_t least) noexcept;
    [[nodiscard]] range* take_spare(std::size_t least) noexcept;
    [[nodiscard]] bool commit(range* r, std::size_t bytes) noexcept;
    [[nodiscard]] static std::size_t committed_for(const range* r, std::size_t bytes) noexcept;
    void give_back(range* r) noexcept;
    static void set_next(range* r, range* next) noexcept;
    static void grant(range* r, std::size_t bytes) noexcept;
    void set_committed(range* r, std::size_t bytes) noexcept;

    range* first_ = nullptr;
    range* spare_ = nullptr; ///< in no list
    std::size_t count_ = 0;
    std::size_t committed_bytes_ = 0;
    bool without_room_ = false; ///< addresses were refused
};

}} // namespace mallard::space::MALLARD_LIBRARY
