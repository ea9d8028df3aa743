#include "trial/trial.hpp"

#include "recorder/interpose/next_functions.hpp"
#include "recorder/system/thread.hpp"
#include "recorder/system/time_stamp.hpp"
#include "recorder/system/wiped_memory.hpp"
#include "trial/serve/region.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace mallard::trial {

namespace {

class random_numbers {
public:
    std::uint32_t below(std::uint32_t limit) noexcept {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state_ >> 33) * limit >> 31);
    }

private:
    std::uint64_t state_ = 1;
};

/// Effects: allocates `blocks` blocks of 16 to 512 bytes, and frees three quarters of them in random order.
void litter_heap(std::uint32_t blocks) noexcept {
    const std::size_t bytes = std::size_t{blocks} * sizeof(void*);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    auto** const pointers = static_cast<void**>(memory);
    random_numbers random;
    for (std::uint32_t index = 0; index < blocks; ++index) {
        pointers[index] = recorder::next().malloc(16 + random.below(497));
    }
    for (std::uint32_t count = blocks; count > 1; --count) {
        std::swap(pointers[count - 1], pointers[random.below(count)]);
    }
    for (std::uint32_t index = 0; index < blocks / 4 * 3; ++index) {
        recorder::next().free(pointers[index]);
    }
    ::munmap(memory, bytes);
}

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

void store_malloc_file(std::array<char, 88>& file) noexcept {
    Dl_info library{};
    if (::dladdr(reinterpret_cast<void*>(recorder::next().malloc), &library) != 0 &&
        library.dli_fname != nullptr) {
        const std::size_t length = std::strlen(library.dli_fname);
        const std::size_t stored = std::min(length, file.size() - 1);
        std::memcpy(file.data(), library.dli_fname + (length - stored), stored);
    }
}

/// Returns: iterations of an empty loop that take `nanoseconds`, by the fastest of ten calibrations.
std::uint64_t calibrate_delay(std::uint32_t nanoseconds) noexcept {
    constexpr std::uint64_t iterations = 100'000;
    std::uint64_t fastest = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 10; ++attempt) {
        const std::uint64_t start = recorder::nanoseconds();
        for (std::uint64_t remaining = iterations; remaining != 0; --remaining) {
            asm volatile("" : "+r"(remaining));
        }
        const std::uint64_t elapsed = recorder::nanoseconds() - start;
        fastest = elapsed < fastest ? elapsed : fastest;
    }
    return nanoseconds * iterations / (fastest + 1);
}

} // namespace

constinit trial the_trial;

/// Concurrent requests, of this thread or others, are served by the global allocator.
bool trial::begin() noexcept {
    auto expected = state::not_begun;
    if (!state_.compare_exchange_strong(expected, state::beginning)) {
        return false;
    }
    const int saved_errno = errno;
    const recorder::uncancelled until_the_end;
    const bool works = start();
    state_.store(works ? state::on : state::off, std::memory_order_release);
    errno = saved_errno;
    return works;
}

bool trial::start() noexcept {
    settings = setting::read();
    if (settings.served_by == nullptr) {
        return false;
    }
    auto* const flag =
        static_cast<volatile std::uint32_t*>(recorder::memory_wiped_at_fork(sizeof(std::uint32_t)));
    results = map_report(settings.report.data());
    if (flag == nullptr || results == nullptr || !the_region.open(settings.most_taken)) {
        return false;
    }
    store_malloc_file(results->malloc_file);
    *flag = 1;
    in_original_process_ = flag;
    results->ranges = static_cast<std::uint32_t>(settings.code.count);
    code.begin(settings.code, results->seen);
    except.begin(settings.except, results->seen_excepted);
    unloaded.begin();
    const std::uint64_t cpu_before = recorder::nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
                        wall_before = recorder::nanoseconds();
    if (settings.delay_ns > 0) {
        delay_iterations = calibrate_delay(settings.delay_ns);
    }
    if (settings.litter > 0) {
        litter_heap(settings.litter);
    }
    results->begin_cpu_ns = recorder::nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    results->begin_wall_ns = recorder::nanoseconds() - wall_before;
    return true;
}

} // namespace mallard::trial
