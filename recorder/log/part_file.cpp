#include "recorder/log/part_file.hpp"

#include "recorder/system/system_text.hpp"
#include "recorder/system/time_stamp.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>

namespace mallard::recorder {

namespace {

// 64 GiB of addresses at first. Limits of the system or of the process may leave less.
constexpr std::uint32_t most_chunks = 1U << 18;
constexpr std::uint32_t fewest_chunks = 16;
constexpr int most_names = 1000;
// Used chunks that are looked at for a free one before a fresh one is taken. If the compressor is far behind, few are free.
constexpr std::uint32_t most_looks = 32;

constexpr std::size_t file_bytes(std::uint32_t chunks) noexcept {
    return trace::header_bytes + std::size_t{chunks} * trace::chunk_bytes;
}

/// Returns: the bytes that a file of the process may have. More of them would end the process with SIGXFSZ.
std::uint64_t most_file_bytes() noexcept {
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

} // namespace

bool part_file::open(const char* folder, trace::stack_source stacks) noexcept {
    // A process that executes another program keeps its number, so the name has a count too.
    for (int each = 0; each < most_names; ++each) {
        path_text path;
        path.add(folder).add("/").add(static_cast<std::uint64_t>(::getpid())).add(".");
        path.add(static_cast<std::uint64_t>(each)).add(".part");
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
        return true;
    }
    return false;
}

bool part_file::map(int file) noexcept {
    const std::uint64_t most_bytes = most_file_bytes();
    for (std::uint32_t chunks = most_chunks; chunks >= fewest_chunks; chunks /= 4) {
        const std::size_t bytes = file_bytes(chunks);
        if (bytes > most_bytes) {
            continue;
        }
        if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
            continue;
        }
        void* const memory =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (memory == MAP_FAILED) {
            continue;
        }
        if (::madvise(memory, trace::header_bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
            ::munmap(memory, bytes);
            return false;
        }
        memory_ = static_cast<std::byte*>(memory);
        mapped_bytes_ = bytes;
        header_ = new (memory_) trace::part_header;
        header_->chunks = chunks;
        header_->process = static_cast<std::uint32_t>(::getpid());
        header_->parent = static_cast<std::uint32_t>(::getppid());
        // It stays empty if /proc is not there. The last byte stays zero.
        static_cast<void>(
            !::readlink("/proc/self/exe", header_->executable.data(), header_->executable.size() - 1));
        header_->first_time = time_stamp();
        header_->first_nanoseconds = nanoseconds();
        header_->first_cpu_time = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        return true;
    }
    return false;
}

trace::part_header* part_file::leave() noexcept {
    if (memory_ != nullptr) {
        ::munmap(memory_ + trace::header_bytes, mapped_bytes_ - trace::header_bytes);
    }
    memory_ = nullptr;
    return std::exchange(header_, nullptr);
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

void part_file::note_time() noexcept {
    header_->last_time.store(time_stamp(), std::memory_order_relaxed);
    header_->last_nanoseconds.store(nanoseconds(), std::memory_order_relaxed);
    header_->last_cpu_time.store(nanoseconds(CLOCK_PROCESS_CPUTIME_ID), std::memory_order_relaxed);
}

trace::chunk_header* part_file::take_chunk() noexcept {
    if (stopping()) {
        return nullptr;
    }
    note_time();
    // The lowest free chunk is the one whose pages are present and in the caches, because it was used last or often.
    const std::uint32_t used = header_->used_chunks.load(std::memory_order_acquire);
    for (std::uint32_t each = 0; each < used && each < most_looks; ++each) {
        if (auto* const chunk = claim(each)) {
            return chunk;
        }
    }
    const std::uint32_t first = next_free_.fetch_add(most_looks, std::memory_order_relaxed);
    for (std::uint32_t each = 0; used > most_looks && each < most_looks; ++each) {
        if (auto* const chunk = claim((first + each) % used)) {
            return chunk;
        }
    }
    while (!stopping()) {
        const std::uint32_t fresh = header_->used_chunks.load(std::memory_order_acquire);
        if (fresh >= header_->chunks) {
            stop(trace::stop_reason::file_full);
            break;
        }
        if (!populate(trace::chunk_at(memory_, fresh), sizeof(trace::chunk_header) + 1)) {
            break;
        }
        trace::chunk_header* const chunk = claim(fresh);
        // It counts as used once its first page is there, so that nobody reads a page that the disk has no room for.
        std::uint32_t seen = fresh;
        header_->used_chunks.compare_exchange_strong(seen, fresh + 1);
        if (chunk != nullptr) {
            return chunk;
        }
    }
    return nullptr;
}

/// Returns: the chunk if it was free, and is the caller's now; else null. A chunk that was never used is free.
/// Requires: its first page is there.
trace::chunk_header* part_file::claim(std::uint32_t which) noexcept {
    std::byte* const memory = trace::chunk_at(memory_, which);
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

// Writing to a page of a file for which the disk has no space would end the program with SIGBUS. The kernel is asked for
// the pages first, and says so instead: EFAULT stands for that signal. An old kernel does not know the question; then the pages come at the first write.
bool part_file::populate(std::byte* begin, std::size_t bytes) noexcept {
    if (stopping()) {
        return false;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(begin) / 4096 * 4096;
    const auto last = reinterpret_cast<std::uintptr_t>(begin) + bytes;
    const int before = errno;
    const bool there =
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
    if (!there) {
        stop(errno == EFAULT ? trace::stop_reason::disk_full : trace::stop_reason::no_memory);
    }
    errno = before;
    return there;
}

void part_file::stop(trace::stop_reason why) noexcept {
    auto expected = trace::stop_reason::none;
    if (header_ != nullptr) {
        header_->stopped.compare_exchange_strong(expected, why);
    }
}

} // namespace mallard::recorder
