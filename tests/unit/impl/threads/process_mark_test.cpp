#include <mallard/impl/threads/process_mark.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <thread>

#ifdef __linux__

namespace {

bool kernel_wipes_no_pages = false;
bool kernel_ignores_advice = false;

} // namespace

/// Takes the place of the C library's in this program.
extern "C" int madvise(void* p, size_t bytes, int advice) noexcept {
    if (kernel_ignores_advice) {
        return 0;
    }
    if (kernel_wipes_no_pages && advice == MADV_WIPEONFORK) {
        errno = EINVAL;
        return -1;
    }
    return static_cast<int>(syscall(SYS_madvise, p, bytes, advice));
}

namespace {

using mallard::threads::process_mark;

pid_t fork_without_handlers() {
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/// Returns: the exit status of a child that calls `work()`; -1 if a signal ended it.
template <class Fork, class Work>
int status_of_child(Fork make_child, Work work) {
    const pid_t child = make_child();
    if (child == 0) {
        alarm(120);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class process_marks : public ::testing::TestWithParam<int> {
protected:
    process_marks() {
        kernel_wipes_no_pages = GetParam() == 1;
        kernel_ignores_advice = GetParam() == 2;
        static_cast<void>(mark_.current());
    }
    ~process_marks() override {
        kernel_wipes_no_pages = false;
        kernel_ignores_advice = false;
    }

    process_mark mark_;
};

TEST_P(process_marks, are_one_for_all_threads) {
    const process_mark::entry current = mark_.current();
    EXPECT_EQ(current.process, getpid());
    EXPECT_NE(current.generation, 0U);
    EXPECT_EQ(mark_.current().generation, current.generation);
    std::thread([&] { EXPECT_EQ(mark_.current().generation, current.generation); }).join();
}

TEST_P(process_marks, differ_in_a_child_without_handlers) {
    const process_mark::entry parent = mark_.current();
    EXPECT_EQ(status_of_child(fork_without_handlers,
                              [&] {
                                  const process_mark::entry child = mark_.current();
                                  const bool differ = child.generation != parent.generation &&
                                                      child.generation == mark_.current().generation &&
                                                      child.process == getpid();
                                  return differ ? status_of_child(fork_without_handlers,
                                                                  [&] {
                                                                      return mark_.current().generation ==
                                                                                     child.generation
                                                                                 ? 1
                                                                                 : 0;
                                                                  })
                                                : 2;
                              }),
              0);
    EXPECT_EQ(mark_.current().generation, parent.generation);
}

TEST_P(process_marks, change_in_forked_child) {
    const process_mark::entry parent = mark_.current();
    EXPECT_EQ(status_of_child([] { return fork(); },
                              [&] {
                                  mark_.begin_in_child();
                                  return mark_.current().generation == parent.generation ? 1 : 0;
                              }),
              0);
}

TEST_P(process_marks, count_no_threads_of_the_parent) {
    mallard::threads::threads_inside inside;
    EXPECT_FALSE(inside.any());
    inside.enter();
    EXPECT_TRUE(inside.any());
    EXPECT_EQ(status_of_child(fork_without_handlers,
                              [&] {
                                  const bool was_inside = inside.any();
                                  inside.enter();
                                  const bool within = inside.any();
                                  inside.leave();
                                  return !was_inside && within && !inside.any() ? 0 : 1;
                              }),
              0);
    inside.leave();
    EXPECT_FALSE(inside.any());
}

INSTANTIATE_TEST_SUITE_P(kernels, process_marks, ::testing::Values(0, 1, 2));

TEST(process_marks, stay_equal_in_vfork_child) {
    process_mark mark;
    const std::uint32_t parent = mark.current().generation;
    volatile std::uint32_t child_generation = 0;
    const pid_t child = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork): it is the subject
    if (child == 0) {
        child_generation = mark.current().generation; // NOLINT(clang-analyzer-unix.Vfork)
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(child_generation, parent);
}

} // namespace

#endif
