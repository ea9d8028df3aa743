// What runs on a reserve makes no system call. In seccomp's strict mode the kernel kills a process at any but read(),
// write() and the exit of the thread; in a child, because the mode does not end.
#include "process/child.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#if defined(__linux__) && !defined(MALLARD_ASAN) && !defined(__SANITIZE_THREAD__)

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>

namespace {

/// Unchecked in every build: a registry of blocks needs memory of its own.
using pool = mallard::unchecked::multipool<mallard::pages, mallard::hybrid_order, mallard::eighth_classes>;
using arena = mallard::unchecked::monotonic<mallard::pages>;

constexpr std::size_t blocks = 10'000;
constexpr process::ending killed{.status = 0, .signal = SIGKILL};

/// Effects: calls `work()` in a child that may make no system call.
template <class Work>
process::ending run_without_system_calls(Work work) {
    return process::run_in_child([&work] {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
            return 1;
        }
        work();
        syscall(SYS_exit, 0); // that of this thread: exit() would end all of them, which the mode forbids
        return 2;
    });
}

class system_calls : public ::testing::Test {
protected:
    void SetUp() override {
        if (prctl(PR_GET_SECCOMP) < 0) {
            GTEST_SKIP() << "no seccomp, as in an emulator";
        }
    }
};

void churn(pool& memory) {
    std::array<void*, blocks> taken{};
    for (int round = 0; round != 3; ++round) {
        for (void*& p : taken) {
            p = memory.allocate(64, 8);
        }
        for (void* p : taken) {
            memory.deallocate(p, 64, 8);
        }
    }
}

void fill(arena& memory) {
    for (std::size_t i = 0; i != blocks; ++i) {
        static_cast<void>(memory.allocate(64, 8));
    }
    memory.rewind();
}

TEST_F(system_calls, are_not_made_by_a_pool_on_its_reserve) {
    mallard::pages source;
    pool memory(source);
    EXPECT_EQ(run_without_system_calls([&] { churn(memory); }), killed);
    memory.reserve(64, 8, blocks);
    EXPECT_EQ(run_without_system_calls([&] { churn(memory); }), process::ending::by_itself_with(0));
}

TEST_F(system_calls, are_not_made_by_an_arena_on_its_reserve) {
    mallard::pages source;
    arena memory(source);
    EXPECT_EQ(run_without_system_calls([&] { fill(memory); }), killed);
    memory.reserve(64 * blocks);
    EXPECT_EQ(run_without_system_calls([&] { fill(memory); }), process::ending::by_itself_with(0));
}

} // namespace

#endif
