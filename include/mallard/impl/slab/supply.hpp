/// The slabs of slots of one size, in chunks of an upstream's. A chunk goes back when it is empty.
///
///     chunk:   [ slab 0 | slab 1 | ... | slab k | not yet opened ... ]           no gap between slabs
///     slab:    [ slots .. ][ header, bits, summary ][ slots ........ ]           see impl/slab/geometry.hpp
///
/// Data model: a slab has one of three states:
///
///     current     slots are taken from it; at most one slab
///     available   it has free slots; it is in `others_`, which chooses the next current slab
///     exhausted   all of its slots are in use
///
/// `Preference` is the order among available slabs: impl/slab/address_heap.hpp or impl/slab/fullness_buckets.hpp. The
/// derived class has the order among the slots of a slab (impl/slab/bitmap_slots.hpp). An empty slab stays available
/// until its whole chunk is empty: then the chunk goes back to the upstream, or stays as the spare one.
///
/// Invariants: the header of a chunk counts its slabs that have slots in use or are current. cached_ has bits of
/// slots of the current slab that its header counts as used. Memory is poisoned, apart from metadata.
/// Bound: at most one empty chunk stays: one of at most `spare_bytes`, or, with spares_an_eighth, of at most an
/// eighth of all.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/slab/address_heap.hpp>
#include <mallard/impl/slab/fullness_buckets.hpp>
#include <mallard/impl/slab/geometry.hpp>
#include <mallard/impl/slab/header.hpp>
#include <mallard/impl/slab/layout.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::slab { inline namespace MALLARD_MODE {

template <class Preference, bool Divided>
class slab_supply {
public:
    slab_supply(const slab_supply&) = delete;
    slab_supply& operator=(const slab_supply&) = delete;

    [[nodiscard]] const slab_geometry& geometry() const noexcept { return layout_; }
    [[nodiscard]] std::size_t slot_bytes() const noexcept { return layout_.slot_bytes; }
    [[nodiscard]] std::size_t chunks() const noexcept { return chunk_count_; }
    [[nodiscard]] std::size_t chunk_bytes() const noexcept { return chunk_bytes_; }
    [[nodiscard]] std::size_t grants() const noexcept { return grants_; }

    /// Effects: changes the geometry of slabs and the policy of chunks.
    /// Requires: no chunk is held.
    void reshape(const slab_geometry& geometry, const chunk_policy& policy) noexcept {
        layout_ = {geometry};
        policy_ = policy;
        others_ = make_preference(geometry);
        restart();
    }

    /// Effects: takes a chunk from `source`, so that the next pop() finds a slot.
    /// Returns: false, with no effect, if a quiet source has no memory.
    /// Throws: the upstream's exceptions; nothing has changed then.
    template <upstream Source>
    bool grow(Source&& source) {
        const std::size_t bytes = std::size_t{next_slabs_} * layout_.slab_bytes;
        auto* const memory = static_cast<std::byte*>(source.allocate(bytes, layout_.alignment));
        if constexpr (core::is_quiet<std::remove_reference_t<Source>>) {
            if (memory == nullptr) {
                return false;
            }
        }
        core::poison(memory + chunk_header_bytes, bytes - chunk_header_bytes);
        chunks_ = ::new (memory + chunk_of_slabs::offset)
            chunk_of_slabs{chunks_, nullptr, bytes, next_slabs_, 0, 0};
        if (chunks_->next != nullptr) {
            chunks_->next->previous = chunks_;
        }
        unopened_ = chunks_;
        ++chunk_count_;
        chunk_bytes_ += bytes;
        ++grants_;
        // No chunk of half the largest size: if that is a huge page, half of one would be lost.
        next_slabs_ = 4 * next_slabs_ < policy_.largest_slabs ? 2 * next_slabs_ : policy_.largest_slabs;
        return true;
    }

    /// Returns: true if `p` lies in a chunk.
    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        for (chunk_of_slabs* c = chunks_; c != nullptr; c = c->next) {
            if (core::lies_in({c->begin(), c->bytes}, p)) {
                return true;
            }
        }
        return false;
    }

    /// Effects: gives all chunks without a slot in use back to `source`.
    /// Complexity: linear in the chunks.
    template <upstream Source>
    void trim(Source&& source) noexcept {
        for (chunk_of_slabs* c = chunks_; c != nullptr;) {
            chunk_of_slabs* const next = c->next;
            if (is_empty(*c)) {
                give_back(*c, source);
            }
            c = next;
        }
        spare_ = nullptr;
    }

    /// Effects: returns all chunks to `source`, and invalidates all slots.
    /// Complexity: linear in the chunks.
    template <upstream Source>
    void release(Source&& source) noexcept {
        current_ = nullptr;
        cached_ = 0;
        others_.clear();
        spare_ = unopened_ = nullptr;
        while (chunks_ != nullptr) {
            return_memory(*std::exchange(chunks_, chunks_->next), source);
        }
        restart();
    }

