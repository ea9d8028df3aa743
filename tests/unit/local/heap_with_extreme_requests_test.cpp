/// Requests of every size and at every alignment that a number can tell: a heap serves one with no fewer bytes than were
/// asked for, or refuses it, and is as good as before.
#include "equipment/heaps.hpp"

#include <mallard/bind/allocator.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/region_heap.hpp>
#include <mallard/upstream/buffer.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions

namespace {

using mallard::expansion;
using mallard::expansion_request;

/// AddressSanitizer takes an eighth of each block for its notes, so that blocks larger than this one would fill the machine;
/// and its operator new ends the program if there can be no such block.
constexpr std::size_t most_noted_bytes = std::size_t{1} << 26;
constexpr std::size_t least_impossible_bytes = std::size_t{1} << 48;

template <class Upstream>
struct over {
    [[nodiscard]] static bool may_try(std::size_t bytes) {
        return !mallard::core::poisons_memory || bytes <= most_noted_bytes ||
               (bytes >= least_impossible_bytes && !std::is_same_v<Upstream, mallard::new_delete>);
    }

    Upstream source{};
    mallard::heap<Upstream> heap{source};
};

struct over_buffer {
    [[nodiscard]] static bool may_try(std::size_t) { return true; }

    alignas(16) std::array<std::byte, 1 << 20> memory;
    mallard::buffer source{memory};
    mallard::heap<mallard::buffer> heap{source};
};

/// A ledger fills each block that it gives out.
template <class Environment>
struct of_equipment : Environment {
    [[nodiscard]] static bool may_try(std::size_t bytes) {
        return bytes <= std::size_t{1} << 20 || bytes > equipment::ledger::most_bytes;
    }
};

template <class Environment>
class extreme_requests : public ::testing::Test {
protected:
    ~extreme_requests() override {
        EXPECT_EQ(equipment::find_defect(heap_), "");
        EXPECT_EQ(heap_.use().used_blocks, 0U);
        void* const p = heap_.allocate(1000);
        EXPECT_NE(p, nullptr) << "it still serves";
        heap_.deallocate(p);
    }

    /// Calls `f` for 2^k - 1, 2^k and 2^k + 1 bytes at every alignment that a number can hold, or at some if a block is
    /// large or the build is not thorough.
    template <class F>
    void for_each_request(F f) {
        for (unsigned k = 0; k != 64; ++k) {
            const std::size_t power = std::size_t{1} << k;
            for (const std::size_t bytes : {power - 1, power, power + 1}) {
                for (unsigned log2 = 0; log2 != 64; ++log2) {
                    const bool chosen = (k <= 16 && (MALLARD_THOROUGH || (k + log2) % 6 == 0)) || log2 < 2 ||
                                        log2 % 6 == 0 || log2 > 58;
                    if (chosen && environment_.may_try(std::max(bytes, std::size_t{1} << log2))) {
                        f(bytes, std::size_t{1} << log2);
                    }
                }
            }
        }
        for (const std::size_t bytes :
             {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - 15, SIZE_MAX - 4096, SIZE_MAX / 4 * 3}) {
            if (environment_.may_try(bytes)) {
                f(bytes, 16);
            }
        }
    }

    /// Effects: expects that `p` fits the request, and writes to both of its ends.
    void look_at(void* p, std::size_t bytes, std::size_t alignment) {
        ASSERT_NE(p, nullptr);
        EXPECT_GE(heap_.usable_bytes(p), bytes) << bytes << " at " << alignment;
        EXPECT_TRUE(mallard::core::is_aligned(p, alignment)) << bytes << " at " << alignment;
        if (bytes != 0) {
            static_cast<volatile char*>(p)[0] = 'x';
            static_cast<volatile char*>(p)[bytes - 1] = 'x';
        }
    }

