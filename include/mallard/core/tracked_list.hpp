/// Single blocks that went straight to the upstream, remembered so that a release can return them.
///
///     upstream's block:   [ padding | prev next bytes alignment ][ the caller's block ... ]
///                                   ^ tracked                    ^ a multiple of `alignment`
///
/// Invariants: the header ends where the caller's block begins; the padding is what brings that address to
/// the alignment. Both are functions of the alignment alone, so a block's upstream address can be found
/// again.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard {

class tracked_list {
public:
    /// Effects: takes a block from `source` and remembers it.
    /// Throws: std::bad_alloc where the size with its header has no representation; what the upstream throws.
    template <upstream Upstream>
    [[nodiscard]] void* allocate(Upstream&& source, std::size_t bytes, std::size_t alignment) {
        const std::size_t offset = header_bytes(alignment);
        if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - offset) {
            fail_allocation(bytes, alignment);
        }
        auto* base = static_cast<std::byte*>(source.allocate(bytes + offset, upstream_alignment(alignment)));
        auto* header = ::new (base + offset - sizeof(tracked)) tracked{nullptr, first_, bytes, alignment};
        if (first_ != nullptr) {
            first_->previous = header;
        }
        first_ = header;
        return base + offset;
    }

    template <upstream Upstream>
    void deallocate(Upstream&& source, void* p) noexcept {
        tracked* header = static_cast<tracked*>(p) - 1;
        (header->previous != nullptr ? header->previous->next : first_) = header->next;
        if (header->next != nullptr) {
            header->next->previous = header->previous;
        }
        give_back(source, header);
    }

    /// Effects: gives every block back to `source`, as it was taken.
    template <upstream Upstream>
    void release(Upstream&& source) noexcept {
        while (first_ != nullptr) {
            tracked* header = first_;
            first_ = header->next;
            give_back(source, header);
        }
    }

    /// Returns: the sum of the bytes taken from the upstream, headers included.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const tracked* t = first_; t != nullptr; t = t->next) {
            sum += t->bytes + header_bytes(t->alignment);
        }
        return sum;
    }

    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t n = 0;
        for (const tracked* t = first_; t != nullptr; t = t->next) {
            ++n;
        }
        return n;
    }

private:
    struct alignas(fundamental_alignment) tracked {
        tracked* previous;
        tracked* next;
        std::size_t bytes;
        std::size_t alignment;
    };

    static constexpr std::size_t upstream_alignment(std::size_t alignment) noexcept {
        return std::max(alignment, alignof(tracked));
    }

    static constexpr std::size_t header_bytes(std::size_t alignment) noexcept {
        return align_up(sizeof(tracked), upstream_alignment(alignment));
    }

    template <upstream Upstream>
    static void give_back(Upstream&& source, tracked* header) noexcept {
        const std::size_t offset = header_bytes(header->alignment);
        const std::size_t bytes = header->bytes + offset;
        const std::size_t alignment = upstream_alignment(header->alignment);
        std::byte* base = reinterpret_cast<std::byte*>(header + 1) - offset;
        unpoison(base, bytes);
        source.deallocate(base, bytes, alignment);
    }

    tracked* first_ = nullptr;
};

} // namespace mallard
