/// The live blocks, by address.
///
///     places:  [ tag, slot ] [ empty ] [ tag, slot ] ...     8 bytes each, found by a hash of the address
///     slots:   [ block ] [ block ] [ free ] ...              44 bytes each, in pieces that stay where they are
///
/// Data model: open addressing with linear probing over the places, whose number is a power of two. The tag is the
/// upper half of the hash, so that the table grows without reading the blocks. Ten million live blocks are common: the
/// blocks are packed, and a vector of them is never copied.
/// Invariants: at most three quarters of the places are taken; no place between a block and its first choice is empty;
/// each slot belongs to one place or to the list of free slots.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mallard::advisor {

struct live_block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0; ///< of the event that allocated it
    std::uint64_t ticks = 0;  ///< since the beginning of the process
    std::uint64_t clock = 0;  ///< bytes allocated by the process until then
    std::uint32_t call = 0;   ///< in the table of calls
    std::uint32_t marked = 0; ///< in the table of marked calls
    std::uint32_t thread = 0; ///< less than 2^31
    bool has_complete_stack = false;

    friend bool operator==(const live_block&, const live_block&) = default;
};

/// A block in 44 bytes. Figures out of range become the largest representable ones: 2^48 - 1 bytes, 2^52 - 1 ticks
/// (two weeks), 2^44 - 1 events.
class packed_block {
public:
    packed_block() = default;
    explicit packed_block(const live_block& block) noexcept
        : address_(halves(block.address)),
          bytes_and_number_(halves(joined<48>(block.bytes, clamped_number(block)))),
          clock_and_number_(halves(joined<48>(block.clock, clamped_number(block) >> 16))),
          ticks_and_number_(halves(joined<52>(block.ticks, clamped_number(block) >> 32))), call_(block.call),
          marked_(block.marked), thread_(block.thread << 1 | std::uint32_t{block.has_complete_stack}) {}

    [[nodiscard]] std::uint64_t address() const noexcept { return to_word(address_); }
    [[nodiscard]] live_block unpacked() const noexcept {
        const std::uint64_t bytes = to_word(bytes_and_number_), clock = to_word(clock_and_number_),
                            ticks = to_word(ticks_and_number_);
        return {.address = address(),
                .bytes = bytes & most<48>,
                .number = bytes >> 48 | clock >> 48 << 16 | ticks >> 52 << 32,
                .ticks = ticks & most<52>,
                .clock = clock & most<48>,
                .call = call_,
                .marked = marked_,
                .thread = thread_ >> 1,
                .has_complete_stack = (thread_ & 1) != 0};
    }

private:
    using halves_of_word = std::array<std::uint32_t, 2>; ///< so that a block has no padding

    template <unsigned Bits>
    static constexpr std::uint64_t most = (std::uint64_t{1} << Bits) - 1;

    static constexpr halves_of_word halves(std::uint64_t word) noexcept {
        return std::bit_cast<halves_of_word>(word);
    }
    static constexpr std::uint64_t to_word(halves_of_word word) noexcept {
        return std::bit_cast<std::uint64_t>(word);
    }
    /// Returns: `figure` in the lower bits, and in the upper bits as much of `number` as fits.
    template <unsigned Bits>
    static constexpr std::uint64_t joined(std::uint64_t figure, std::uint64_t number) noexcept {
        return std::min(figure, most<Bits>) | number << Bits;
    }
    static constexpr std::uint64_t clamped_number(const live_block& block) noexcept {
        return std::min(block.number, most<44>);
    }

    halves_of_word address_{};
    halves_of_word bytes_and_number_{}; ///< 48 and the lowest 16 bits
    halves_of_word clock_and_number_{}; ///< 48 and the next 16 bits
    halves_of_word ticks_and_number_{}; ///< 52 and the last 12 bits
    std::uint32_t call_ = 0;
    std::uint32_t marked_ = 0;
    std::uint32_t thread_ = 0; ///< and the stack's completeness in the lowest bit
};
static_assert(sizeof(packed_block) == 44);

class block_table {
public:
    block_table() : places_(first_places) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Effects: prefetches the place of the address for a later call.
    void prefetch_place(std::uint64_t address) const noexcept {
        __builtin_prefetch(&places_[first_choice(hash_tag(address))]);
    }
    /// Effects: prefetches the block that the address probably has. Its place should be in the cache.
    void prefetch_block(std::uint64_t address) const noexcept {
        const std::uint32_t tag = hash_tag(address);
        if (const place& first = places_[first_choice(tag)]; first.tag == tag && first.slot != 0) {
            __builtin_prefetch(&at(first.slot));
        }
    }

