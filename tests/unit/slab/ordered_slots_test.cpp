#include "equipment/slots_on_ledger.hpp"

#include <mallard/slab/address_heap.hpp>
#include <mallard/slab/fullness_buckets.hpp>
#include <mallard/slab/ordered_slots.hpp>

#include <gtest/gtest.h>

#include <new>
#include <type_traits>
#include <utility>

namespace {

using heap = mallard::slab::address_heap<mallard::slab::slab_header>;
using buckets = mallard::slab::fullness_buckets<mallard::slab::slab_header>;

static_assert(std::is_same_v<mallard::slab::ordered_slots<mallard::lowest_address, heap>,
                             mallard::slab::bitmap_slots<heap>>);
static_assert(std::is_same_v<mallard::slab::ordered_slots<mallard::first_freed, buckets, true>,
                             mallard::slab::linked_slots<mallard::reuse::first_freed_links, buckets, true>>);

template <class Reuse>
class ordered_slots
    : public ::testing::Test,
      protected equipment::slots_on_ledger<mallard::slab::ordered_slots<Reuse, buckets, true>> {
protected:
    using slots_type = mallard::slab::ordered_slots<Reuse, buckets, true>;
    ordered_slots()
        : equipment::slots_on_ledger<slots_type>(
              mallard::slab::divided_slabs(24, 256, 2, slots_type::metadata)) {}
};

using orders = ::testing::Types<mallard::last_freed, mallard::first_freed, mallard::lowest_address,
                                mallard::hybrid_reuse>;
TYPED_TEST_SUITE(ordered_slots, orders);

TYPED_TEST(ordered_slots, come_in_chains) {
    mallard::block_chain chain = mallard::slab::pop_chain(this->slots, 5000, this->source);
    EXPECT_EQ(chain.size(), 5000U);
    this->slots.push_many(std::move(chain), this->source);
    this->slots.trim(this->source);
    EXPECT_EQ(this->source.outstanding(), 0U);
}

#ifdef __cpp_exceptions
TYPED_TEST(ordered_slots, lose_nothing_where_a_chain_cannot_be_had) {
    this->source.fail({.at = 3, .for_ever = true});
    EXPECT_THROW(static_cast<void>(mallard::slab::pop_chain(this->slots, 100'000, this->source)),
                 std::bad_alloc);
    this->source.fail({.at = 0});
    this->slots.trim(this->source);
    EXPECT_EQ(this->source.outstanding(), 0U) << "all of them are free";
}
#endif

} // namespace
