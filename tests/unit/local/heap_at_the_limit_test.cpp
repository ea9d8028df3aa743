/// A process that may have no more addresses: a heap refuses, and serves blocks that come back to it.
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <new>
#include <utility>

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// Effects: limits the address space of the process to `more` bytes beyond the current use.
/// Returns: true if the system has agreed.
bool limit_addresses_to(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::size_t most = pages * mallard::pages::page_bytes() + more;
    const rlimit limit{most, most};
    return pages != 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

/// Returns: the result of `work` in a child process; -1 if a signal ended it.
int in_child(auto work) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(work());
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

template <class Upstream>
class at_the_limit : public ::testing::Test {
protected:
    void SetUp() override {
        if (mallard::core::poisons_memory) {
            GTEST_SKIP() << "the sanitizer has more addresses than that";
        }
    }
};

using upstreams = ::testing::Types<mallard::chunk_cache, mallard::pages>;
TYPED_TEST_SUITE(at_the_limit, upstreams);

/// Returns: 0 if all is as it should be, or the number of the failed check.
template <class Upstream>
int fill_up(std::size_t bytes) {
    Upstream source;
    mallard::heap<Upstream> heap(source);
    mallard::block_chain blocks;
    if (!limit_addresses_to(300 * mib)) {
        return 1;
    }
    for (void* p = heap.try_allocate(bytes); p != nullptr; p = heap.try_allocate(bytes)) {
        if (heap.usable_bytes(p) < bytes) {
            return 2;
        }
        blocks.push_back(p);
    }
    // More than the limit where earlier tests have left memory with malloc.
    if (blocks.size() * bytes < 200 * mib) {
        return 3;
    }
    if (heap.use().used_blocks != blocks.size() || !heap.check_sanity().sound()) {
        return 4;
    }
    const mallard::expansion_request larger{.least_bytes = 2 * bytes + 512 * mib,
                                            .preferred_bytes = 1024 * mib};
    void* const last = blocks.pop_front();
    if (heap.try_expand(last, larger).p != nullptr || heap.usable_bytes(last) < bytes) {
        return 5;
    }
    heap.deallocate(last);
    void* const again = heap.try_allocate(bytes);
    if (again == nullptr) {
        return 6;
    }
    heap.deallocate(again);
    heap.deallocate_many(std::move(blocks));
    if (heap.use().used_blocks != 0 || !heap.check_sanity().sound()) {
        return 7;
    }
    heap.trim();
    return heap.use().held_bytes == 0 ? 0 : 8;
}

TYPED_TEST(at_the_limit, is_filled_up_and_emptied) {
    for (const std::size_t bytes : {100 * kib, 256 * kib, 300 * kib, mib, 5 * mib, 31 * mib}) {
        EXPECT_EQ(in_child([bytes] { return fill_up<TypeParam>(bytes); }), 0) << bytes;
    }
}

#ifdef __cpp_exceptions

TYPED_TEST(at_the_limit, throws_and_keeps_state) {
    EXPECT_EQ(in_child([] {
                  TypeParam source;
                  mallard::heap<TypeParam> heap(source);
                  void* const p = heap.allocate(300 * kib);
                  if (!limit_addresses_to(64 * mib)) {
                      return 1;
                  }
                  for (const std::size_t bytes : {256 * mib, 512 * mib, std::size_t{1} << 40}) {
                      try {
                          static_cast<void>(heap.allocate(bytes));
                          return 2;
                      } catch (const std::bad_alloc&) {
                      }
                      try {
                          static_cast<void>(heap.allocate_many(bytes, 64, 2));
                          return 3;
                      } catch (const std::bad_alloc&) {
                      }
                  }
                  return heap.use().used_blocks == 1 && heap.usable_bytes(p) >= 300 * kib ? 0 : 4;
              }),
              0);
}

#endif

} // namespace
