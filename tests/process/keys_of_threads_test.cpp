// Allocators in the destructors of thread-specific data: the system runs those after the thread_local objects', up to
// four times over, in the order in which the keys were made.
#include "process/child.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

/// Keys from before the library's first use, and from after it.
class user_key {
public:
    user_key() { pthread_key_create(&key_, run); }

    /// Effects: calls `work(round)` in each round of this thread's end from `first` to `last`, 0 to 3.
    void at_end_of_thread(int first, int last, std::function<void(int)> work) {
        pthread_setspecific(key_, new request{this, 0, first, last, std::move(work)});
    }

private:
    struct request {
        user_key* of;
        int round;
        int first;
        int last;
        std::function<void(int)> work;
    };

    static void run(void* p) {
        auto* const state = static_cast<request*>(p);
        if (state->round >= state->first) {
            state->work(state->round);
        }
        if (state->round++ == state->last) {
            delete state;
        } else {
            pthread_setspecific(state->of->key_, state);
        }
    }

    pthread_key_t key_{};
};

user_key& early_key() {
    static user_key key;
    return key;
}

/// Created before the library's key, whatever the link order.
struct early_key_creator {
    early_key_creator() { early_key(); }
};
[[gnu::init_priority(101)]] const early_key_creator creator;

user_key& late_key() {
    static user_key* const key = [] {
        struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
        // The library has created all its thread-exit keys.
        std::thread([] {
            mallard::concurrent_multipool<> pool;
            pool.deallocate(pool.allocate(24), 24);
            nodes::pool().deallocate(nodes::pool().allocate(24), 24);
            mallard::chunk_cache::deallocate(mallard::chunk_cache::allocate(100), 100);
        }).join();
        return new user_key;
    }();
    return *key;
}

#ifdef __SANITIZE_THREAD__
constexpr int rounds = 2; // ThreadSanitizer has finished with the thread in later rounds
#else
constexpr int rounds = 4;
#endif

template <class Pool>
void use(Pool& pool) {
    std::array<void*, 100> blocks{};
    for (void*& p : blocks) {
        p = pool.allocate(64, 8);
    }
    for (void* p : blocks) {
        pool.deallocate(p, 64, 8);
    }
}

class keys_of_threads : public ::testing::TestWithParam<std::tuple<int, int, bool, bool, bool>> {
protected:
    keys_of_threads() {
        late_key();
        mallard::chunk_cache::trim();
    }
    ~keys_of_threads() override { mallard::chunk_cache::trim(); }

    /// Returns: true if the thread uses the library for the first time when the last round may have passed the library's
    /// key. The next threads then find the thread's remains.
    static bool may_be_unseen() {
        const auto [first, last, early, late, used] = GetParam();
        return first == rounds - 1 && late && !early && !used;
    }

    /// Effects: runs a thread that calls `work` at its end, by the keys that the parameters name, and before its end if they
    /// say so.
    template <class Work>
    static void end_a_thread(Work work) {
        const auto [first, last, early, late, used] = GetParam();
        std::thread([&] {
            if (used) {
                work();
            }
            if (early) {
                early_key().at_end_of_thread(first, last, [&](int) { work(); });
            }
            if (late) {
                late_key().at_end_of_thread(first, last, [&](int) { work(); });
            }
        }).join();
    }
};

TEST_P(keys_of_threads, find_a_shared_pool_until_its_end) {
    const process::ending ended = process::run_apart([] {
        for (int i = 0; i < 50; ++i) {
            mallard::concurrent_multipool<> shared;
            end_a_thread([&] { use(shared); });
            end_a_thread([&] { use(shared); });
            use(shared);
            shared.release();
            use(shared);
            std::thread([&] { use(shared); }).join();
        }
        return 0;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

TEST_P(keys_of_threads, leave_no_chunk_behind) {
    const process::ending ended = process::run_apart([] {
        constexpr std::size_t chunk_bytes = 1 << 20;
        std::vector<void*> chunks(16);
        for (void*& p : chunks) {
            p = mallard::chunk_cache::allocate(chunk_bytes);
        }
        std::size_t next = 0;
        end_a_thread([&] {
            for (int i = 0; i < 2 && next < chunks.size(); ++i) {
                mallard::chunk_cache::deallocate(chunks[next++], chunk_bytes);
            }
        });
        const std::size_t returned = next;
        while (next < chunks.size()) {
            mallard::chunk_cache::deallocate(chunks[next++], chunk_bytes);
        }
        while (may_be_unseen() && mallard::chunk_cache::stats().shared_bytes < returned * chunk_bytes) {
            // The system reports the exit of a thread slightly after join().
            std::thread([] {
                mallard::chunk_cache::deallocate(mallard::chunk_cache::allocate(100), 100);
            }).join();
        }
        const mallard::chunk_cache_stats waiting = mallard::chunk_cache::stats();
        return waiting.shared_bytes / chunk_bytes == returned &&
                       waiting.thread_bytes == (chunks.size() - returned) * chunk_bytes
                   ? 0
                   : 1;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0)) << "all that the thread returned is for the others";
}

TEST_P(keys_of_threads, find_a_pool_of_their_thread) {
    struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
    const process::ending ended = process::run_apart([] {
        for (int i = 0; i < 20; ++i) {
            end_a_thread([] { use(nodes::pool()); });
        }
        use(nodes::pool());
        return nodes::pool().stats().chunks != 0 ? 0 : 1;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

std::string name_of_case(const ::testing::TestParamInfo<keys_of_threads::ParamType>& info) {
    const auto [first, last, early, late, used] = info.param;
    return "from_" + std::to_string(first) + "_to_" + std::to_string(last) + (early ? "_early" : "") +
           (late ? "_late" : "") + (used ? "_used_before" : "");
}

INSTANTIATE_TEST_SUITE_P(first_use, keys_of_threads,
                         ::testing::Combine(::testing::Range(0, rounds), ::testing::Values(rounds - 1),
                                            ::testing::Bool(), ::testing::Values(true, false),
                                            ::testing::Bool()),
                         name_of_case);

} // namespace
