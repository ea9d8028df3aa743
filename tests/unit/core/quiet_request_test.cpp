#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

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

TEST_F(quiet_request, prefers_try_allocate) {
    equipment::plots source(1);
    EXPECT_NE(mallard::core::ask_quietly(source, 64, 16), nullptr);
    EXPECT_EQ(mallard::core::ask_quietly(source, 64, 16), nullptr);
    EXPECT_EQ(failures_heard, 0);
}

TEST_F(quiet_request, quiet_sources_return_null) {
    equipment::plots source(1);
    const mallard::core::upstream_handle<equipment::plots> handle(source);
    auto&& quiet = mallard::core::source_from<true>(handle);
    static_assert(mallard::core::is_quiet<std::remove_reference_t<decltype(quiet)>>);
    static_assert(std::is_same_v<decltype(mallard::core::source_from<false>(handle)), equipment::plots&>);
    void* const p = quiet.allocate(64, 16);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(quiet.allocate(64, 16), nullptr);
    quiet.deallocate(p, 64, 16);
    EXPECT_NE(quiet.allocate(64, 16), nullptr);
    EXPECT_EQ(failures_heard, 0);
}

#ifndef __cpp_exceptions
/// An upstream that has no way to say no.
struct final_source {
    static inline int requests = 0;
    static void* allocate(std::size_t, std::size_t) { return ++requests, nullptr; }
    static void deallocate(void*, std::size_t, std::size_t) noexcept {}
};

TEST_F(quiet_request, does_not_ask_an_upstream_that_only_throws) {
    final_source source;
    static_assert(!mallard::core::fails_recoverably<final_source>);
    EXPECT_EQ(mallard::core::ask_quietly(source, 100, 16), nullptr);
    EXPECT_EQ(final_source::requests, 0);
}
#endif

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

TEST_F(quiet_request, returns_null_silently_when_upstream_throws) {
    equipment::ledger source;
    source.fail({.at = 1});
    EXPECT_EQ(mallard::core::ask_quietly(source, 100, 16), nullptr);
    EXPECT_NE(mallard::core::ask_quietly(mallard::multipool<equipment::ledger>(source), 100, 16), nullptr);
    EXPECT_EQ(failures_heard, 0);
    source.fail({.at = 1});
    EXPECT_THROW(static_cast<void>(source.allocate(100, 16)), std::bad_alloc);
    EXPECT_EQ(failures_heard, 1);
}

/// An upstream with its own exception type.
struct refusing_upstream {
    struct refusal : std::bad_alloc {};

    void* allocate(std::size_t bytes, std::size_t alignment) {
        last_request = {bytes, alignment};
        throw refusal();
    }
    static void deallocate(void*, std::size_t, std::size_t) noexcept {}

    equipment::ledger::request last_request{};
};

TEST_F(quiet_request, fails_with_the_exception_of_the_upstream) {
    refusing_upstream source;
    EXPECT_THROW(mallard::core::fail_as_upstream(source, SIZE_MAX - 8, 64), refusing_upstream::refusal);
    EXPECT_EQ(source.last_request, (equipment::ledger::request{SIZE_MAX - 8, 64}));
    EXPECT_EQ(failures_heard, 0);
}

/// An upstream that grants what it cannot have.
struct boundless_upstream {
    void* allocate(std::size_t, std::size_t) {
        ++blocks;
        return this;
    }
    void deallocate(void*, std::size_t, std::size_t) noexcept { --blocks; }
    int blocks = 0;
};

TEST_F(quiet_request, fails_where_the_upstream_grants_everything) {
    boundless_upstream source;
    EXPECT_THROW(mallard::core::fail_as_upstream(source, SIZE_MAX - 8, 64), std::bad_alloc);
    EXPECT_EQ(source.blocks, 0);
    EXPECT_EQ(failures_heard, 1);
}
#endif

} // namespace
