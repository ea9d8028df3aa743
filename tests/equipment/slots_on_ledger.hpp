/// The fixture for tests of slots of one size (impl/slab/bitmap_slots.hpp and the like), on a ledger. They ask it for a
/// chunk if there is no free slot, and have to give everything back in the end.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/slab/geometry.hpp>
#include <mallard/impl/slab/header.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace equipment {

template <class Slots>
class slots_on_ledger {
public:
    /// Chunks of one block, two, four, eight, thirty-two; a small one is kept, and one of an eighth.
    explicit slots_on_ledger(const mallard::slab::slab_geometry& geometry)
        : slots(geometry, {.first_slabs = 1,
                           .largest_slabs = 32,
                           .spare_bytes = geometry.slab_bytes,
                           .spares_an_eighth = true}) {}

    slots_on_ledger(const slots_on_ledger&) = delete;
    slots_on_ledger& operator=(const slots_on_ledger&) = delete;

    ~slots_on_ledger() {
        slots.release(source);
        EXPECT_EQ(source.outstanding(), 0U);
        EXPECT_EQ(source.complaints(), no_complaints);
    }

    void* pop() {
        void* p = slots.pop();
        if (p == nullptr) {
            slots.grow(source);
            p = slots.pop();
        }
        EXPECT_NE(p, nullptr);
        mallard::core::unpoison(p, slots.slot_bytes());
        return p;
    }

    std::vector<void*> pop(std::size_t n) {
        std::vector<void*> all(n);
        std::generate(all.begin(), all.end(), [this] { return pop(); });
        return all;
    }

    void push(void* p) { slots.push(p, source); }

    void push(const std::vector<void*>& all) {
        for (void* p : all) {
            push(p);
        }
    }

    ledger source;
    Slots slots;
};

} // namespace equipment
