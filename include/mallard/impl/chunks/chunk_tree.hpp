/// Chunks that wait for their next use, by size: a treap through the chunks themselves.
///
///     chunk:   [ smaller | bytes ][ larger | ................ ]
///              ^ chunk            ^ begin()                    ^ end()
///
/// Data model: a binary search tree by bytes. The header's link leads to the smaller chunks, the first word of the
/// room to the larger ones. The room stays poisoned; only this file reads and writes that word.
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
        core::poison(c->begin(), c->bytes - sizeof(chunk));
        bytes_ += c->bytes;
        const std::uint64_t rank = priority(c);
        chunk** link = &root_;
        while (chunk* parent = read(link)) {
            if (priority(parent) < rank) {
                break;
            }
            link = parent->bytes < c->bytes ? larger(parent) : smaller(parent);
        }
        // The subtree there becomes the new chunk's two.
        chunk* subtree = read(link);
        write(link, c);
        chunk** below = smaller(c);
        chunk** above = larger(c);
        while (subtree != nullptr) {
            if (subtree->bytes < c->bytes) {
                write(std::exchange(below, larger(subtree)), subtree);
                subtree = read(below);
            } else {
                write(std::exchange(above, smaller(subtree)), subtree);
                subtree = read(above);
            }
        }
        write(below, nullptr);
        write(above, nullptr);
    }

    /// Effects: takes the largest chunk of at most `preferred_bytes` out, or, if that has less than `least_bytes`,
    /// the smallest chunk above.
    /// Requires: `least_bytes` is at most `preferred_bytes`. Both include the header.
    /// Returns: the chunk; null if no chunk has `least_bytes`.
    /// Complexity: logarithmic, on average.
    [[nodiscard]] chunk* take(std::size_t least_bytes, std::size_t preferred_bytes) noexcept {
        chunk** at_most = nullptr;
        chunk** above = nullptr;
        for (chunk** link = &root_; chunk* c = read(link);) {
            if (c->bytes <= preferred_bytes) {
                at_most = c->bytes >= least_bytes ? link : at_most;
                link = larger(c);
            } else {
                above = link;
                link = smaller(c);
            }
        }
        chunk** const best = at_most != nullptr ? at_most : above;
        return best == nullptr ? nullptr : remove(best);
    }

    /// Effects: gives chunks back to `source`: all that are larger than `largest_bytes`, then the smallest ones, as
    /// long as the others hold `bytes` bytes.
    /// Complexity: logarithmic, on average, for each chunk that goes and one more.
    template <upstream Upstream>
    void trim(Upstream&& source, std::size_t bytes, std::size_t largest_bytes) noexcept {
        while (bytes_ > largest_bytes) {
            chunk** const link = last(larger);
            if (read(link)->bytes <= largest_bytes) {
                break;
            }
            give_back(source, remove(link));
        }
        while (bytes_ > bytes) {
            chunk** const link = last(smaller);
            if (bytes_ - read(link)->bytes < bytes) {
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
    [[nodiscard]] static chunk** smaller(chunk* c) noexcept { return &c->next; }
    [[nodiscard]] static chunk** larger(chunk* c) noexcept { return reinterpret_cast<chunk**>(c->begin()); }

    MALLARD_READS_POISONED [[nodiscard]] static chunk* read(chunk* const* link) noexcept {
        const core::poisoned_access access;
        return *link;
    }
    MALLARD_READS_POISONED static void write(chunk** link, chunk* c) noexcept {
        const core::poisoned_access access;
        *link = c;
    }

    [[nodiscard]] static std::uint64_t priority(const chunk* c) noexcept {
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

    [[gnu::cold]] static std::size_t count(chunk* c) noexcept {
        return c == nullptr ? 0 : 1 + count(read(smaller(c))) + count(read(larger(c)));
    }

    /// Returns: the link to the last chunk in the direction of `child`.
    /// Requires: the tree is not empty.
    [[nodiscard]] chunk** last(chunk** (*child)(chunk*)) noexcept {
        chunk** link = &root_;
        while (read(child(read(link))) != nullptr) {
            link = child(read(link));
        }
        return link;
    }

    /// Effects: takes the chunk that `link` leads to out of the tree.
    chunk* remove(chunk** link) noexcept {
        chunk* const removed = read(link);
        chunk* below = read(smaller(removed));
        chunk* above = read(larger(removed));
        while (below != nullptr && above != nullptr) {
            if (priority(below) > priority(above)) {
                write(std::exchange(link, larger(below)), below);
                below = read(link);
            } else {
                write(std::exchange(link, smaller(above)), above);
                above = read(link);
            }
        }
        write(link, below != nullptr ? below : above);
        bytes_ -= removed->bytes;
        return removed;
    }

    chunk* root_ = nullptr;
    std::size_t bytes_ = 0;
};

}} // namespace mallard::chunks::MALLARD_MODE
