// AddressSanitizer reports the second deallocation of a block at the call site.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace {

// A block with its own chunk is returned to the heap.
const char* const report = "AddressSanitizer: (use-after-poison|unknown-crash|heap-use-after-free)";

template <class A>
class double_free : public ::testing::Test {};

using allocators =
    ::testing::Types<mallard::monotonic<>, mallard::multipool<>, mallard::concurrent_multipool<>,
                     mallard::synchronized<mallard::multipool<>>, mallard::fixed_pool<>,
                     mallard::small_object_pool<>, mallard::adaptive_pool<>, mallard::heap<>>;
TYPED_TEST_SUITE(double_free, allocators);

template <class A>
struct fixture {
    A allocator;
};
template <>
struct fixture<mallard::fixed_pool<>> {
    mallard::fixed_pool<> allocator{mallard::block_size{.bytes = 1024, .alignment = 64}};
};

TYPED_TEST(double_free, is_reported) {
    fixture<TypeParam> m;
    // Blocks within the same 8 bytes share a shadow byte.
    constexpr std::size_t least =
        std::is_same_v<TypeParam, mallard::small_object_pool<>> ? std::size_t{8} : std::size_t{1};
    for (const std::size_t bytes : {least, std::size_t{24}}) {
        for (const std::size_t alignment : {1U, 16U, 64U}) {
            void* const first = m.allocator.allocate(bytes, alignment);
            void* const second = m.allocator.allocate(bytes, alignment);
            m.allocator.deallocate(first, bytes, alignment);
            m.allocator.deallocate(second, bytes, alignment);
            EXPECT_DEATH(m.allocator.deallocate(first, bytes, alignment), report);
            EXPECT_DEATH(m.allocator.deallocate(second, bytes, alignment), report);
        }
    }
}

} // namespace
