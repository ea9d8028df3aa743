#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/slab/layout.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>

namespace {

using mallard::slab::chunk_of_slabs;
using mallard::slab::slab_header;
using mallard::slab::slab_layout;

/// A chunk of two slabs.
template <bool Divided>
class chunk_with_layout {
public:
    explicit chunk_with_layout(const slab_layout<Divided>& layout) : layout_(layout) {
        chunk_ = ::new (memory_ + chunk_of_slabs::offset) chunk_of_slabs{nullptr, nullptr, bytes(), 2, 2, 0};
    }
    chunk_with_layout(const chunk_with_layout&) = delete;
    chunk_with_layout& operator=(const chunk_with_layout&) = delete;
    ~chunk_with_layout() { ::operator delete(memory_, std::align_val_t(layout_.alignment)); }

    void expect_slot_bits() {
        for (std::uint32_t number = 0; number != 2; ++number) {
            std::byte* const base = layout_.base_in(*chunk_, number);
            slab_header* const opened = layout_.open(*chunk_, base);
            EXPECT_EQ(&layout_.header_at(base), opened);
            EXPECT_EQ(layout_.slots_begin(*opened), base);
            std::set<const void*> words;
            for (std::uint32_t slot = 0; slot != layout_.slots; ++slot) {
                const std::uint64_t usable = layout_.usable_slots_in(*opened, slot / 64);
                if ((usable >> slot % 64 & 1) == 0) {
                    continue;
                }
                std::byte* const p = base + std::size_t{slot} * layout_.slot_bytes;
                const auto place = layout_.find_place(p);
                EXPECT_EQ(place.header, opened);
                EXPECT_EQ(place.word, layout_.bits(*opened) + slot / 64);
                EXPECT_EQ(place.bit, std::uint64_t{1} << slot % 64);
                EXPECT_EQ(layout_.slot_number(p, *opened), slot);
                words.insert(place.word);
            }
            EXPECT_EQ(words.size(), layout_.words());
            EXPECT_EQ(layout_.summary(*opened)[0], 0U);
        }
    }

private:
    [[nodiscard]] std::size_t bytes() const { return std::size_t{2} * layout_.slab_bytes; }

    slab_layout<Divided> layout_;
    std::byte* memory_ =
        static_cast<std::byte*>(::operator new(bytes(), std::align_val_t(layout_.alignment)));
    chunk_of_slabs* chunk_ = nullptr;
};

TEST(slab_layout, maps_slots_to_bits_by_address) {
    for (const std::size_t bytes : {8U, 24U, 40U, 64U}) {
        const slab_layout<false> layout{mallard::slab::undivided_slabs(bytes, 16384)};
        chunk_with_layout(layout).expect_slot_bits();
    }
}

TEST(slab_layout, maps_slots_to_bits_by_sub_slab) {
    for (const std::size_t bytes : {8U, 24U, 40U}) {
        const slab_layout<true> layout{mallard::slab::divided_slabs(bytes, 256, 5)};
        chunk_with_layout(layout).expect_slot_bits();
    }
}

} // namespace
