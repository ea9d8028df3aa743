// A request that the system refuses while the cache holds chunks: the chunks are returned and the request is retried. In a
// child, because the limit is per process.
#include "process/child.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <new>
#include <vector>

namespace {

#if !defined(MALLARD_ASAN) && !defined(__SANITIZE_THREAD__) && defined(__cpp_exceptions)

using mallard::chunk_cache;

constexpr std::size_t mib = std::size_t{1} << 20;

/// Effects: lets the process map `bytes` more than it has mapped now.
void limit_address_space(std::size_t bytes) {
    std::size_t pages_mapped = 0;
    std::ifstream("/proc/self/statm") >> pages_mapped;
    const auto mapped = pages_mapped * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const rlimit limit{.rlim_cur = mapped + bytes, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
}

int heard = 0;

/// Effects: leaves chunks of `chunk_bytes` cached, 32 MiB in this thread and 128 MiB in the shared bins.
void fill_cache(std::size_t chunk_bytes) {
    std::vector<void*> taken(160 * mib / chunk_bytes);
    for (void*& p : taken) {
        p = chunk_cache::allocate(chunk_bytes);
    }
    for (void* p : taken) {
        chunk_cache::deallocate(p, chunk_bytes);
    }
}

/// The limit is 400 MiB, of which all but 240 MiB are cached.
class address_space : public ::testing::TestWithParam<std::size_t> {
protected:
    template <class Work>
    static process::ending run_with_a_full_cache(Work work) {
        return process::run_in_child([&work] {
            limit_address_space(400 * mib);
            mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++heard; });
            fill_cache(GetParam());
            const mallard::chunk_cache_stats s = chunk_cache::stats();
            if (s.thread_bytes + s.shared_bytes < 150 * mib) {
                return 10;
            }
            return work();
        });
    }
};

TEST_P(address_space, in_the_cache_is_returned_before_failing) {
    const process::ending ended = run_with_a_full_cache([] {
        try {
            chunk_cache::deallocate(chunk_cache::allocate(280 * mib), 280 * mib);
        } catch (const std::bad_alloc&) {
            return 1;
        }
        return heard == 0 ? 0 : 2;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

TEST_P(address_space, in_the_cache_also_serves_kept_requests) {
    const process::ending ended = run_with_a_full_cache([] {
        std::vector<void*> taken;
        try {
            for (int i = 0; i < 6; ++i) {
                taken.push_back(chunk_cache::allocate(56 * mib));
            }
        } catch (const std::bad_alloc&) {
            return 1;
        }
        return heard == 0 ? 0 : 2;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

TEST_P(address_space, is_reported_once_when_exhausted) {
    const process::ending ended = run_with_a_full_cache([] {
        try {
            static_cast<void>(chunk_cache::allocate(500 * mib));
            return 1;
        } catch (const std::bad_alloc&) {
        }
        const mallard::chunk_cache_stats s = chunk_cache::stats();
        return heard == 1 && s.thread_bytes + s.shared_bytes == 0 ? 0 : 2;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

TEST_P(address_space, is_irrelevant_to_impossible_requests) {
    const process::ending ended = run_with_a_full_cache([] {
        try {
            static_cast<void>(chunk_cache::allocate(std::size_t{1} << 62));
            return 1;
        } catch (const std::bad_alloc&) {
        }
        const mallard::chunk_cache_stats s = chunk_cache::stats();
        return heard == 1 && s.thread_bytes + s.shared_bytes >= 150 * mib ? 0 : 2;
    });
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

INSTANTIATE_TEST_SUITE_P(chunks, address_space, ::testing::Values(std::size_t{256} << 10, 2 * mib));

#endif

} // namespace
