#include "equipment/out_of_memory.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/pages.hpp>
#include <mallard/upstream/protected_pages.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using protected_pages_DeathTest = ::testing::Test;

void write_to(void* p) {
    *static_cast<volatile unsigned char*>(p) = 1;
}

TEST(protected_pages, are_zeroed_and_writable) {
    mallard::protected_pages source("a test");
    EXPECT_STREQ(source.name(), "a test");
    const std::size_t page = mallard::pages::page_bytes();
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, page - 1, page, page + 1, 100 * page}) {
        for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, page, 4 * page}) {
            auto* const p = static_cast<unsigned char*>(source.allocate(bytes, alignment));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
            for (std::size_t i = 0; i != bytes; ++i) {
                ASSERT_EQ(p[i], 0);
            }
            std::memset(p, 0xff, bytes);
            source.deallocate(p, bytes, alignment);
        }
    }
}

TEST(protected_pages, can_be_read_while_protected) {
    mallard::protected_pages source("a test");
    auto* const p = static_cast<unsigned char*>(source.allocate(5000));
    p[4999] = 42;
    ASSERT_TRUE(source.protect());
    EXPECT_EQ(p[4999], 42);
    ASSERT_TRUE(source.protect()) << "a second time";
    ASSERT_TRUE(source.unprotect());
    p[4999] = 43;
    EXPECT_EQ(p[4999], 43);
    source.deallocate(p, 5000);
}

TEST(protected_pages, end_while_protected) {
    mallard::protected_pages source("a test");
    std::vector<void*> chunks;
    for (int i = 0; i != 5; ++i) {
        chunks.push_back(source.allocate(100));
    }
    ASSERT_TRUE(source.protect());
    for (const int i : {2, 0, 4, 1, 3}) { // the middle, the last, the first of the list
        source.deallocate(chunks[static_cast<std::size_t>(i)], 100);
    }
    EXPECT_TRUE(source.unprotect()) << "of no chunk";
}

TEST(protected_pages, later_chunks_are_writable) {
    mallard::protected_pages source("a test");
    void* const early = source.allocate(100);
    ASSERT_TRUE(source.protect());
    void* const late = source.allocate(100);
    write_to(late);
    source.deallocate(early, 100);
    source.deallocate(late, 100);
}

TEST(protected_pages, quiet_failure_skips_handler) {
    static int heard = 0;
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++heard; });
    mallard::protected_pages source("a test");
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2, std::size_t{1} << 62}) {
        EXPECT_EQ(source.try_allocate(bytes), nullptr) << bytes;
    }
    EXPECT_EQ(heard, 0);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(source.allocate(SIZE_MAX)));
#ifdef __cpp_exceptions
    EXPECT_EQ(heard, 1);
#endif
    mallard::set_out_of_memory_handler(nullptr);
}

TEST_F(protected_pages_DeathTest, report_names_the_owner_of_the_memory) {
    EXPECT_DEATH(
        {
            mallard::protected_pages::report_writes();
            mallard::protected_pages other("another thing");
            mallard::protected_pages source("the dictionary");
            mallard::monotonic memory(source);
            void* const unprotected = other.allocate(100);
            void* const p = memory.allocate(100);
            source.protect();
            write_to(unprotected);
            write_to(p);
        },
        "mallard: write to the read-only memory of the dictionary at 0x[0-9a-f]+\n");
}

TEST_F(protected_pages_DeathTest, every_chunk_is_protected) {
    for (int chunk = 0; chunk != 3; ++chunk) {
        EXPECT_DEATH(
            {
                mallard::protected_pages::report_writes();
                mallard::protected_pages source("the dictionary");
                std::vector<void*> chunks;
                for (const std::size_t bytes : std::vector<std::size_t>({1, 5000, 100})) {
                    chunks.push_back(source.allocate(bytes));
                }
                source.protect();
                write_to(chunks[static_cast<std::size_t>(chunk)]);
            },
            "the read-only memory of the dictionary");
    }
}

TEST_F(protected_pages_DeathTest, objects_beyond_the_table_have_no_name) {
    EXPECT_DEATH(
        {
            mallard::protected_pages::report_writes();
            std::vector<std::unique_ptr<mallard::protected_pages>> many;
            for (std::size_t i = 0; i != mallard::protected_pages::most_named; ++i) {
                many.push_back(std::make_unique<mallard::protected_pages>("one of many"));
            }
            many.erase(many.begin() + 10); // a place is free again
            mallard::protected_pages source("the last one");
            void* const p = source.allocate(1);
            source.protect();
            mallard::protected_pages nameless("nobody");
            void* const q = nameless.allocate(1);
            nameless.protect();
            static_cast<void>(q);
            write_to(p);
        },
        "the read-only memory of the last one");
}

#if !defined(MALLARD_ASAN) && !defined(__SANITIZE_THREAD__) // whose own handlers end the program
TEST_F(protected_pages_DeathTest, ends_by_the_signal) {
    EXPECT_EXIT(
        {
            mallard::protected_pages::report_writes();
            mallard::protected_pages source("the dictionary");
            void* const p = source.allocate(100);
            source.protect();
            write_to(p);
        },
        ::testing::KilledBySignal(SIGSEGV), "dictionary");
}

TEST_F(protected_pages_DeathTest, other_faults_reach_the_handler_before) {
    EXPECT_EXIT(
        {
            std::signal(SIGSEGV, [](int) { std::_Exit(7); });
            mallard::protected_pages::report_writes();
            mallard::protected_pages::report_writes();
            mallard::pages source;
            void* const p = source.allocate(100);
            source.deallocate(p, 100);
            write_to(p);
        },
        ::testing::ExitedWithCode(7), "^$");
}

TEST_F(protected_pages_DeathTest, sent_signals_end_the_program) {
    EXPECT_EXIT(
        {
            mallard::protected_pages::report_writes();
            std::raise(SIGSEGV);
            std::_Exit(0);
        },
        ::testing::KilledBySignal(SIGSEGV), "^$");
}
#endif

TEST(protected_pages, serve_a_pool) {
    mallard::protected_pages source("a pool");
    mallard::multipool pool(source);
    auto* const p = static_cast<int*>(pool.allocate(sizeof(int)));
    *p = 5;
    ASSERT_TRUE(source.protect());
    EXPECT_EQ(*p, 5);
    ASSERT_TRUE(source.unprotect());
    pool.deallocate(p, sizeof(int));
}

} // namespace
