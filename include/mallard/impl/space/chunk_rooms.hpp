/// The rooms of a heap over an upstream: chunks, and separate ranges for large blocks.
///
///     chunks_ -> [ next | bytes | seal ][ tag | block ] ... [ tag ]   -> [ next | bytes | seal ] ...
///     reserved_: ranges of addresses, each with one large block and room for it to grow
///
/// Large blocks have ranges only if the upstream is the system's memory (impl/space/reserved_blocks.hpp).
/// Invariants: the seal of a chunk is that of its address and its two other words.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/chunks/growth.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>
#include <mallard/impl/space/reserved_blocks.hpp>
#include <mallard/impl/space/word_seal.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::space { inline namespace MALLARD_MODE {

/// `Reserves` is true if large blocks have their own ranges.
template <upstream Upstream, bool Reserves>
class chunk_rooms {
public:
    /// Blocks of this size and above have their own range.
    static constexpr std::size_t least_reserved_bytes = std::size_t{256} << 10;

    explicit constexpr chunk_rooms(chunk_growth growth) noexcept
        requires stateless_upstream<Upstream>
        : next_(growth) {}

    constexpr chunk_rooms(core::upstream_argument<Upstream> source, chunk_growth growth) noexcept
        : next_(growth), upstream_(source) {}

    // ---- rooms

    /// Effects: takes a chunk and makes it a room of `space`. It has the next size of the growth, or, if the
    /// upstream has none, room for the block alone. Before it fails, large blocks give up the addresses that they
    /// do not need yet.
    /// Returns: true if there is room for a block of `block_bytes` bytes, and always without `quiet`.
    /// Throws: the upstream's exceptions, unless `quiet`.
    template <class Space>
    [[gnu::cold, gnu::noinline]] bool add_room_for(Space& space, std::size_t block_bytes, bool quiet);

    /// Returns: `bytes`, or what the largest chunk of the growth holds if that is less, but at least `least`.
    [[nodiscard]] std::size_t room_of_chunk(std::size_t least, std::size_t bytes) const noexcept {
        return core::max(least, core::min(bytes, next_.largest_bytes() - sizeof(chunk)));
    }

    /// Effects: fails for a block that no room could hold.
    /// Throws: the upstream's exceptions.
    [[noreturn]] void fail(std::size_t bytes, std::size_t alignment) {
        core::fail_as_upstream(upstream_.get(), bytes, alignment);
    }

    /// Effects: calls `f(begin, end)` for each room, until a call returns false.
    /// Returns: true if no call returned false.
    template <class F>
    bool walk_rooms(F f) const {
        for (chunk* c = chunks_; c != nullptr; c = c->next) {
            if (!f(c->first(), c->end())) {
                return false;
            }
        }
        return true;
    }

    /// Effects: gives the chunks back that are one free block, and the range that waits for the next large block.
    /// Requires: the remainder of `space` is retired.
    template <class Space>
    void trim(Space& space) noexcept;

    /// Effects: gives everything back.
    void release() noexcept {
        if constexpr (Reserves) {
            reserved_.release();
        }
        while (chunks_ != nullptr) {
            give_back(std::exchange(chunks_, chunks_->next));
        }
        next_.restart();
    }

    // ---- large blocks; null, or false, if they have no ranges

    [[nodiscard]] heap_block allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
        if constexpr (Reserves) {
            if (bytes >= least_reserved_bytes && reserved_blocks::serve(alignment)) {
                return reserved_.allocate(bytes);
            }
        }
        return {};
    }

    void deallocate_large(heap_block b) noexcept {
        if constexpr (Reserves) {
            reserved_.deallocate(b);
        }
    }

    bool grow_large(heap_block b, std::size_t least, std::size_t most) noexcept {
        if constexpr (Reserves) {
            return reserved_.grow(b, least, most);
        }
        return false;
    }

    void shrink_large(heap_block b, std::size_t bytes) noexcept {
        if constexpr (Reserves) {
            reserved_.shrink(b, bytes);
        }
    }

    [[nodiscard]] static std::size_t shrunk_large(heap_block b, std::size_t bytes) noexcept {
        if constexpr (Reserves) {
            return reserved_blocks::shrunk_bytes(b, bytes);
        }
        return 0;
    }

    /// Effects: calls `f(block)` for each large block, up to the first whose range is damaged.
    /// Returns: the large block of the damaged range, or null.
    template <class F>
    [[nodiscard]] heap_block find_large(F f) const {
        if constexpr (Reserves) {
            return reserved_.for_each(f);
        }
        return {};
    }

    // ---- walks and sums

    /// Returns: the first chunk with a damaged head, or a sound result.
    [[nodiscard]] heap_sanity damaged() const noexcept {
        for (chunk* c = chunks_; c != nullptr; c = c->next) {
            if (!c->is_sound()) {
                return {"the head of a chunk is damaged", heap_block(c->first()).payload()};
            }
        }
        return {};
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats sum;
        for (const chunk* c = chunks_; c != nullptr && c->is_sound(); c = c->next) {
            ++sum.chunks;
            sum.chunk_bytes += c->bytes;
        }
        if constexpr (Reserves) {
            sum.large_blocks = reserved_.count();
            sum.large_bytes = reserved_.committed_bytes();
        }
        sum.upstream_calls = upstream_calls_;
        return sum;
    }

