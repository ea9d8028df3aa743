#include <mallard/impl/threads/thread_cache.hpp>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace {

/// The smallest allocator with thread caches: it counts the blocks that come back.
class owner : public mallard::threads::cache_owner {
public:
    owner() noexcept : cache_owner(count) {}
    ~owner() { detach_caches(); }

    using cache_owner::detach_caches;
    using cache_owner::find_cache;
    using cache_owner::used_last;

    /// Effects: puts a block into this thread's cache.
    void free_locally(void* p) {
        mallard::threads::magazine& m = find_cache()->magazines[1];
        EXPECT_EQ(m.make_room(1), nullptr);
        EXPECT_TRUE(m.push(p, 1));
    }

    int times_taken_back = 0;
    std::size_t blocks_taken_back = 0;

private:
    static void count(cache_owner& o, mallard::threads::thread_cache& from) noexcept {
        auto& self = static_cast<owner&>(o);
        ++self.times_taken_back;
        from.magazines[1].empty_out([](mallard::core::free_block*) { ADD_FAILURE(); },
                                    [&](void*) { ++self.blocks_taken_back; });
    }
};

class thread_caches : public ::testing::Test {
protected:
    ~thread_caches() override { mallard::core::unpoison(memory_.data(), memory_.size()); }

    alignas(16) std::array<std::byte, 16> memory_{};
};

TEST_F(thread_caches, lookup_finds_existing_cache) {
    owner one;
    EXPECT_FALSE(one.used_last());
    mallard::threads::thread_cache* const cache = one.find_cache();
    ASSERT_NE(cache, nullptr);
    EXPECT_TRUE(one.used_last());
    EXPECT_EQ(mallard::threads::last_cache.cache, cache);
    owner second;
    EXPECT_FALSE(second.used_last());
    EXPECT_NE(second.find_cache(), cache);
    EXPECT_FALSE(one.used_last());
    EXPECT_EQ(one.find_cache(), cache) << "slower, but it is the same";
    EXPECT_EQ(one.times_taken_back, 0);
}

TEST_F(thread_caches, are_per_thread) {
    owner shared;
    mallard::threads::thread_cache* const mine = shared.find_cache();
    std::thread([&] { EXPECT_NE(shared.find_cache(), mine); }).join();
    EXPECT_EQ(shared.times_taken_back, 1) << "by the end of the other thread";
    EXPECT_TRUE(shared.used_last());
    EXPECT_EQ(mallard::threads::last_cache.cache, mine);
}

TEST_F(thread_caches, forget_their_blocks_when_they_are_detached) {
    owner shared;
    shared.free_locally(memory_.data());
    shared.detach_caches();
    EXPECT_FALSE(shared.used_last());
    EXPECT_EQ(shared.find_cache()->magazines[1].pop(), nullptr);
    EXPECT_EQ(shared.times_taken_back, 0);
}

TEST_F(thread_caches, are_reusable_once_allocator_is_destroyed) {
    std::thread([] { // this one has a cache of each allocator that lives as long as the process
        for (int round = 0; round < 100; ++round) {
            std::vector<std::unique_ptr<owner>> owners(mallard::threads::caches_per_thread);
            for (auto& o : owners) {
                o = std::make_unique<owner>();
                ASSERT_NE(o->find_cache(), nullptr) << "all caches are free again";
            }
        }
    })
        .join();
}

/// Uses its allocator when it ends.
struct late_user {
    explicit late_user(owner& o) : shared(o) {}
    late_user(const late_user&) = delete;
    late_user& operator=(const late_user&) = delete;
    ~late_user() {
        EXPECT_FALSE(shared.used_last());
        EXPECT_EQ(shared.find_cache(), nullptr);
    }
    owner& shared;
};

TEST_F(thread_caches, closing_thread_removes_caches) {
    owner shared;
    std::thread([&] {
        // Made before the thread has a cache, so it ends after the caches do.
        static thread_local const late_user user(shared);
        static_cast<void>(&user);
        EXPECT_NE(shared.find_cache(), nullptr);
    }).join();
    EXPECT_EQ(shared.times_taken_back, 1);
}

/// An allocator whose blocks take long to come back.
class slow_owner : public mallard::threads::cache_owner {
public:
    slow_owner() noexcept : cache_owner(wait) {}

