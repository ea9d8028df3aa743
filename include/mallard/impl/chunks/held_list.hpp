/// All memory of an allocator's upstream, in one list, so that a release can return it: chunks, which blocks are
/// carved from, and large blocks, which are single requests that went straight upstream.
///
///     chunk:                                     [ next | size ][ room for blocks ............ ]
///     large block:   [ padding | align | prev ]  [ next | size ][ the caller's block ......... ]
///                                                ^ held          ^ begin()
///
/// Data model: a large block leaves the list when it is deallocated, so it knows its predecessor; a chunk stays
/// until the release and does not. One pointer leads to both kinds, because a program may have a million of these
/// lists.
/// Invariants: the size is that of the request to the upstream, headers and padding included. The header ends at
/// the begin of the caller's block; its offset in the upstream's block is a function of the alignment alone.
/// Owner: the allocator that holds the list; it must call release() before it ends.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace mallard::chunks { inline namespace MALLARD_MODE {

/// The common part of both headers.
struct alignas(fundamental_alignment) held {
    held* next;
    std::size_t tagged_bytes;

    static constexpr std::size_t large_tag = ~(SIZE_MAX >> 1); ///< marks a large block; no size has this bit

    [[nodiscard]] std::size_t bytes() const noexcept { return tagged_bytes & ~large_tag; }
    [[nodiscard]] bool is_large() const noexcept { return tagged_bytes >= large_tag; }

    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

class held_list {
public:
    /// Effects: takes a chunk of `bytes` bytes, header included, from `source`. Its room is poisoned.
    /// Requires: `bytes` is at most PTRDIFF_MAX.
    /// Returns: the begin of its room, a multiple of fundamental_alignment; null, with no effect, if a quiet source has
    /// no memory.
    /// Throws: the upstream's exceptions; the list is unchanged then.
    template <upstream Upstream>
    [[nodiscard]] std::byte* add_chunk(Upstream&& source, std::size_t bytes) {
        void* memory = source.allocate(bytes, alignof(held));
        if constexpr (core::is_quiet<std::remove_reference_t<Upstream>>) {
            if (memory == nullptr) {
                return nullptr;
            }
        }
        auto* added = ::new (memory) held{.next = first_, .tagged_bytes = bytes};
        core::poison(added->begin(), bytes - sizeof(held));
        put_in_front(added);
        return added->begin();
    }

    /// Effects: takes a large block from `source`. Zero bytes get a block of one.
    /// Returns: the block; null, with no effect, if a quiet source has no memory.
    /// Throws: the upstream's exceptions.
    template <upstream Upstream>
    [[nodiscard]] void* allocate(Upstream&& source, std::size_t bytes, std::size_t alignment) {
        const std::size_t offset = large_header_bytes(alignment);
        bytes += static_cast<std::size_t>(bytes == 0);
        constexpr auto most_bytes = static_cast<std::size_t>(PTRDIFF_MAX);
        if (offset > most_bytes || bytes > most_bytes - offset) { // at an alignment of 2^63 the offset has it
            if constexpr (core::is_quiet<std::remove_reference_t<Upstream>>) {
                return nullptr;
            } else {
                core::fail_as_upstream(source, bytes, alignment);
            }
        }
        void* memory = source.allocate(bytes + offset, upstream_alignment(alignment));
        if constexpr (core::is_quiet<std::remove_reference_t<Upstream>>) {
            if (memory == nullptr) {
                return nullptr;
            }
        }
        std::byte* block = static_cast<std::byte*>(memory) + offset;
        auto* added = ::new (block - sizeof(large_header)) large_header{
            alignment, nullptr, {.next = first_, .tagged_bytes = (bytes + offset) | held::large_tag}};
        put_in_front(&added->common);
        return block;
    }

    /// Effects: gives a block of allocate() back to `source`.
    template <upstream Upstream>
    void deallocate(Upstream&& source, void* p) noexcept {
        held* removed = static_cast<held*>(p) - 1;
        held* previous = large_header_before(removed)->previous;
        held*& link = previous != nullptr ? previous->next : first_;
        if (link != removed) [[unlikely]] {
            core::fail_damaged_free_memory(p);
        }
        link = removed->next;
        set_previous(removed->next, previous);
        give_back(source, removed);
    }