private:
    /// A large block without a range gets a chunk of no more than this, if it fits. A program may touch a large
    /// block late, and a chunk in huge pages takes memory with the write of its first word.
    static constexpr std::size_t most_in_small_pages = std::size_t{960} << 10;

    struct alignas(fundamental_alignment) chunk {
        chunk* next;
        std::size_t bytes;
        std::size_t seal;

        [[nodiscard]] bool is_sound() const noexcept { return seal == right_seal(); }
        void reseal() noexcept { seal = right_seal(); }
        [[nodiscard]] std::size_t right_seal() const noexcept {
            return seal_words(
                {reinterpret_cast<std::uintptr_t>(this), reinterpret_cast<std::uintptr_t>(next), bytes});
        }

        /// The addresses of the tag of its first block, and of the tag behind the last one.
        [[nodiscard]] std::byte* first() noexcept {
            return reinterpret_cast<std::byte*>(this + 1) - heap_block::tag_bytes;
        }
        [[nodiscard]] std::byte* end() noexcept {
            return reinterpret_cast<std::byte*>(this) + bytes - heap_block::tag_bytes;
        }
    };

    void give_back(chunk* c) noexcept {
        const std::size_t bytes = c->bytes;
        core::unpoison(c, bytes);
        core::give_back(upstream_.get(), c, bytes, alignof(chunk));
    }

    struct no_reserved_blocks {};

    chunk* chunks_ = nullptr;
    chunks::next_chunk next_;
    std::uint32_t upstream_calls_ = 0;
    [[MALLARD_NO_UNIQUE_ADDRESS]] std::conditional_t<Reserves, reserved_blocks, no_reserved_blocks> reserved_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
};

template <upstream Upstream, bool Reserves>
template <class Space>
bool chunk_rooms<Upstream, Reserves>::add_room_for(Space& space, std::size_t block_bytes, bool quiet) {
    const std::size_t least = core::align_up(sizeof(chunk) + block_bytes, alignof(chunk));
    std::size_t chunk_bytes = next_.bytes_for(least);
    if (Reserves && block_bytes >= least_reserved_bytes && least <= most_in_small_pages) {
        chunk_bytes = core::min(chunk_bytes, most_in_small_pages);
    }
    const auto ask = [this, quiet](std::size_t bytes) {
        return quiet ? core::ask_without_unwinding(upstream_.get(), bytes, alignof(chunk))
                     : core::ask_quietly(upstream_.get(), bytes, alignof(chunk));
    };
    void* memory = nullptr;
    if (chunk_bytes > least && (quiet || core::fails_recoverably<Upstream>)) {
        memory = ask(chunk_bytes);
        chunk_bytes = memory == nullptr ? least : chunk_bytes;
    }
    if (memory == nullptr && (quiet || Reserves)) {
        memory = ask(least);
    }
    if constexpr (Reserves) {
        if (memory == nullptr && reserved_.make_way(least)) {
            memory = ask(least);
        }
    }
    if (memory == nullptr) {
        if (quiet) {
            return false;
        }
        memory = upstream_.get().allocate(chunk_bytes, alignof(chunk));
    }
    chunks_ = ::new (memory) chunk{chunks_, chunk_bytes, 0};
    chunks_->reseal();
    next_.took(chunk_bytes, chunk_bytes); // a block grows no further than its chunk, so no size is repeated
    ++upstream_calls_;
    const auto room = static_cast<std::size_t>(chunks_->end() - chunks_->first()) + Space::end_bytes;
    core::poison(chunks_->first(), room);
    space.add_room(chunks_->first(), room);
    return true;
}

template <upstream Upstream, bool Reserves>
template <class Space>
void chunk_rooms<Upstream, Reserves>::trim(Space& space) noexcept {
    if constexpr (Reserves) {
        reserved_.trim();
    }
    chunk* predecessor = nullptr;
    for (chunk* c = chunks_; c != nullptr;) {
        chunk* const next = c->next;
        if (!space.remove_room_if_free(c->first(), c->end())) {
            predecessor = c;
        } else {
            if (predecessor == nullptr) {
                chunks_ = next;
            } else {
                predecessor->next = next;
                predecessor->reseal();
            }
            give_back(c);
        }
        c = next;
    }
}

}} // namespace mallard::space::MALLARD_MODE