    /// Returns: true if the call returned, and did not throw std::bad_alloc.
    template <class Call>
    static bool serves(Call call) {
        try {
            call();
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    Environment environment_;
    std::remove_reference_t<decltype(Environment::heap)>& heap_ = environment_.heap;
};

using environments =
    ::testing::Types<over<mallard::chunk_cache>, over<mallard::pages>, over<mallard::new_delete>, over_buffer,
                     of_equipment<equipment::heap_on_ledger>, of_equipment<equipment::heap_in_region>>;
TYPED_TEST_SUITE(extreme_requests, environments);

TYPED_TEST(extreme_requests, usable_bytes_are_writable) {
    this->for_each_request([&](std::size_t bytes, std::size_t alignment) {
        const mallard::sized_block tried = this->heap_.try_allocate_at_least(bytes, alignment);
        if (tried.p != nullptr) {
            EXPECT_GE(tried.bytes, bytes);
            this->look_at(tried.p, bytes, alignment);
            static_cast<volatile char*>(tried.p)[tried.bytes - 1] = 'x';
            this->heap_.deallocate(tried.p);
        }
        mallard::sized_block block;
        if (this->serves([&] { block = this->heap_.allocate_at_least(bytes, alignment); })) {
            EXPECT_GE(block.bytes, bytes);
            this->heap_.deallocate(block.p);
        }
    });
}

TYPED_TEST(extreme_requests, expansion_grants_at_least_least_bytes) {
    this->for_each_request([&](std::size_t bytes, std::size_t alignment) {
        for (const std::size_t preferred : {bytes, SIZE_MAX}) {
            if (!this->environment_.may_try(preferred)) {
                continue;
            }
            void* const p = this->heap_.allocate(100);
            const expansion_request request{.least_bytes = bytes,
                                            .preferred_bytes = preferred,
                                            .alignment = alignment,
                                            .step_bytes = std::max<std::size_t>(alignment, 16)};
            mallard::expansion_result grown;
            if (alignment % 2 == 0) {
                grown = this->heap_.try_expand(p, request);
            } else if (!this->serves([&] { grown = this->heap_.expand(p, request); })) {
                EXPECT_EQ(grown.p, nullptr);
            }
            if (grown.p == nullptr) {
                EXPECT_GE(this->heap_.usable_bytes(p), 100U);
            } else {
                EXPECT_GE(grown.bytes, bytes);
                this->look_at(grown.p, bytes, grown.method == expansion::fresh ? alignment : 8);
            }
            if (grown.p != nullptr && grown.method != expansion::fresh) {
                this->heap_.deallocate(grown.p);
            } else {
                this->heap_.deallocate(p);
                if (grown.p != nullptr) {
                    this->heap_.deallocate(grown.p);
                }
            }
        }
    });
}

TYPED_TEST(extreme_requests, come_in_bursts) {
    this->for_each_request([&](std::size_t bytes, std::size_t alignment) {
        // Each block has its link written, and so its first page touched, which may be a huge one.
        const std::size_t larger = std::max(bytes, alignment);
        if (larger > std::size_t{1} << 20 && larger < least_impossible_bytes) {
            return;
        }
        mallard::block_chain blocks;
        if (bytes >= sizeof(void*) &&
            this->serves([&] { blocks = this->heap_.allocate_many(bytes, alignment, 3); })) {
            EXPECT_EQ(blocks.size(), 3U);
            blocks.for_each([&](void* p) { EXPECT_GE(this->heap_.usable_bytes(p), bytes); });
            this->heap_.deallocate_many(std::move(blocks));
        }
        const std::array<std::size_t, 3> sizes{8, bytes, 100};
        if (bytes >= sizeof(void*) &&
            this->serves([&] { blocks = this->heap_.allocate_many(sizes, alignment); })) {
            EXPECT_EQ(blocks.size(), 3U);
            for (const std::size_t size : sizes) {
                void* const p = blocks.pop_front();
                this->look_at(p, size, alignment);
                this->heap_.deallocate(p);
            }
        }
    });
}

/// The bytes of all blocks together have no number, or one that is small.
TYPED_TEST(extreme_requests, are_too_many_at_once) {
    for (unsigned k = 3; k != 62; ++k) {
        const std::size_t bytes = std::size_t{1} << k;
        for (const std::size_t count : {SIZE_MAX / bytes + 1, SIZE_MAX / bytes + 2, SIZE_MAX}) {
            EXPECT_FALSE(this->serves([&] { static_cast<void>(this->heap_.allocate_many(bytes, 8, count)); }))
                << k;
        }
    }
}

TEST(extreme_reserves, of_a_vector_are_refused) {
    mallard::heap<> heap;
    std::vector<char, mallard::allocator<char, mallard::heap<>>> chars{heap};
    for (unsigned k = 48; k != 63; ++k) {
        EXPECT_THROW(chars.reserve(std::size_t{1} << k), std::bad_alloc) << k;
        EXPECT_EQ(heap.try_allocate(std::size_t{1} << k), nullptr) << k;
        EXPECT_EQ(heap.try_allocate((std::size_t{1} << k) - 1), nullptr) << k;
    }
    EXPECT_EQ(heap.use().used_blocks, 0U);
}

/// A caller's words about memory that cannot exist.
TEST(extreme_growth, of_a_region_is_none) {
    alignas(16) static std::array<std::byte, 65536> memory;
    mallard::region_heap& heap = mallard::region_heap::create_in(memory);
    for (const std::size_t more : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 65536, SIZE_MAX / 2 + 1}) {
        EXPECT_EQ(heap.grow(more), memory.size()) << more;
        EXPECT_EQ(equipment::find_defect(heap), "");
    }
    static_cast<void>(heap.give_up());
}

} // namespace

#endif
