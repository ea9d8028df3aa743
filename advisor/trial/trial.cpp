#include "trial/trial.hpp"

#include "recorder/code/code_files.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/system_text.hpp"
#include "recorder/system/thread.hpp"
#include "recorder/system/time_stamp.hpp"
#include "recorder/system/wiped_memory.hpp"
#include "trial/serve/region.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace mallard::trial {

namespace {

report* map_report(const char* path) noexcept {
    const int file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return nullptr;
    }
    void* memory = MAP_FAILED;
    if (::posix_fallocate(file, 0, sizeof(report)) == 0) {
        memory = ::mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    ::close(file);
    return memory == MAP_FAILED ? nullptr : new (memory) report;
}

void store_malloc_file(decltype(report::malloc_file)& file) noexcept {
    Dl_info library{};
    if (::dladdr(reinterpret_cast<void*>(malloc_in_use().allocate), &library) != 0 &&
        library.dli_fname != nullptr) {
        const std::size_t length = std::strlen(library.dli_fname);
        const std::size_t stored = std::min(length, file.size() - 1);
        std::memcpy(file.data(), library.dli_fname + (length - stored), stored);
    }
}

/// Returns: the path of the executable; empty if it cannot be read.
std::array<char, 4096> executable_path() noexcept {
    std::array<char, 4096> path{};
    if (::readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) {
        path[0] = 0;
    }
    return path;
}

bool is_executable(const char* name) noexcept {
    const std::array<char, 4096> path = executable_path();
    const char* const slash = std::strrchr(path.data(), '/');
    return slash != nullptr && std::strcmp(slash + 1, name) == 0;
}

/// Returns: true if the executable has this path, or a build-id of these hexadecimal digits.
bool is_recorded(const char* identity) noexcept {
    if (*identity == '/') {
        return std::strcmp(executable_path().data(), identity) == 0;
    }
    recorder::unwind::code_object executable;
    if (!recorder::unwind::object_at(reinterpret_cast<std::uint64_t>(_r_debug.r_map->l_ld), executable)) {
        return false;
    }
    const auto file = recorder::file_identity::read(executable);
    const char* digit = identity;
    for (std::size_t index = 0; index < file.build_id_bytes; ++index) {
        constexpr const char* digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned>(file.build_id[index]);
        if (*digit++ != digits[byte >> 4] || *digit++ != digits[byte & 15U]) {
            return false;
        }
    }
    return file.build_id_bytes != 0 && *digit == 0;
}

struct usage {
    std::uint64_t peak_bytes = 0;
    std::uint64_t faults = 0;
};

/// Returns: the memory of the process, without its children.
usage usage_of_process() noexcept {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return {static_cast<std::uint64_t>(used.ru_maxrss) * 1024,
            static_cast<std::uint64_t>(used.ru_minflt) + static_cast<std::uint64_t>(used.ru_majflt)};
}

std::uint64_t to_nanoseconds(const timeval& time) noexcept {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_usec) * 1000U;
}

history::remains age_heap(const setting& settings) noexcept {
    if (settings.recording[0] == 0) {
        return history::age(malloc_in_use(), settings.age);
    }
    history::recording recording;
    if (!recording.open(settings.recording.data())) {
        history::remains none;
        none.failed = history::failure::wrong_recording;
        return none;
    }
    return history::age(malloc_in_use(), settings.age, &recording);
}

[[gnu::destructor]] void end_of_process() noexcept {
    the_trial.note_end();
    the_trial.note_held_memory();
}

} // namespace

constinit trial the_trial;

/// Concurrent requests, of this thread or others, are served by the global allocator.
bool trial::begin(state current) noexcept {
    if (!state_.compare_exchange_strong(current, state::beginning)) {
        return false;
    }
    const int saved_errno = errno;
    const recorder::uncancelled until_the_end;
    const state next = start();
    state_.store(next, std::memory_order_release);
    errno = saved_errno;
    return next == state::on;
}