protected:
    constexpr slab_supply(const slab_geometry& geometry, const chunk_policy& policy) noexcept
        : layout_{geometry}, policy_(policy), next_slabs_(policy.first_slabs),
          others_(make_preference(geometry)) {}

    ~slab_supply() = default;

    /// Effects: makes the next available slab the current one, or opens a slab if there is none.
    /// Returns: false, with no effect, if only grow() helps.
    /// Requires: there is no current slab.
    bool make_current() noexcept {
        slab_header* next = others_.take();
        if (next == nullptr) {
            next = open_slab();
            if (next == nullptr) {
                return false;
            }
        }
        if (next->used == 0) {
            ++next->chunk->in_use;
            ++slabs_in_use_;
        }
        next->state = slab_state::current;
        next->low = low_of_current;
        current_ = next;
        return true;
    }

    void exhaust_current() noexcept {
        current_->state = slab_state::exhausted;
        current_ = nullptr;
    }

    /// Effects: makes an exhausted slab, which has a free slot again, available.
    /// Returns: true if it comes before the current one, which has to be left then.
    [[nodiscard]] bool make_available(slab_header& b) noexcept {
        become_available(b);
        return by_address && current_ != nullptr &&
               reinterpret_cast<std::uintptr_t>(&b) < reinterpret_cast<std::uintptr_t>(current_);
    }

    /// Effects: makes the current slab one of the available ones.
    /// Requires: nothing is cached.
    template <upstream Source>
    void leave_current(Source&& source) noexcept {
        slab_header& slab = *std::exchange(current_, nullptr);
        become_available(slab);
        if (slab.used == 0) {
            emptied(slab, source);
        }
    }

    /// Effects: handles a slab with fewer than `low` slots in use.
    /// Returns: true if fewer than two are in use, those cached not counted.
    template <upstream Source>
    [[gnu::cold, gnu::noinline]] bool sank(slab_header& b, Source&& source) noexcept {
        if (&b == current_) {
            return current_sank(source);
        }
        const std::uint32_t remaining = b.used;
        if constexpr (!by_address) {
            others_.sank(b);
        }
        if (remaining == 0) {
            emptied(b, source);
        }
        return remaining < 2;
    }

    /// Returns: the number of slots of slab `b` in use, those cached not counted.
    [[nodiscard]] std::uint32_t in_use(const slab_header& b) const noexcept {
        return b.used - (&b == current_ ? static_cast<std::uint32_t>(std::popcount(cached_)) : 0);
    }

    /// Returns: true if the current slab has only cached slots in use.
    [[nodiscard]] bool current_is_empty() const noexcept { return in_use(*current_) == 0; }

    /// Returns: true if no slot but `p` is in use.
    /// Requires: `p` is in use.
    [[nodiscard]] bool only_in_use(const void* p) const noexcept {
        const std::uint32_t empty = current_ != nullptr && current_is_empty();
        return slabs_in_use_ - empty == 1 && in_use(layout_.find_header(p)) == 1;
    }

    /// Effects: handles the current slab after a slot of it was freed.
    /// Returns: true if fewer than two slots are in use, those cached not counted.
    template <upstream Source>
    bool current_sank(Source&& source) noexcept {
        const std::uint32_t remaining = in_use(*current_);
        if (remaining == 0) [[unlikely]] {
            current_emptied(source);
        }
        return remaining < 2;
    }

    /// True if the slab at the lowest address comes first.
    static constexpr bool by_address = std::is_same_v<Preference, address_heap<slab_header>>;

    std::uint64_t cached_ = 0;
    slab_header* current_ = nullptr;
    slab_layout<Divided> layout_;

