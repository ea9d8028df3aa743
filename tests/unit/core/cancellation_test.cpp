#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/bind/pooled.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/misuse.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/arenas.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>
#include <mallard/upstream/upstream_ref.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>

// libc++abi does not unwind a cancelled thread, whoever's frames those are.
#if defined(PTHREAD_CANCEL_DISABLE) && defined(__GLIBCXX__)

namespace {

int cancellation_state() {
    int state = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    int disabled = 0;
    pthread_setcancelstate(state, &disabled);
    return state;
}

void cancellation_point() {
#ifdef MALLARD_ASAN
    __asan_handle_no_return(); // the sanitizer does not see a forced unwinding
#endif
    pthread_testcancel();
}

/// Effects: calls `work` in a thread with a pending cancellation.
/// Returns: true if `work` returned, and the thread was cancelled after it.
template <class Work>
bool outlasts_cancellation(Work work) {
    struct task {
        Work work;
        bool returned = false;
    } task{work};
    pthread_t thread{};
    pthread_create(
        &thread, nullptr,
        [](void* argument) -> void* {
            auto& own = *static_cast<struct task*>(argument);
            pthread_cancel(pthread_self());
            own.work();
            own.returned = true;
            cancellation_point();
            return nullptr;
        },
        &task);
    void* result = nullptr;
    pthread_join(thread, &result);
    return task.returned && result == PTHREAD_CANCELED;
}

/// An upstream whose calls are cancellation points, such as one that writes a log.
class logging_upstream final : public std::pmr::memory_resource {
public:
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
    [[nodiscard]] std::size_t requests() const noexcept { return requests_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++requests_;
        cancellation_point();
        void* const p = std::pmr::new_delete_resource()->allocate(bytes, alignment);
        ++blocks_;
        return p;
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        --blocks_;
        std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
        cancellation_point();
    }

    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t blocks_ = 0;
    std::size_t requests_ = 0;
};

/// An upstream that is not a resource.
struct plain_upstream {
    logging_upstream& log;

    void* allocate(std::size_t bytes, std::size_t alignment) { return log.allocate(bytes, alignment); }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        log.deallocate(p, bytes, alignment);
    }
};

template <class A>
class cancelled_requests : public ::testing::Test {
protected:
    /// Effects: requests blocks with `request` until the upstream was asked once more.
    template <class Request>
    void reach_upstream(Request request) {
        const std::size_t before = upstream.requests();
        while (upstream.requests() == before) {
            ASSERT_NE(request(), nullptr);
        }
    }

    logging_upstream upstream;
    A allocator{upstream};
};

using memory = std::pmr::memory_resource;
using kinds = ::testing::Types<mallard::monotonic<memory>, mallard::concurrent_multipool<memory>,
                               mallard::small_object_pool<memory>, mallard::heap<memory>,
                               mallard::fixed_pool<mallard::growing_arena<memory>>>;
TYPED_TEST_SUITE(cancelled_requests, kinds);

#ifdef __cpp_exceptions
TYPED_TEST(cancelled_requests, unwind_and_leave_the_allocator_usable) {
    static_cast<void>(this->allocator.allocate(96, 8));
    EXPECT_FALSE(outlasts_cancellation(
        [this] { this->reach_upstream([this] { return this->allocator.allocate(96, 8); }); }));
    void* const p = this->allocator.allocate(96, 8);
    EXPECT_NE(p, nullptr);
    this->allocator.deallocate(p, 96, 8);
    this->reach_upstream([this] { return this->allocator.allocate(96, 8); });
    this->allocator.release();
    EXPECT_EQ(this->upstream.blocks(), 0U);
}

TYPED_TEST(cancelled_requests, unwind_large_requests) {
    if constexpr (!requires { TypeParam::has_fixed_blocks; }) {
        const std::size_t bytes = std::size_t{3} << 20;
        EXPECT_FALSE(outlasts_cancellation([&] { static_cast<void>(this->allocator.allocate(bytes, 8)); }));
        this->allocator.deallocate(this->allocator.allocate(bytes, 8), bytes, 8);
        this->allocator.release();
        EXPECT_EQ(this->upstream.blocks(), 0U);
    }
}

TYPED_TEST(cancelled_requests, unwind_bursts) {
    if constexpr (mallard::burst_allocator<TypeParam>) {
        static_cast<void>(this->allocator.allocate(96, 8));
        EXPECT_FALSE(
            outlasts_cancellation([this] { static_cast<void>(this->allocator.allocate_many(96, 8, 5000)); }));
        this->allocator.deallocate_many(this->allocator.allocate_many(96, 8, 5000), 96, 8);
        this->allocator.release();
        EXPECT_EQ(this->upstream.blocks(), 0U);
    }
}

#endif

TYPED_TEST(cancelled_requests, stay_pending_in_try_allocate) {
    if constexpr (mallard::nothrow_upstream<TypeParam> && mallard::core::fails_recoverably<memory>) {
        EXPECT_TRUE(outlasts_cancellation(
            [this] { this->reach_upstream([this] { return this->allocator.try_allocate(96, 8); }); }));
    }
}

TYPED_TEST(cancelled_requests, stay_pending_while_memory_goes_back) {
    this->reach_upstream([this] { return this->allocator.allocate(96, 8); });
    EXPECT_TRUE(outlasts_cancellation([this] { this->allocator.release(); }));
    EXPECT_EQ(this->upstream.blocks(), 0U);
}

TEST(cancellation, stays_pending_where_bindings_give_back) {
    logging_upstream upstream;
    mallard::allocator<int, memory> ints(upstream);
    int* const p = ints.allocate(7);
    EXPECT_TRUE(outlasts_cancellation([&] { ints.deallocate(p, 7); }));

    mallard::upstream_ref reference(upstream);
    void* const q = reference.allocate(7, 1);
    EXPECT_TRUE(outlasts_cancellation([&] { reference.deallocate(q, 7, 1); }));

    plain_upstream plain{upstream};
    mallard::resource<plain_upstream&> bound(plain);
    void* const r = bound.allocate(7, 1);
    EXPECT_TRUE(outlasts_cancellation([&] { bound.deallocate(r, 7, 1); }));
    EXPECT_EQ(upstream.blocks(), 0U);
}

#ifdef __cpp_exceptions
logging_upstream upstream_of_class;

struct logging_pool {
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        return upstream_of_class.allocate(bytes, alignment);
    }
    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        mallard::core::give_back(upstream_of_class, p, bytes, alignment);
    }
};

struct logging_tag {
    static logging_pool& pool() noexcept {
        static logging_pool only;
        return only;
    }
};

class pooled_class final : public mallard::pooled<pooled_class, logging_tag> {};

TEST(cancellation, stays_pending_where_bindings_fail_quietly) {
    logging_upstream upstream;
    mallard::upstream_ref reference(upstream);
    void* p = nullptr;
    EXPECT_TRUE(outlasts_cancellation([&] { p = reference.try_allocate(7, 1); }));
    reference.deallocate(p, 7, 1);

    plain_upstream plain{upstream};
    mallard::resource<plain_upstream&> bound(plain);
    EXPECT_TRUE(outlasts_cancellation([&] { p = bound.try_allocate(7, 1); }));
    bound.deallocate(p, 7, 1);
    EXPECT_EQ(upstream.blocks(), 0U);

    EXPECT_TRUE(outlasts_cancellation([&] { delete new (std::nothrow) pooled_class; }));
    EXPECT_EQ(upstream_of_class.blocks(), 0U);
}
#endif

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
