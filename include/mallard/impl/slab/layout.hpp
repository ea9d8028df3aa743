/// The addresses of a slab, its metadata and its slots, by a geometry (impl/slab/geometry.hpp).
///
///     slot  ->  header_of()  ->  [ header | bits | summary ]
///           ->  place_of():      header, word and bit of the slot
///
/// Nothing here is a search: an address is masked, multiplied and shifted.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/slab/geometry.hpp>
#include <mallard/impl/slab/header.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace mallard::slab { inline namespace MALLARD_MODE {

/// `Divided` is true if the slabs are divided into sub-slabs, each of which begins with the address of the metadata.
template <bool Divided>
struct slab_layout : slab_geometry {
    /// The bit of a slot.
    struct place {
        slab_header* header;
        std::uint64_t* word;
        std::uint64_t bit;
    };

    /// Returns: the header of the slab that slot `p` is in.
    [[nodiscard]] slab_header& find_header(const void* p) const noexcept {
        const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(p) & ~(std::uintptr_t{alignment} - 1);
        if constexpr (Divided) {
            return **reinterpret_cast<slab_header**>(base);
        } else {
            return *reinterpret_cast<slab_header*>(base + metadata_offset(base));
        }
    }

    /// Returns: the begin of the slab with this header.
    [[nodiscard]] std::byte* slots_begin(slab_header& h) const noexcept {
        auto* const metadata = reinterpret_cast<std::byte*>(&h);
        if constexpr (Divided) {
            return metadata - first_offset;
        } else {
            return metadata - (reinterpret_cast<std::uintptr_t>(metadata) & (alignment - 1));
        }
    }

    /// Returns: the number of slot `p`, in the slab with this header.
    [[nodiscard]] std::uint64_t slot_number(const void* p, slab_header& h) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        if constexpr (Divided) {
            return slot_at(address - reinterpret_cast<std::uintptr_t>(slots_begin(h)));
        } else {
            return slot_at(address & (alignment - 1));
        }
    }

    /// Returns: a bit for each slot, set if it is free and not cached.
    [[nodiscard]] std::uint64_t* bits(slab_header& h) const noexcept {
        return reinterpret_cast<std::uint64_t*>(bits_at(reinterpret_cast<std::uintptr_t>(&h)));
    }

    /// Returns: a bit for each word of bits, set if that is not zero.
    [[nodiscard]] std::uint64_t* summary(slab_header& h) const noexcept {
        return bits(h) + (metadata_bytes - slab_header_bytes) / sizeof(std::uint64_t) - summary_words();
    }

    /// Returns: the place of the bit of slot `p`.
    [[nodiscard]] place find_place(const void* p) const noexcept {
        slab_header& header = find_header(p);
        const std::uint64_t number = slot_number(p, header);
        return {&header, bits(header) + number / 64, std::uint64_t{1} << number % 64};
    }

    /// Returns: the bits of those slots of a word that can be given out.
    [[nodiscard]] std::uint64_t usable_slots_in(slab_header& h, std::uint32_t word) const noexcept {
        std::byte* const base = slots_begin(h);
        const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&h) - base);
        return usable(word, touched_by(offset, slab_header_bytes), h.under_bits, base == h.chunk->begin());
    }

    /// Returns: the begin of slab `number` of a chunk.
    [[nodiscard]] std::byte* base_in(chunk_of_slabs& c, std::uint32_t number) const noexcept {
        return c.begin() + std::size_t{number} * slab_bytes;
    }

    /// Returns: the header of the slab that begins at `base`.
    [[nodiscard]] slab_header& header_at(std::byte* base) const noexcept {
        return *reinterpret_cast<slab_header*>(base + header_offset(base));
    }

    /// Effects: makes the metadata of the slab of chunk `c` that begins at `base`. Its bits stay unwritten,
    /// because bits without a write have no page.
    /// Returns: the header.
    slab_header* open(chunk_of_slabs& c, std::byte* base) const noexcept {
        const std::size_t offset = header_offset(base);
        core::unpoison(base + offset, slab_header_bytes);
        auto* const opened = ::new (base + offset) slab_header{};
        opened->chunk = &c;
        opened->under_bits = under_bits(offset);
        core::unpoison(bits(*opened), metadata_bytes - slab_header_bytes);
        std::memset(summary(*opened), 0, summary_words() * sizeof(std::uint64_t));
        if constexpr (Divided) {
            for (std::size_t head = 0; head != slab_bytes; head += alignment) {
                core::unpoison(base + head, sizeof(slab_header*));
                ::new (base + head) slab_header* {opened};
            }
        }
        return opened;
    }

private:
    [[nodiscard]] std::size_t header_offset(const std::byte* base) const noexcept {
        if constexpr (Divided) {
            return first_offset;
        } else {
            return metadata_offset(reinterpret_cast<std::uintptr_t>(base));
        }
    }
};

}} // namespace mallard::slab::MALLARD_MODE
