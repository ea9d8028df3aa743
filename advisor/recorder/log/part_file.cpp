#include "recorder/log/part_file.hpp"

#include "recorder/arch/arch.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/system_text.hpp"
#include "recorder/system/time_stamp.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace mallard::recorder {

namespace {

constexpr std::uint32_t fewest_chunks = 16;
constexpr int most_names = 1000;
// Used chunks to probe for a free one before a fresh one is taken. If the compressor lags far behind, few are free.
constexpr std::uint32_t most_looks = 32;
// A few seconds, for a collector that must be scheduled first.
constexpr unsigned most_waits = 20'000;
constexpr unsigned pauses_in_wait = 2048;
// 16 MiB for a process that may not request more.
constexpr std::uint32_t chunks_in_sandbox = 64;

constexpr std::size_t file_bytes(std::uint32_t chunks) noexcept {
    return trace::header_bytes + std::size_t{chunks} * trace::chunk_bytes;
}

/// Returns: the largest file size of the process. Exceeding it would end the process with SIGXFSZ.
std::uint64_t most_file_bytes() noexcept {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// Returns: the number of the process's namespace of process IDs; 0 if /proc is not mounted.
std::uint64_t pid_namespace() noexcept {
    std::array<char, 64> link{}; // pid:[4026531836]
    static_cast<void>(!::readlink("/proc/self/ns/pid", link.data(), link.size() - 1));
    std::uint64_t number = 0;
    for (const char letter : link) {
        if (letter >= '0' && letter <= '9') {
            number = number * 10 + static_cast<std::uint64_t>(letter - '0');
        }
    }
    return number;
}

/// Returns: the size of a page: 4 KiB, or on other processors than x86-64 up to 64 KiB.
std::size_t page_bytes() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Effects: populates the pages of [begin, begin + bytes). A write to a file page for which the disk has no space would end the
/// program with SIGBUS; madvise fails with EFAULT instead. An old kernel lacks MADV_POPULATE_WRITE; then the pages are
/// allocated at the first write.
/// Returns: false if they are not available; errno has the reason.
bool get_pages(std::byte* begin, std::size_t bytes) noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(begin) / page_bytes() * page_bytes();
    const auto last = reinterpret_cast<std::uintptr_t>(begin) + bytes;
    return ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE) == 0 ||
           errno == EINVAL;
}

/// Effects: yields the processor. Not a cancellation point, and no system call in a sandbox.
void wait_a_moment() noexcept {
    for (unsigned pauses = 0; pauses < pauses_in_wait; ++pauses) {
        arch::pause();
    }
    if (!in_sandbox()) {
        ::sched_yield();
    }
}

