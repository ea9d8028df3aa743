#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/misuse.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef PTHREAD_CANCEL_DISABLE

namespace {

int cancellation_state() {
    int state = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    int disabled = 0;
    pthread_setcancelstate(state, &disabled);
    return state;
}

/// Effects: calls `work` in a thread with a pending cancellation.
/// Returns: true if `work` returned, and the thread was cancelled after it.
bool outlasts_cancellation(void (*work)()) {
    static void (*work_of_thread)() = nullptr;
    static bool returned = false;
    work_of_thread = work;
    returned = false;
    pthread_t thread{};
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
            pthread_cancel(pthread_self());
            work_of_thread();
            returned = true;
            pthread_testcancel();
            return nullptr;
        },
        nullptr);
    void* result = nullptr;
    pthread_join(thread, &result);
    return returned && result == PTHREAD_CANCELED;
}

TEST(cancellation, is_disabled_within_a_scope) {
    ASSERT_EQ(cancellation_state(), PTHREAD_CANCEL_ENABLE);
    {
        const mallard::core::cancellation_disabled outer;
        {
            const mallard::core::cancellation_disabled inner;
        }
        EXPECT_EQ(cancellation_state(), PTHREAD_CANCEL_DISABLE);
    }
    EXPECT_EQ(cancellation_state(), PTHREAD_CANCEL_ENABLE);
}

TEST(cancellation, stays_pending_during_first_large_requests) {
    // A new process, because the library reads the system's files at the first request only.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(_Exit(outlasts_cancellation([] {
                    void* const p = mallard::chunk_cache::allocate(std::size_t{2} << 20);
                    mallard::chunk_cache::deallocate(p, std::size_t{2} << 20);
                    static_cast<void>(mallard::pages::has_huge_pages());
                })
                          ? 0
                          : 1),
                ::testing::ExitedWithCode(0), "");
}

TEST(cancellation, stays_pending_in_misuse_handlers) {
    mallard::set_misuse_handler([](const mallard::misuse_report&) noexcept { pthread_testcancel(); });
    EXPECT_TRUE(outlasts_cancellation([] { mallard::report_misuse({}); }));
    mallard::set_misuse_handler(nullptr);
}

#ifdef __cpp_exceptions
TEST(cancellation, stays_pending_in_out_of_memory_handlers) {
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { pthread_testcancel(); });
    EXPECT_TRUE(outlasts_cancellation([] {
        try {
            mallard::core::fail_allocation(1, 1);
        } catch (const std::bad_alloc&) {
        }
    }));
    mallard::set_out_of_memory_handler(nullptr);
}
#endif

TEST(cancellation, stays_pending_while_a_setting_is_refused) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("MALLARD_STACK_FRAMES", "many", 1);
            _Exit(outlasts_cancellation([] { static_cast<void>(mallard::keep_stack_frames(0)); }) ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "MALLARD_STACK_FRAMES is 'many'");
}

} // namespace

#endif