    /// Effects: gives everything back to `source`.
    /// Complexity: linear in the chunks and large blocks, not in the blocks carved from chunks.
    template <upstream Upstream>
    void release(Upstream&& source) noexcept {
        while (first_ != nullptr) {
            held* removed = first_;
            first_ = removed->next;
            give_back(source, removed);
        }
    }

    /// Returns: the chunks, sorted by address, which are not held until put_back().
    /// Requires: `Run` sorts blocks that begin with a link and their size, as chunks do.
    /// Complexity: n log n in the chunks, and linear in the large blocks.
    template <class Run>
    [[nodiscard]] Run take_chunks() noexcept {
        Run chunks;
        held* rest = first_;
        first_ = nullptr;
        while (rest != nullptr) {
            held* const h = rest;
            rest = h->next;
            if (h->is_large()) {
                large_header_before(h)->previous = nullptr;
                h->next = first_;
                put_in_front(h);
            } else {
                chunks.push(reinterpret_cast<core::free_block*>(h), h->tagged_bytes);
            }
        }
        chunks.sort();
        return chunks;
    }

    /// Effects: holds the chunks of take_chunks() again, except for those for whose room is_empty(begin, end) returns true, which go
    /// to `source`. Calls it in the order of addresses.
    /// Complexity: linear in the chunks.
    template <class Run, upstream Upstream, class IsEmpty>
    void put_back(Upstream&& source, Run chunks, IsEmpty is_empty) noexcept {
        while (auto* const first = chunks.pop()) {
            void* const memory = first;
            held* const h = static_cast<held*>(memory);
            if (is_empty(h->begin(), h->begin() + (h->bytes() - sizeof(held)))) {
                give_back(source, h);
            } else {
                h->next = first_;
                put_in_front(h);
            }
        }
    }

    /// Returns: true if `p` lies in the room of a chunk, or in a large block.
    /// Complexity: linear in the chunks and large blocks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        for (held* h = first_; h != nullptr; h = h->next) {
            if (core::lies_in({h->begin(), h->bytes() - header_bytes(h)}, p)) {
                return true;
            }
        }
        return false;
    }

    /// Returns: the numbers and bytes of chunks and large blocks.
    [[nodiscard]] allocator_stats stats() const noexcept {
        allocator_stats sum;
        for (const held* h = first_; h != nullptr; h = h->next) {
            ++(h->is_large() ? sum.large_blocks : sum.chunks);
            (h->is_large() ? sum.large_bytes : sum.chunk_bytes) += h->bytes();
        }
        return sum;
    }

private:
    /// The header of a large block: two words in front of the common part.
    struct alignas(fundamental_alignment) large_header {
        std::size_t alignment;
        held* previous; ///< the one before it in the list; null for the first
        held common;
    };

    static large_header* large_header_before(held* common) noexcept {
        return reinterpret_cast<large_header*>(reinterpret_cast<std::byte*>(common + 1) -
                                               sizeof(large_header));
    }

    static void set_previous(held* of, held* previous) noexcept {
        if (of != nullptr && of->is_large()) {
            large_header_before(of)->previous = previous;
        }
    }

    void put_in_front(held* added) noexcept {
        set_previous(first_, added);
        first_ = added;
    }

    static constexpr std::size_t upstream_alignment(std::size_t alignment) noexcept {
        return core::max(alignment, alignof(large_header));
    }

    static constexpr std::size_t large_header_bytes(std::size_t alignment) noexcept {
        return core::align_up(sizeof(large_header), upstream_alignment(alignment));
    }

    /// Returns: the bytes in front of h->begin().
    static std::size_t header_bytes(held* h) noexcept {
        return h->is_large() ? large_header_bytes(large_header_before(h)->alignment) : sizeof(held);
    }

    template <upstream Upstream>
    static void give_back(Upstream&& source, held* removed) noexcept {
        std::size_t offset = sizeof(held);
        std::size_t alignment = alignof(held);
        if (removed->is_large()) {
            alignment = upstream_alignment(large_header_before(removed)->alignment);
            offset = large_header_bytes(alignment);
        }
        const std::size_t bytes = removed->bytes();
        std::byte* memory = removed->begin() - offset;
        core::unpoison(memory, bytes);
        core::give_back(source, memory, bytes, alignment);
    }

    held* first_ = nullptr;
};

}} // namespace mallard::chunks::MALLARD_MODE
