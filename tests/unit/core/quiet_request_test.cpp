#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <new>

namespace {

int failures_heard = 0;

class quiet_request : public ::testing::Test {
protected:
    quiet_request() {
        failures_heard = 0;
        mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++failures_heard; });
    }
    ~quiet_request() override { mallard::set_out_of_memory_handler(nullptr); }
};

TEST_F(quiet_request, returns_what_the_upstream_gives) {
    equipment::ledger source;
    void* const p = mallard::core::ask_quietly(source, 100, 16);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(source.granted().back(), (equipment::ledger::request{100, 16}));
    source.deallocate(p, 100, 16);
}

TEST_F(quiet_request, asks_what_can_say_no_by_itself) {
    equipment::plots source(1);
    EXPECT_NE(mallard::core::ask_quietly(source, 64, 16), nullptr);
    EXPECT_EQ(mallard::core::ask_quietly(source, 64, 16), nullptr);
    EXPECT_EQ(failures_heard, 0);
}

#ifdef __cpp_exceptions
/// A try_allocate() that throws all the same.
struct unruly {
    static void* allocate(std::size_t, std::size_t) { throw std::bad_alloc(); }
    static void* try_allocate(std::size_t, std::size_t) { throw 1; }
    static void deallocate(void*, std::size_t, std::size_t) noexcept {}
};

TEST_F(quiet_request, returns_null_where_a_quiet_request_throws) {
    EXPECT_EQ(mallard::core::ask_quietly(unruly(), 64, 16), nullptr);
}

TEST_F(quiet_request, returns_null_where_the_upstream_throws_and_tells_nobody) {
    equipment::ledger source;
    source.fail({.at = 1});
    EXPECT_EQ(mallard::core::ask_quietly(source, 100, 16), nullptr);
    EXPECT_NE(mallard::core::ask_quietly(mallard::multipool<equipment::ledger>(source), 100, 16), nullptr);
    EXPECT_EQ(failures_heard, 0);
    source.fail({.at = 1});
    EXPECT_THROW(static_cast<void>(source.allocate(100, 16)), std::bad_alloc);
    EXPECT_EQ(failures_heard, 1);
}
#endif

} // namespace