trial::state trial::start() noexcept {
    if (in_original_process_ == nullptr) {
        settings = setting::read();
        if (!settings.is_requested || settings.is_wrong) {
            return state::off;
        }
        if ((settings.process[0] != 0 && !is_executable(settings.process.data())) ||
            (settings.recorded[0] != 0 && !is_recorded(settings.recorded.data()))) {
            return state::off; // but its environment is that of the process to come
        }
        in_original_process_ =
            static_cast<volatile std::uint32_t*>(recorder::memory_wiped_at_fork(sizeof(std::uint32_t)));
        if (in_original_process_ == nullptr) {
            return state::off;
        }
    }
    *in_original_process_ = 1;
    const state role = claim_process();
    if (role == state::another) {
        return role;
    }
    setting::remove_from_environment();
    if (role == state::off || (role == state::on && !the_region.open(settings.most_taken))) {
        return state::off;
    }
    store_malloc_file(results->malloc_file);
    results->ranges = static_cast<std::uint32_t>(settings.code.count);
    code.begin(settings.code, results->seen);
    except.begin(settings.except, results->seen_excepted);
    scope_tree.begin(settings.rules, results->seen, results->seen_excepted);
    unloaded.begin();
    const std::uint64_t cpu_before = recorder::nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
                        wall_before = recorder::nanoseconds();
    results->history = age_heap(settings);
    start_clock();
    process_number_ = static_cast<std::uint64_t>(::getpid());
    ::at_quick_exit(end_of_process);
    results->begin_cpu_ns = cpu_ns_ - cpu_before;
    results->begin_wall_ns = wall_ns_ - wall_before;
    return role;
}

/// Returns: `on` or `measured` if the trial is of this process, which has the right name; else `another`, or `off` if the report
/// cannot be mapped.
trial::state trial::claim_process() noexcept {
    recorder::path_text path;
    for (std::uint64_t earlier = 1; earlier < settings.instance; ++earlier) {
        path.clear().add(settings.report.data()).add('.').add(earlier);
        const int file = ::open(path.text(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
            ::close(file);
            return state::another;
        }
        if (errno != EEXIST) {
            return state::another;
        }
    }
    results = map_report(settings.report.data());
    if (results != nullptr) {
        return settings.served_by != nullptr ? state::on : state::measured;
    }
    return settings.process[0] != 0 && errno == EEXIST ? state::another : state::off;
}

void trial::start_clock() noexcept {
    cpu_ns_ = recorder::nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    wall_ns_ = recorder::nanoseconds();
    faults_ = usage_of_process().faults;
}

void trial::forget_code() noexcept {
    rules.clear();
    code.clear();
    except.clear();
    scope_tree.clear();
}

bool trial::is_own_process() const noexcept {
    const state current = state_.load(std::memory_order_acquire);
    // The child of a vfork shares this memory.
    return (current == state::on || current == state::measured) && in_original_process() &&
           !recorder::in_sandbox() && process_number_ == static_cast<std::uint64_t>(::getpid());
}

void trial::note_programs(int programs) noexcept {
    if (is_own_process()) {
        results->is_replaced = programs > 0 ? 1 : 0;
    }
}

void trial::answer() noexcept {
    // The figures of a large heap take milliseconds, and dlsym may allocate.
    static constinit std::atomic_flag answering{};
    if (answering.test_and_set()) {
        return;
    }
    const int saved_errno = errno;
    const std::uint16_t question = results->asked.load(std::memory_order_acquire);
    results->answer = history::count_free_chunks(malloc_in_use());
    results->answered.store(question, std::memory_order_release);
    errno = saved_errno;
    answering.clear();
}

void trial::note_end() noexcept {
    if (!is_own_process()) {
        return;
    }
    const int saved_errno = errno;
    rusage children{};
    ::getrusage(RUSAGE_CHILDREN, &children);
    results->children_cpu_ns = to_nanoseconds(children.ru_utime) + to_nanoseconds(children.ru_stime);
    results->is_replaced = 0;
    const usage used = usage_of_process();
    results->peak_bytes = used.peak_bytes;
    results->faults = used.faults - faults_;
    results->wall_ns = recorder::nanoseconds() - wall_ns_;
    results->cpu_ns = recorder::nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns_;
    const recorder::uncancelled until_the_end;
    results->resident = history::read_resident_memory();
    errno = saved_errno;
}

void trial::note_held_memory() noexcept {
    if (settings.reports_held && is_own_process()) {
        const int saved_errno = errno;
        const recorder::uncancelled until_the_end;
        results->held = history::count_held_memory(malloc_in_use());
        errno = saved_errno;
    }
}

} // namespace mallard::trial
