/// The chunks of an allocator, as a list through the chunks themselves.
///
///     chunk:   [ next | bytes ][ room for blocks ............ ]
///              ^ chunk         ^ begin()                        ^ end()
///
/// Invariants: `bytes` is the size requested from the upstream, header included, at fundamental_alignment.
/// Owner: the allocator that holds the list; it must call release() before it ends.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::chunks { inline namespace MALLARD_MODE {

struct alignas(fundamental_alignment) chunk {
    chunk* next;
    std::size_t bytes;

    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] std::byte* end() noexcept { return reinterpret_cast<std::byte*>(this) + bytes; }
};

/// Effects: gives the chunk back to `source`.
template <upstream Upstream>
void give_back(Upstream&& source, chunk* c) noexcept {
    const std::size_t bytes = c->bytes;
    core::unpoison(c, bytes);
    core::give_back(source, c, bytes, alignof(chunk));
}

class chunk_list {
public:
    [[nodiscard]] chunk* front() const noexcept { return first_; }

    /// Effects: takes a chunk of `bytes` bytes, header included, from `source` and puts it in front. Its room is
    /// poisoned.
    /// Returns: the chunk; null, with no effect, if a quiet source has no memory.
    /// Throws: the upstream's exceptions; the list is unchanged then.
    template <upstream Upstream>
    chunk* grow(Upstream&& source, std::size_t bytes) {
        void* memory = source.allocate(bytes, alignof(chunk));
        if constexpr (core::is_quiet<std::remove_reference_t<Upstream>>) {
            if (memory == nullptr) {
                return nullptr;
            }
        }
        auto* added = ::new (memory) chunk{first_, bytes};
        core::poison(added->begin(), bytes - sizeof(chunk));
        first_ = added;
        return added;
    }

    /// Returns: true if `p` lies in a chunk.
    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        for (chunk* c = first_; c != nullptr; c = c->next) {
            if (core::lies_in({c->begin(), c->end()}, p)) {
                return true;
            }
        }
        return false;
    }

    void push(chunk* c) noexcept { c->next = std::exchange(first_, c); }

    /// Effects: puts all chunks of `other` in front, in their order.
    /// Complexity: linear in the chunks of `other`.
    void splice(chunk_list& other) noexcept {
        if (other.first_ != nullptr) {
            chunk* last = other.first_;
            while (last->next != nullptr) {
                last = last->next;
            }
            last->next = std::exchange(first_, std::exchange(other.first_, nullptr));
        }
    }

    /// Requires: the list is not empty.
    [[nodiscard]] chunk* pop() noexcept { return std::exchange(first_, first_->next); }

    /// Effects: gives every chunk back to `source`.
    /// Complexity: linear in the chunks, not in the blocks.
    template <upstream Upstream>
    void release(Upstream&& source) noexcept {
        while (first_ != nullptr) {
            give_back(source, pop());
        }
    }

    /// Returns: the sum of the chunks' bytes, headers included.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const chunk* c = first_; c != nullptr; c = c->next) {
            sum += c->bytes;
        }
        return sum;
    }

    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t n = 0;
        for (const chunk* c = first_; c != nullptr; c = c->next) {
            ++n;
        }
        return n;
    }

private:
    chunk* first_ = nullptr;
};

}} // namespace mallard::chunks::MALLARD_MODE
