/// Chunks that wait for their next use, by size: a treap through the chunks themselves.
///
///     chunk:   [ smaller | larger ][ bytes | ................ ]
///              ^ kept chunk        ^ begin()                   ^ end()
///
/// Data model: a binary search tree by bytes. The links lie in place of the header: a leak checker has to find them, and ignores
/// pointers in poisoned memory. The size lies in the first word of the room, which stays poisoned; only this file reads and
/// writes that word.
/// Invariants: an in-order walk finds ascending sizes; equal ones in any order. No child has a higher priority than
/// its parent. The priority is a hash of the address, so the depth is logarithmic whatever sizes the chunks have and
/// in whatever order they come. bytes_ is the sum of the chunks' bytes, headers included. A chunk has room for the
/// word.
/// Owner: the allocator that holds the tree; it must call release() before it ends.
///
/// Source: Seidel and Aragon, "Randomized search trees", Algorithmica 16 (1996).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/chunks/chunk_list.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace mallard::chunks { inline namespace MALLARD_MODE {

class chunk_tree {
public:
    /// Returns: the sum of the chunks' bytes, headers included.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// Complexity: linear in the chunks.
    [[nodiscard]] std::size_t count() const noexcept { return count(root_); }

    /// Effects: poisons the chunk's room, and adds the chunk.
    /// Complexity: logarithmic, on average.
    void insert(chunk* c) noexcept {
        const std::size_t bytes = c->bytes;
        core::poison(c->begin(), bytes - sizeof(chunk));
        auto* const added = ::new (static_cast<void*>(c)) kept_chunk{};
        write_bytes(added, bytes);
        bytes_ += bytes;
        const std::uint64_t rank = priority(added);
        kept_chunk** link = &root_;
        while (kept_chunk* const parent = *link) {
            if (priority(parent) < rank) {
                break;
            }
            link = read_bytes(parent) < bytes ? &parent->larger : &parent->smaller;
        }
        // The subtree there becomes the new chunk's two.
        kept_chunk* subtree = std::exchange(*link, added);
        kept_chunk** below = &added->smaller;
        kept_chunk** above = &added->larger;
        while (subtree != nullptr) {
            if (read_bytes(subtree) < bytes) {
                *below = subtree;
                below = &subtree->larger;
                subtree = *below;
            } else {
                *above = subtree;
                above = &subtree->smaller;
                subtree = *above;
            }
        }
        *below = nullptr;
        *above = nullptr;
    }

    /// Effects: takes the largest chunk of at most `preferred_bytes` out, or, if that has less than `least_bytes`,
    /// the smallest chunk above.
    /// Requires: `least_bytes` is at most `preferred_bytes`. Both include the header.
    /// Returns: the chunk; null if no chunk has `least_bytes`.
    /// Complexity: logarithmic, on average.
    [[nodiscard]] chunk* take(std::size_t least_bytes, std::size_t preferred_bytes) noexcept {
        kept_chunk** at_most = nullptr;
        kept_chunk** above = nullptr;
        for (kept_chunk** link = &root_; kept_chunk* const c = *link;) {
            const std::size_t bytes = read_bytes(c);
            if (bytes <= preferred_bytes) {
                at_most = bytes >= least_bytes ? link : at_most;
                link = &c->larger;
            } else {
                above = link;
                link = &c->smaller;
            }
        }
        kept_chunk** const best = at_most != nullptr ? at_most : above;
        return best == nullptr ? nullptr : remove(best);
    }

    /// Effects: gives chunks back to `source`: all that are larger than `largest_bytes`, then the smallest ones, as
    /// long as the others hold `bytes` bytes.
    /// Complexity: logarithmic, on average, for each chunk that goes and one more.
    template <upstream Upstream>
    void trim(Upstream&& source, std::size_t bytes, std::size_t largest_bytes) noexcept {
        while (bytes_ > largest_bytes) {
            kept_chunk** const link = last(&kept_chunk::larger);
            if (read_bytes(*link) <= largest_bytes) {
                break;
            }
            give_back(source, remove(link));
        }
        while (bytes_ > bytes) {
            kept_chunk** const link = last(&kept_chunk::smaller);
            if (bytes_ - read_bytes(*link) < bytes) {
                break;
            }
            give_back(source, remove(link));
        }
    }

    /// Effects: gives every chunk back to `source`.
    /// Complexity: linear in the chunks, on average.
    template <upstream Upstream>
    void release(Upstream&& source) noexcept {
        if (root_ != nullptr) [[unlikely]] {
            release_all(source);
        }
    }

private:
    struct kept_chunk {
        kept_chunk* smaller = nullptr;
        kept_chunk* larger = nullptr;
    };
    static_assert(sizeof(kept_chunk) <= sizeof(chunk));

    [[nodiscard]] static std::size_t* size_word(kept_chunk* c) noexcept {
        return reinterpret_cast<std::size_t*>(reinterpret_cast<std::byte*>(c) + sizeof(chunk));
    }
    MALLARD_READS_POISONED [[nodiscard]] static std::size_t read_bytes(kept_chunk* c) noexcept {
        const core::poisoned_access access;
        return *size_word(c);
    }
    MALLARD_READS_POISONED static void write_bytes(kept_chunk* c, std::size_t bytes) noexcept {
        const core::poisoned_access access;
        *size_word(c) = bytes;
    }

    [[nodiscard]] static std::uint64_t priority(const kept_chunk* c) noexcept {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(c) * odd;
        return (mixed ^ (mixed >> 32)) * odd;
    }

    template <upstream Upstream>
    [[gnu::cold, gnu::noinline]] void release_all(Upstream& source) noexcept {
        while (root_ != nullptr) {
            give_back(source, remove(&root_));
        }
    }

    [[gnu::cold]] static std::size_t count(const kept_chunk* c) noexcept {
        return c == nullptr ? 0 : 1 + count(c->smaller) + count(c->larger);
    }

    /// Returns: the link to the last chunk in the direction of `child`.
    /// Requires: the tree is not empty.
    [[nodiscard]] kept_chunk** last(kept_chunk* kept_chunk::* child) noexcept {
        kept_chunk** link = &root_;
        while ((*link)->*child != nullptr) {
            link = &((*link)->*child);
        }
        return link;
    }

    /// Effects: takes the chunk that `link` leads to out of the tree.
    chunk* remove(kept_chunk** link) noexcept {
        kept_chunk* const removed = *link;
        const std::size_t bytes = read_bytes(removed);
        kept_chunk* below = removed->smaller;
        kept_chunk* above = removed->larger;
        while (below != nullptr && above != nullptr) {
            if (priority(below) > priority(above)) {
                *link = below;
                link = &below->larger;
                below = *link;
            } else {
                *link = above;
                link = &above->smaller;
                above = *link;
            }
        }
        *link = below != nullptr ? below : above;
        bytes_ -= bytes;
        return ::new (static_cast<void*>(removed)) chunk{nullptr, bytes};
    }

    kept_chunk* root_ = nullptr;
    std::size_t bytes_ = 0;
};

}} // namespace mallard::chunks::MALLARD_MODE
