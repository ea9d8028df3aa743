#include "equipment/out_of_memory.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/numa_pages.hpp>

#include <gtest/gtest.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace {

constexpr unsigned beyond_any = 1U << 20;

TEST(numa_pages, refuses_a_node_that_the_machine_lacks) {
    for (const unsigned node : {1023U, 1024U, beyond_any, UINT32_MAX}) {
        EXPECT_FALSE(mallard::numa_pages::has_node(node)) << node;
        const std::string reason = "NUMA node " + std::to_string(node);
#ifdef __cpp_exceptions
        try {
            const mallard::numa_pages source(node);
            ADD_FAILURE() << node;
        } catch (const mallard::refused_request& refusal) {
            EXPECT_NE(std::string(refusal.what()).find(reason), std::string::npos) << refusal.what();
        }
#else
        EXPECT_DEATH(const mallard::numa_pages source(node), reason);
#endif
    }
}

TEST(numa_pages, begin_with_zeroes_on_the_node) {
    if (!mallard::numa_pages::has_node(0)) {
        GTEST_SKIP() << "this system binds no memory to NUMA nodes";
    }
    mallard::numa_pages source(0);
    EXPECT_EQ(source.node(), 0U);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
        auto* const p = static_cast<unsigned char*>(source.allocate(bytes));
        ASSERT_NE(p, nullptr);
        for (std::size_t i = 0; i < bytes; i += 512) {
            ASSERT_EQ(p[i], 0);
        }
        std::memset(p, 7, bytes);
#ifdef SYS_get_mempolicy
        int mode = -1;
        unsigned long nodes[16] = {};
        constexpr unsigned of_address = 2; // MPOL_F_ADDR
        ASSERT_EQ(syscall(SYS_get_mempolicy, &mode, nodes, 8 * sizeof(nodes), p, of_address), 0);
        EXPECT_EQ(mode, 2) << "MPOL_BIND";
        EXPECT_EQ(nodes[0], 1UL) << "node 0 alone";
#endif
        source.deallocate(p, bytes);
    }
}

TEST(numa_pages, quiet_failure_skips_handler) {
    if (!mallard::numa_pages::has_node(0)) {
        GTEST_SKIP() << "this system binds no memory to NUMA nodes";
    }
    static int heard = 0;
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++heard; });
    mallard::numa_pages source(0);
    EXPECT_EQ(source.try_allocate(SIZE_MAX), nullptr);
    EXPECT_EQ(source.try_allocate(std::size_t{1} << 62), nullptr);
    EXPECT_EQ(heard, 0);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(source.allocate(std::size_t{1} << 62)));
#ifdef __cpp_exceptions
    EXPECT_EQ(heard, 1);
#endif
    mallard::set_out_of_memory_handler(nullptr);
}

} // namespace