private:
    /// sank() is called for slabs with fewer slots in use: they may be empty, or have one slot in use.
    static constexpr std::uint32_t low_of_others = 2;
    /// Up to 64 slots of the current slab are cached.
    static constexpr std::uint32_t low_of_current = 64 + low_of_others;

    static constexpr Preference make_preference(const slab_geometry& geometry) noexcept {
        if constexpr (by_address) {
            return Preference();
        } else {
            return Preference(geometry.slots);
        }
    }

    /// Effects: handles the current slab, which has no slot in use any more. Its chunk goes if it is empty and no
    /// spare.
    template <upstream Source>
    [[gnu::noinline]] void current_emptied(Source&& source) noexcept {
        if (is_empty(*current_->chunk)) {
            retire(*current_->chunk, source);
        }
    }

    void become_available(slab_header& b) noexcept {
        b.state = slab_state::available;
        b.low = low_of_others;
        others_.insert(b);
    }

    /// Returns: the header of a newly opened slab; null if all slabs of all chunks are open.
    slab_header* open_slab() noexcept {
        if (unopened_ == nullptr) {
            return nullptr;
        }
        chunk_of_slabs& c = *unopened_;
        std::byte* const base = layout_.base_in(c, c.opened);
        unopened_ = ++c.opened == c.slabs ? nullptr : unopened_;
        return layout_.open(c, base);
    }

    /// Effects: handles a slab that is not current and has no slot in use any more.
    template <upstream Source>
    void emptied(slab_header& b, Source&& source) noexcept {
        --b.chunk->in_use;
        --slabs_in_use_;
        if (is_empty(*b.chunk)) {
            retire(*b.chunk, source);
        }
    }

    [[nodiscard]] bool is_empty(const chunk_of_slabs& c) const noexcept {
        return c.in_use == 0 ||
               (c.in_use == 1 && current_ != nullptr && current_->chunk == &c && current_is_empty());
    }

    [[nodiscard]] bool may_spare(const chunk_of_slabs& c) const noexcept {
        return c.bytes <= policy_.spare_bytes || (policy_.spares_an_eighth && 8 * c.bytes <= chunk_bytes_);
    }

    /// Effects: keeps an empty chunk, or gives it back.
    template <upstream Source>
    void retire(chunk_of_slabs& c, Source&& source) noexcept {
        if (spare_ == &c) {
            return;
        }
        // The spare chunk may have come into use since it was kept.
        spare_ = spare_ != nullptr && is_empty(*spare_) ? spare_ : nullptr;
        if (spare_ == nullptr && may_spare(c)) {
            spare_ = &c;
            return;
        }
        give_back(c, source);
        if (spare_ != nullptr && !may_spare(*spare_)) {
            give_back(*std::exchange(spare_, nullptr), source);
        }
    }

    template <upstream Source>
    void give_back(chunk_of_slabs& c, Source&& source) noexcept {
        if (current_ != nullptr && current_->chunk == &c) {
            current_ = nullptr;
            cached_ = 0;
            --slabs_in_use_;
        }
        for (std::uint32_t i = 0; i != c.opened; ++i) {
            slab_header& b = layout_.header_at(layout_.base_in(c, i));
            if (b.state == slab_state::available) {
                others_.remove(b);
            }
        }
        (c.previous != nullptr ? c.previous->next : chunks_) = c.next;
        if (c.next != nullptr) {
            c.next->previous = c.previous;
        }
        if (unopened_ == &c) {
            unopened_ = nullptr;
        }
        --chunk_count_;
        chunk_bytes_ -= c.bytes;
        return_memory(c, source);
        if (chunks_ == nullptr) {
            restart();
        }
    }

    template <upstream Source>
    void return_memory(chunk_of_slabs& c, Source&& source) noexcept {
        const std::size_t bytes = c.bytes;
        std::byte* const memory = c.begin();
        core::unpoison(memory, bytes);
        core::give_back(source, memory, bytes, layout_.alignment);
    }

    void restart() noexcept {
        next_slabs_ = policy_.first_slabs;
        slabs_in_use_ = 0;
        chunk_count_ = 0;
        chunk_bytes_ = 0;
    }

    chunk_policy policy_;
    std::uint32_t next_slabs_;
    std::uint32_t chunk_count_ = 0;
    std::uint32_t grants_ = 0;
    std::uint32_t slabs_in_use_ = 0; ///< of all chunks, as their headers count them
    Preference others_;
    chunk_of_slabs* chunks_ = nullptr;   ///< the newest first
    chunk_of_slabs* unopened_ = nullptr; ///< the one that has slabs without metadata; the newest
    chunk_of_slabs* spare_ = nullptr;    ///< was empty when it became the spare chunk
    std::size_t chunk_bytes_ = 0;
};

}} // namespace mallard::slab::MALLARD_MODE
