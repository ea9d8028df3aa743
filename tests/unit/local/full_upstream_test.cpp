// An upstream that cannot serve the next chunk of the plan: the allocator takes smaller ones until nothing is left.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>

namespace {

constexpr std::size_t all_bytes = std::size_t{20}
                                  << 10; ///< less than a pool that grows by four plans to take

/// A buffer without try_allocate(), as upstreams of users may be.
class throwing_buffer {
public:
    explicit throwing_buffer(std::span<std::byte> bytes) noexcept : source_(bytes) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return source_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        source_.deallocate(p, bytes, alignment);
    }

private:
    mallard::buffer source_;
};

template <class Upstream>
struct node_pool : mallard::fixed_pool<mallard::growing_arena<Upstream>> {
    using upstream_type = Upstream;
    explicit node_pool(Upstream& source)
        : mallard::fixed_pool<mallard::growing_arena<Upstream>>(mallard::block_size{32, 8}, source) {}
};

template <class A>
class full_upstream : public ::testing::Test {
protected:
    alignas(64) std::array<std::byte, all_bytes> memory_{};
};

#ifdef __cpp_exceptions
using mechanisms =
    ::testing::Types<mallard::monotonic<mallard::buffer>, mallard::multipool<mallard::buffer>,
                     mallard::shrinking_multipool<mallard::buffer>, mallard::fast_fit<mallard::buffer>,
                     node_pool<mallard::buffer>, mallard::monotonic<throwing_buffer>,
                     mallard::multipool<throwing_buffer>, node_pool<throwing_buffer>>;
#else
using mechanisms = ::testing::Types<mallard::monotonic<mallard::buffer>, mallard::multipool<mallard::buffer>,
                                    mallard::shrinking_multipool<mallard::buffer>,
                                    mallard::fast_fit<mallard::buffer>, node_pool<mallard::buffer>>;
#endif
TYPED_TEST_SUITE(full_upstream, mechanisms);

TYPED_TEST(full_upstream, is_used_up_by_small_blocks) {
    typename TypeParam::upstream_type source(this->memory_);
    TypeParam allocator(source);
    std::size_t served_bytes = 0;
    while (void* const p = allocator.try_allocate(32, 8)) {
        std::memset(p, 0x5a, 32);
        served_bytes += 32;
    }
    // Checked blocks have guard zones.
    EXPECT_GE(served_bytes, MALLARD_CHECKED ? all_bytes / 4 : all_bytes / 8 * 7);
}

TEST(full_buffer, is_used_by_a_region_but_for_the_headers_of_few_chunks) {
    alignas(16) std::array<std::byte, 4096> memory;
    for (const std::size_t bytes : {256U, 1024U, 4096U}) {
        mallard::buffer source(std::span<std::byte>(memory).first(bytes));
        mallard::unchecked::monotonic<mallard::buffer> region(source);
        std::size_t served_bytes = 0;
        while (region.try_allocate(8, 8) != nullptr) {
            served_bytes += 8;
        }
        EXPECT_GE(served_bytes, bytes - 16 * region.stats().chunks) << bytes;
        EXPECT_LE(region.stats().chunks, 5U) << bytes;
    }
}

} // namespace