/// Effects: replaces the mapping by private memory, which has no pages yet.
/// Returns: false on failure.
bool map_memory(std::byte* begin, std::size_t bytes) noexcept {
    return ::mmap(begin, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/// Restores errno, which malloc must not change on success.
class errno_guard {
public:
    errno_guard() noexcept : saved_(errno) {}
    errno_guard(const errno_guard&) = delete;
    errno_guard& operator=(const errno_guard&) = delete;
    ~errno_guard() { errno = saved_; }

private:
    int saved_;
};

} // namespace

bool part_file::open(const char* folder, trace::stack_source stacks) noexcept {
    // A process that executes another program keeps its process ID, so the name also has a count.
    const std::uint64_t space = pid_namespace();
    for (int index = 0; index < most_names; ++index) {
        path_text& path = path_;
        path.clear().add(folder).add("/").add(static_cast<std::uint64_t>(::getpid())).add(".");
        path.add(static_cast<std::uint64_t>(index)).add(".").add(space).add(".part");
        const int file =
            path.complete() ? ::open(path.text(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
        if (file < 0 && errno == EEXIST) {
            continue;
        }
        if (file < 0) {
            return false;
        }
        const bool mapped = map(file);
        ::close(file);
        if (!mapped) {
            ::unlink(path.text());
            return false;
        }
        header_->stacks = stacks;
        path.clear().add(folder).add("/").add(trace::idle_file);
        if (path.complete() && ::faccessat(AT_FDCWD, path.text(), F_OK, AT_EACCESS) == 0) {
            header_->idle.store(1, std::memory_order_release);
        }
        return true;
    }
    return false;
}

bool part_file::map(int file) noexcept {
    const std::uint64_t most_bytes = most_file_bytes();
    std::uint32_t chunks = most_chunks;
    while (file_bytes(chunks) > most_bytes ||
           ::ftruncate(file, static_cast<off_t>(file_bytes(chunks))) != 0) {
        chunks /= 4;
        if (chunks < fewest_chunks) {
            return false;
        }
    }
    // Those of an earlier recording of the process stay mapped, because threads may be in them, and are used again.
    const int place = header_ == nullptr ? 0 : MAP_FIXED;
    void* const memory = ::mmap(header_, trace::header_bytes + window_bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_NORESERVE | place, file, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    auto* const begin = static_cast<std::byte*>(memory);
    next_free_.store(0, std::memory_order_relaxed);
    taken_.store(0, std::memory_order_relaxed);
    if (!get_pages(begin, trace::header_bytes)) {
        if (place == 0) {
            ::munmap(memory, trace::header_bytes + window_bytes);
        } else {
            map_memory(begin, trace::header_bytes + window_bytes);
        }
        return false;
    }
    windows_[0].store(begin + trace::header_bytes, std::memory_order_release);
    mapped_windows_.store(1, std::memory_order_release);
    header_ = new (begin) trace::part_header;
    header_->chunks = chunks;
    header_->process = static_cast<std::uint32_t>(::getpid());
    header_->parent = static_cast<std::uint32_t>(::getppid());
    // Empty if /proc is not mounted. The last byte stays zero.
    static_cast<void>(
        !::readlink("/proc/self/exe", header_->executable.data(), header_->executable.size() - 1));
    header_->first_time = time_stamp();
    header_->first_nanoseconds = nanoseconds();
    header_->first_cpu_time = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    return true;
}

/// Effects: maps a window, after all preceding ones. A shared mapping can be mapped again without its file descriptor: from its
/// last page on. A window behind a header of less than a page shares that page with the preceding window.
/// Returns: false if no addresses are available.
bool part_file::map_window(std::uint32_t window_index) noexcept {
    if (window_index < mapped_windows_.load(std::memory_order_acquire)) {
        return true;
    }
    if (in_sandbox()) {
        return false;
    }
    const std::size_t shared = trace::header_bytes % page_bytes();
    const std::size_t before = shared == 0 ? page_bytes() : shared;
    std::byte* const last_page =
        windows_[window_index - 1].load(std::memory_order_acquire) + window_bytes - before;
    void* const memory = ::mremap(last_page, 0, before + window_bytes, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) {
        return false;
    }
    std::byte* const window = static_cast<std::byte*>(memory) + before;
    if (shared == 0) {
        ::munmap(memory, before);
    }
    std::byte* former = nullptr;
    if (!windows_[window_index].compare_exchange_strong(former, window)) {
        // That of an earlier recording, or of another thread, with the same contents.
        const std::size_t bytes = shared + window_bytes;
        if (::mremap(window - shared, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, former - shared) ==
            MAP_FAILED) {
            ::munmap(window - shared, bytes);
            return false;
        }
    }
    mapped_windows_.compare_exchange_strong(window_index, window_index + 1);
    return true;
}

trace::part_header* part_file::leave() noexcept {
    // The first window may share a page with the header.
    const std::size_t kept = (page_bytes() - trace::header_bytes % page_bytes()) % page_bytes();
    for (auto& window : windows_) {
        std::byte* const memory = window.exchange(nullptr);
        if (memory == nullptr) {
            break;
        }
        ::munmap(memory + kept, window_bytes - kept);
    }
    mapped_windows_.store(0, std::memory_order_release);
    return std::exchange(header_, nullptr);
}

void part_file::detach() noexcept {
    void* const copy =
        ::mmap(nullptr, trace::header_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) {
        return;
    }
    // Atomics have no copies. A thread that is late sees the values of now, or adds to the old ones.
    std::memcpy(copy, static_cast<const void*>(header_), trace::header_bytes);
    if (::mremap(copy, trace::header_bytes, trace::header_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, header_) ==
        MAP_FAILED) {
        ::munmap(copy, trace::header_bytes);
    }
    for (auto& window : windows_) {
        std::byte* const memory = window.load(std::memory_order_acquire);
        if (memory == nullptr) {
            break;
        }
        if (!map_memory(memory, window_bytes)) {
            break; // the rest stays mapped to the part
        }
    }
}

void part_file::leave_header(trace::part_header* header) noexcept {
    if (header != nullptr) {
        ::munmap(header, trace::header_bytes);
    }
}

bool part_file::is_of_this_process() const noexcept {
    return header_->process == static_cast<std::uint32_t>(::getpid());
}

bool part_file::stopping() const noexcept {
    return header_ == nullptr || header_->stop.load(std::memory_order_relaxed) != 0 ||
           header_->stopped.load(std::memory_order_relaxed) != trace::stop_reason::none;
}

// In a sandbox the collector takes the time itself, and CPU time remains that of the last call outside.
void part_file::note_time() noexcept {
    header_->last_time.store(time_stamp(), std::memory_order_relaxed);
    header_->last_nanoseconds.store(in_sandbox() ? 0 : nanoseconds(), std::memory_order_relaxed);
    if (!in_sandbox()) {
        header_->last_cpu_time.store(nanoseconds(CLOCK_PROCESS_CPUTIME_ID), std::memory_order_relaxed);
    }
}

trace::chunk_header* part_file::take_chunk() noexcept {
    if (stopping()) {
        return nullptr;
    }
    const errno_guard errno_of_program;
    note_time();
    trace::chunk_header* chunk = take_used_chunk();
    if (chunk == nullptr) {
        chunk = take_fresh_chunk();
    }
    for (unsigned waits = 0; chunk == nullptr && waits < most_waits && !stopping(); ++waits) {
        wait_a_moment();
        chunk = take_used_chunk();
    }
    if (chunk == nullptr) {
        stop(trace::stop_reason::file_full);
    }
    return chunk;
}

/// Returns: a chunk that the collector has released; null if there is none.
trace::chunk_header* part_file::take_used_chunk() noexcept {
    // The lowest free chunks have resident, cached pages, because they were used last or often.
    const std::uint32_t used = header_->used_chunks.load(std::memory_order_acquire);
    for (std::uint32_t index = 0; index < used && index < most_looks; ++index) {
        if (auto* const chunk = claim(index)) {
            return chunk;
        }
    }
    const std::uint32_t first = next_free_.fetch_add(most_looks, std::memory_order_relaxed);
    for (std::uint32_t step = 0; used > most_looks && step < most_looks; ++step) {
        if (auto* const chunk = claim((first + step) % used)) {
            return chunk;
        }
    }
    return nullptr;
}

/// Returns: a chunk that was never used; null if the file, the process or the disk has no room. A full disk stops recording.
trace::chunk_header* part_file::take_fresh_chunk() noexcept {
    while (!stopping()) {
        const std::uint32_t fresh = header_->used_chunks.load(std::memory_order_acquire);
        if (fresh >= header_->chunks || !map_window(fresh / window_chunks) ||
            !populate(chunk_at(fresh), sizeof(trace::chunk_header) + 1)) {
            return nullptr;
        }
        trace::chunk_header* const chunk = claim(fresh);
        add_to_used(fresh);
        if (chunk != nullptr) {
            return chunk;
        }
    }
    return nullptr;
}

/// Effects: counts the chunk as used, after its first page is populated, so that no reader touches a page without disk space.
void part_file::add_to_used(std::uint32_t fresh) noexcept {
    header_->used_chunks.compare_exchange_strong(fresh, fresh + 1);
}

void part_file::prepare_for_sandbox() noexcept {
    const errno_guard errno_of_program;
    for (std::uint32_t index = 0; index < header_->chunks && index < most_chunks && !stopping(); ++index) {
        const bool is_fresh = index >= header_->used_chunks.load(std::memory_order_acquire);
        if (is_fresh && index >= chunks_in_sandbox) {
            break;
        }
        if (!map_window(index / window_chunks) || !get_pages(chunk_at(index), trace::chunk_bytes)) {
            break;
        }
        if (is_fresh) {
            add_to_used(index);
        }
    }
    note_time();
}

/// Returns: the chunk, claimed for the caller if it was free; else null. A chunk that was never used is free.
/// Requires: its first page is populated.
trace::chunk_header* part_file::claim(std::uint32_t index) noexcept {
    std::byte* const memory = chunk_at(index);
    auto* const chunk = reinterpret_cast<trace::chunk_header*>(memory);
    auto expected = trace::chunk_state::free;
    if (chunk->state.load(std::memory_order_acquire) != expected ||
        !chunk->state.compare_exchange_strong(expected, trace::chunk_state::writing)) {
        return nullptr;
    }
    memory[sizeof(trace::chunk_header)] = std::byte{0};
    chunk->number = taken_.fetch_add(1, std::memory_order_relaxed) + 1;
    ++chunk->times_taken;
    return chunk;
}

bool part_file::populate(std::byte* begin, std::size_t bytes) noexcept {
    if (stopping()) {
        return false;
    }
    const errno_guard errno_of_program;
    if (in_sandbox() || get_pages(begin, bytes)) {
        return true;
    }
    stop(errno == EFAULT ? trace::stop_reason::disk_full : trace::stop_reason::no_memory);
    return false;
}

void part_file::stop(trace::stop_reason reason) noexcept {
    auto expected = trace::stop_reason::none;
    if (header_ != nullptr) {
        header_->stopped.compare_exchange_strong(expected, reason);
    }
}

} // namespace mallard::recorder