    using cache_owner::detach_caches;
    using cache_owner::find_cache;

    std::atomic<bool> begun = false;
    std::atomic<bool> may_end = false;
    std::atomic<bool> detached = false;

private:
    static void wait(cache_owner& o, mallard::threads::thread_cache&) noexcept {
        auto& self = static_cast<slow_owner&>(o);
        self.begun = true;
        self.begun.notify_all();
        self.may_end.wait(false);
        EXPECT_FALSE(self.detached) << "the allocator must not end while blocks are coming back";
    }
};

TEST_F(thread_caches, detach_waits_for_pending_returns) {
    slow_owner shared;
    std::thread ending([&] { static_cast<void>(shared.find_cache()); });
    shared.begun.wait(false);
    std::thread detaching([&] {
        shared.detach_caches();
        shared.detached = true;
    });
    // Time for the other thread to do it too early, if it does. The test holds with any other time too.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    shared.may_end = true;
    shared.may_end.notify_all();
    ending.join();
    detaching.join();
    EXPECT_TRUE(shared.detached);
}

/// More allocators than caches: each use works, few take a cache away, and its blocks come back.
TEST_F(thread_caches, are_evicted_occasionally) {
    std::vector<std::unique_ptr<owner>> owners(mallard::threads::caches_per_thread + 1);
    for (auto& o : owners) {
        o = std::make_unique<owner>();
    }
    owners[0]->free_locally(memory_.data());
    int without = 0;
    int taken_back = 0;
    constexpr int rounds = 3000;
    for (int round = 0; round < rounds; ++round) {
        for (auto& o : owners) {
            without += o->find_cache() == nullptr ? 1 : 0;
        }
    }
    for (auto& o : owners) {
        taken_back += o->times_taken_back;
    }
    EXPECT_EQ(owners[0]->blocks_taken_back, 1U);
    EXPECT_GT(taken_back, 8) << "no allocator goes without for ever";
    EXPECT_LE(taken_back, without / 32) << "taking one away is dear";
    EXPECT_LE(without, rounds * 2);
}

TEST_F(thread_caches, eviction_resumes_when_lock_is_released) {
    std::vector<std::unique_ptr<owner>> owners(mallard::threads::caches_per_thread);
    for (auto& o : owners) {
        o = std::make_unique<owner>();
        static_cast<void>(o->find_cache());
    }
    {
        const mallard::threads::inside_pool inside;
    }
    owner late;
    bool has_cache = false;
    for (int i = 0; i < 1000 && !has_cache; ++i) {
        has_cache = late.find_cache() != nullptr;
    }
    EXPECT_TRUE(has_cache);
}

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#ifndef MALLARD_ASAN
/// Such a thread runs no destructors, which a sanitizer does not survive. Later threads look for its remains.
TEST_F(thread_caches, are_recovered_from_abandoned_threads) {
    owner one;
    std::thread([&] {
        one.free_locally(memory_.data());
        syscall(SYS_exit, 0);
    }).join();
    for (int i = 0; i != 100 && one.times_taken_back == 0; ++i) {
        std::thread([&] { static_cast<void>(one.find_cache()); }).join();
    }
    EXPECT_EQ(one.blocks_taken_back, 1U);
}
#endif

/// Without the handlers of pthread_atfork(), as _Fork() does.
pid_t fork_without_handlers() {
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

TEST_F(thread_caches, stay_with_the_thread_that_forks) {
    for (pid_t (*const make_child)() : {+[] { return fork(); }, +fork_without_handlers}) {
        owner one;
        one.free_locally(memory_.data());
        const pid_t child = make_child();
        if (child == 0) {
            alarm(120);
            owner others;
            for (int i = 0; i != 100; ++i) {
                std::thread([&] { static_cast<void>(others.find_cache()); }).join();
            }
            _exit(one.times_taken_back);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0) << "caches were taken from it";
        one.detach_caches();
    }
}
#endif

TEST_F(thread_caches, are_not_evicted_under_pool_lock) {
    std::vector<std::unique_ptr<owner>> owners(mallard::threads::caches_per_thread);
    for (auto& o : owners) {
        o = std::make_unique<owner>();
        static_cast<void>(o->find_cache());
    }
    owner late;
    const mallard::threads::inside_pool inside;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(late.find_cache(), nullptr);
    }
}

} // namespace