    [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
        return places_[find_place(address)].slot != 0;
    }

    /// Effects: removes the block at the address.
    /// Returns: the block, if there was one.
    [[nodiscard]] std::optional<live_block> take(std::uint64_t address) {
        const std::size_t index = find_place(address);
        const std::uint32_t slot = places_[index].slot;
        if (slot == 0) {
            return std::nullopt;
        }
        const live_block block = at(slot).unpacked();
        erase(index);
        free_slots_.push_back(slot);
        --size_;
        return block;
    }

    /// Requires: no block of the table has the address.
    void insert(const live_block& block) {
        if ((size_ + 1) * 4 > places_.size() * 3) {
            grow();
        }
        const std::uint32_t slot = take_slot();
        at(slot) = packed_block(block);
        put({hash_tag(block.address), slot});
        ++size_;
    }

    /// Effects: calls `function` with each block, in no particular order.
    template <typename Function>
    void for_each(Function&& function) const {
        for (const place& entry : places_) {
            if (entry.slot != 0) {
                function(at(entry.slot).unpacked());
            }
        }
    }

private:
    struct place {
        std::uint32_t tag = 0;
        std::uint32_t slot = 0; ///< from 1 on; 0 if the place is empty
    };
    static constexpr std::size_t first_places = std::size_t{1} << 12;
    static constexpr unsigned piece_bits = 14;
    static constexpr std::uint32_t piece_slots = std::uint32_t{1} << piece_bits;

    static std::uint32_t hash_tag(std::uint64_t address) noexcept {
        return static_cast<std::uint32_t>((address >> 3) * 0x9e3779b97f4a7c15U >> 32);
    }
    [[nodiscard]] std::size_t first_choice(std::uint32_t tag) const noexcept {
        return static_cast<std::size_t>(std::uint64_t{tag} * places_.size() >> 32);
    }
    [[nodiscard]] std::size_t next_place(std::size_t index) const noexcept {
        return (index + 1) & (places_.size() - 1);
    }

    [[nodiscard]] packed_block& at(std::uint32_t slot) const noexcept {
        return pieces_[slot >> piece_bits][slot & (piece_slots - 1)];
    }

    /// Returns: the place of the block at the address; an empty place if there is none.
    [[nodiscard]] std::size_t find_place(std::uint64_t address) const noexcept {
        const std::uint32_t tag = hash_tag(address);
        std::size_t index = first_choice(tag);
        while (places_[index].slot != 0 &&
               (places_[index].tag != tag || at(places_[index].slot).address() != address)) {
            index = next_place(index);
        }
        return index;
    }

    void put(place entry) noexcept {
        std::size_t index = first_choice(entry.tag);
        while (places_[index].slot != 0) {
            index = next_place(index);
        }
        places_[index] = entry;
    }

    /// Effects: closes the hole: moves the places behind it that would become unreachable.
    void erase(std::size_t hole) noexcept {
        const std::size_t mask = places_.size() - 1;
        for (std::size_t index = next_place(hole); places_[index].slot != 0; index = next_place(index)) {
            const std::size_t choice = first_choice(places_[index].tag);
            if (((index - choice) & mask) >= ((index - hole) & mask)) {
                places_[hole] = places_[index];
                hole = index;
            }
        }
        places_[hole] = {};
    }

    void grow() {
        std::vector<place> old(places_.size() * 2);
        old.swap(places_);
        for (const place& entry : old) {
            if (entry.slot != 0) {
                put(entry);
            }
        }
    }

    std::uint32_t take_slot() {
        if (!free_slots_.empty()) {
            const std::uint32_t slot = free_slots_.back();
            free_slots_.pop_back();
            return slot;
        }
        if (next_slot_ >> piece_bits == pieces_.size()) {
            pieces_.push_back(std::make_unique_for_overwrite<packed_block[]>(piece_slots));
        }
        return next_slot_++;
    }

    std::vector<place> places_;
    std::vector<std::unique_ptr<packed_block[]>> pieces_;
    std::vector<std::uint32_t> free_slots_; ///< the most recently freed slot last
    std::uint32_t next_slot_ = 1;
    std::size_t size_ = 0;
};

} // namespace mallard::advisor
