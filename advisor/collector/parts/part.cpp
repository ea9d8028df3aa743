#include "collector/parts/part.hpp"

#include "collector/system_file.hpp"
#include "recorder/arch/arch.hpp"
#include "recorder/system/time_stamp.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace mallard::collector {

namespace {

// The first chunks keep their memory, because the process soon fills them again. That of the others is returned to the disk.
constexpr std::uint32_t chunks_with_memory = 128;

constexpr off_t chunk_offset(std::uint32_t chunk) noexcept {
    return static_cast<off_t>(trace::header_bytes + std::size_t{chunk} * trace::chunk_bytes);
}

bool read_head(int file, std::uint32_t index, trace::chunk_header& head) noexcept {
    std::array<std::byte, sizeof head> bytes{};
    if (::pread(file, bytes.data(), bytes.size(), chunk_offset(index)) != ssize_t{sizeof head}) {
        return false;
    }
    std::memcpy(static_cast<void*>(&head), bytes.data(), sizeof head);
    return true;
}

} // namespace

part::part(std::filesystem::path file)
    : path_(std::move(file)), kept_path_(std::filesystem::path(path_).replace_extension("kept")),
      file_(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)),
      kept_(::open(kept_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)),
      bytes_(trace::chunk_bytes) {}

part::~part() {
    if (header_ != nullptr) {
        ::munmap(header_, trace::header_bytes);
    }
    if (file_ >= 0) {
        ::close(file_);
    }
    if (kept_ >= 0) {
        ::close(kept_);
    }
}

void part::remove() noexcept {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(kept_path_, ignored);
}

// The process creates the file, sets its size and then fills the header. The collector may see any state in between.
bool part::has_header() noexcept {
    struct ::stat info{};
    if (header_ == nullptr && file_ >= 0 && ::fstat(file_, &info) == 0 &&
        info.st_size >= static_cast<off_t>(trace::header_bytes)) {
        void* const memory =
            ::mmap(nullptr, trace::header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        // On a full disk the process may not get the page, and an access ends the collector with SIGBUS. madvise fails
        // instead; an old kernel does not know this advice.
        if (memory != MAP_FAILED && ::madvise(memory, trace::header_bytes, MADV_POPULATE_WRITE) != 0 &&
            errno != EINVAL) {
            ::munmap(memory, trace::header_bytes);
        } else if (memory != MAP_FAILED) {
            header_ = static_cast<trace::part_header*>(memory);
        }
    }
    return header_ != nullptr && header_->magic == trace::part_magic;
}

bool part::is_ready() noexcept {
    return has_header() && header_->used_chunks.load(std::memory_order_acquire) != 0;
}

std::vector<part::chunk> part::list_chunks() const {
    std::vector<chunk> chunks;
    const std::uint32_t used = header_->used_chunks.load(std::memory_order_acquire);
    for (std::uint32_t index = 0; index < used; ++index) {
        trace::chunk_header head;
        if (held_.contains(index)) {
            continue;
        }
        if (!read_head(file_, index, head)) {
            break; // the file was truncated
        }
        chunks.push_back({head.number, index, head.state.load(std::memory_order_acquire)});
    }
    return chunks;
}

std::vector<part::chunk> part::list_copies() const {
    std::vector<chunk> copies;
    trace::chunk_header head;
    for (std::uint32_t index = copies_; kept_ >= 0 && read_head(kept_, index, head); ++index) {
        if (head.state.load(std::memory_order_relaxed) == trace::chunk_state::full) {
            copies.push_back({head.number, index, trace::chunk_state::full, true});
        }
    }
    return copies;
}

// A thread may fill a chunk behind the position of the first pass, and then another one in front of it. The second pass sees
// all chunks older than the newest full one of the first pass, so none is delivered out of order.
unsigned part::take_full(const taker& take) {
    const auto is_full = [](const chunk& candidate) { return candidate.state == trace::chunk_state::full; };
    std::uint64_t newest = 0;
    bool any = false;
    for (const chunk& candidate : list_chunks()) {
        if (is_full(candidate)) {
            newest = std::max(newest, candidate.number);
        }
        any = any || is_full(candidate);
    }
    if (!any) {
        return 0;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::vector<chunk> ready = list_chunks();
    std::erase_if(ready,
                  [&](const chunk& candidate) { return !is_full(candidate) || candidate.number > newest; });
    std::ranges::sort(ready, {}, &chunk::number);
    // All are copied before the first one is compressed, because the process needs them. If the disk is full, the process has
    // stopped recording, and copies would take the space of the trace.
    const bool may_copy = header_->stopped.load() != trace::stop_reason::disk_full;
    for (chunk& chunk_ready : ready) {
        if (may_copy && copy(chunk_ready)) {
            release(chunk_ready.index, chunk_memory::keep_some);
            chunk_ready.index = copies_++;
            chunk_ready.is_copy = true;
        } else {
            held_.insert(chunk_ready.index);
        }
    }
    return deliver(ready, take);
}

void part::take_all(const taker& take) {
    std::vector<chunk> remaining = list_chunks();
    std::erase_if(remaining,
                  [](const chunk& candidate) { return candidate.state == trace::chunk_state::free; });
    std::ranges::copy(list_copies(), std::back_inserter(remaining));
    // A collector that is killed between the copy and the release of a chunk leaves it twice.
    std::ranges::stable_sort(remaining, {}, &chunk::number);
    const auto duplicates = std::ranges::unique(remaining, {}, &chunk::number);
    remaining.erase(duplicates.begin(), duplicates.end());
    for (const chunk& candidate : remaining) {
        if (!candidate.is_copy) {
            held_.insert(candidate.index);
        }
    }
    deliver(remaining, take);
}

void part::freeze() {
    for (const chunk& candidate : list_chunks()) {
        if (candidate.state == trace::chunk_state::writing) {
            std::vector<std::byte> records(trace::record_bytes);
            const ssize_t bytes =
                ::pread(file_, records.data(), records.size(),
                        chunk_offset(candidate.index) + static_cast<off_t>(sizeof(trace::chunk_header)));
            records.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
            frozen_[candidate.index] = std::move(records);
        }
    }
}

/// Returns: false, without a lasting effect, if the disk is full.
bool part::copy(chunk& source) noexcept {
    const ssize_t bytes = ::pread(file_, bytes_.data(), bytes_.size(), chunk_offset(source.index));
    const off_t to = chunk_offset(copies_);
    // The first page has the state of the copy, so it is written last.
    constexpr auto page = static_cast<ssize_t>(trace::header_bytes);
    if (kept_ >= 0 && bytes > page &&
        ::pwrite(kept_, bytes_.data() + page, static_cast<std::size_t>(bytes - page), to + page) ==
            bytes - page &&
        ::pwrite(kept_, bytes_.data(), trace::header_bytes, to) == page) {
        return true;
    }
    release_copy(copies_);
    return false;
}

unsigned part::deliver(const std::vector<chunk>& chunks, const taker& take) {
    unsigned count = 0;
    for (const chunk& chunk_ready : chunks) {
        const auto frozen = frozen_.find(chunk_ready.index);
        if (!chunk_ready.is_copy && frozen != frozen_.end()) {
            take(frozen->second);
            ++count;
            continue;
        }
        const off_t begin = chunk_offset(chunk_ready.index) + static_cast<off_t>(sizeof(trace::chunk_header));
        const ssize_t bytes =
            ::pread(chunk_ready.is_copy ? kept_ : file_, bytes_.data(), trace::record_bytes, begin);
        delivered_ += chunk_ready.is_copy ? 1 : 0;
        if (bytes > 0) {
            take(std::span(bytes_).first(static_cast<std::size_t>(bytes)));
            ++count;
        }
    }
    return count;
}

void part::release(chunk_memory memory) noexcept {
    for (const std::uint32_t index : held_) {
        // A thread may still write to a frozen chunk, and would be killed if its page were gone and the disk full.
        if (!frozen_.contains(index)) {
            release(index, memory);
        }
    }
    held_.clear();
    drop_copies(memory);
}

// Single bytes, because the process may read at any time.
void part::release(std::uint32_t index, chunk_memory memory) noexcept {
    static_assert(static_cast<std::uint32_t>(trace::chunk_state::free) == 0);
    const std::byte zero{0};
    const off_t begin = chunk_offset(index);
    (void)!::pwrite(file_, &zero, 1, begin + static_cast<off_t>(sizeof(trace::chunk_header)));
    if (memory == chunk_memory::keep_none || index >= chunks_with_memory) {
        (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                          begin + static_cast<off_t>(trace::header_bytes),
                          static_cast<off_t>(trace::chunk_bytes - trace::header_bytes));
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    (void)!::pwrite(file_, &zero, 1, begin);
}

void part::release_copy(std::uint32_t index) noexcept {
    (void)::fallocate(kept_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, chunk_offset(index),
                      static_cast<off_t>(trace::chunk_bytes));
}

/// Copies that are not delivered yet are kept: the disk may become full in between.
void part::drop_copies(chunk_memory memory) noexcept {
    const std::byte zero{0};
    for (std::uint32_t index = 0; index < delivered_; ++index) {
        (void)!::pwrite(kept_, &zero, 1, chunk_offset(index));
        if (memory == chunk_memory::keep_none || index >= chunks_with_memory) {
            release_copy(index);
        }
    }
    if (delivered_ == copies_) {
        delivered_ = copies_ = 0;
    }
}

void part::begin() noexcept {
    if (header_->idle.load() == 0) {
        return;
    }
    const clock_pair now = clock_pair::read();
    header_->first_time = now.ticks;
    header_->first_nanoseconds = now.nanoseconds;
    header_->first_cpu_time = process_cpu_time(static_cast<pid_t>(header_->process));
    header_->idle.store(0, std::memory_order_release);
}

void part::stop(trace::stop_reason reason) noexcept {
    auto expected = trace::stop_reason::none;
    header_->stopped.compare_exchange_strong(expected, reason);
    header_->stop.store(1);
}

namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t long_span = second / 4;
constexpr std::uint64_t shortest_span = second / 100;

double frequency(clock_pair begin, clock_pair end) noexcept {
    const auto seconds =
        static_cast<double>(end.nanoseconds - begin.nanoseconds) / static_cast<double>(second);
    return static_cast<double>(end.ticks - begin.ticks) / seconds;
}

} // namespace

trace::process running_process(std::uint32_t number) {
    trace::process process;
    process.number = number;
    const std::filesystem::path folder = "/proc/" + std::to_string(number);
    std::error_code error;
    process.executable = std::filesystem::read_symlink(folder / "exe", error).string();
    const std::string words = text_of_system_file(folder / "cmdline");
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find('\0', begin), words.size());
        process.command.push_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return process;
}

std::optional<trace::memory_sample> sample_memory(std::uint32_t number) {
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    std::uint64_t of_files = 0; // and shared memory
    const std::string text = text_of_system_file("/proc/" + std::to_string(number) + "/statm");
    if (!(std::istringstream(text) >> total >> resident >> of_files) || resident == 0) {
        return std::nullopt; // a process that ends has no memory left
    }
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return trace::memory_sample{recorder::arch::time_stamp(), resident * page, of_files * page};
}

std::uint64_t process_cpu_time(pid_t process) noexcept {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) {
        return 0;
    }
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

std::uint64_t cpu_time(const trace::part_header& header, std::uint64_t until) noexcept {
    return until > header.first_cpu_time ? until - header.first_cpu_time : 0;
}

void add_header(trace::process& facts, const trace::part_header& header) {
    // A process that has executed another program since then has the other's facts in /proc.
    const std::string own(header.executable.begin(), std::ranges::find(header.executable, '\0'));
    if (facts.executable.empty() || !facts.executable.starts_with(own)) {
        facts.executable = own;
        facts.command.clear();
    }
    facts.number = facts.number == 0 ? header.process : facts.number;
    facts.parent = header.parent;
    facts.stacks = header.stacks;
    facts.sampled_one_in = header.sampled_one_in;
    facts.timed_one_in = header.timed_one_in;
    facts.stamp_ticks = header.stamp_ticks;
    facts.first_ticks = header.first_time;
    facts.last_ticks = std::max(facts.last_ticks, header.last_time.load());
    facts.cpu_nanoseconds = std::max(facts.cpu_nanoseconds, cpu_time(header, header.last_cpu_time));
    facts.stopped = header.stopped;
    facts.nested_events = header.nested_events;
    facts.forks_not_followed = header.forks_not_followed;
    facts.programs_not_followed = header.programs_not_followed;
    facts.blocks_without_end = header.blocks_without_end;
    facts.names_lost = header.names_lost;
}

// A thread may be preempted between the two readings. The shortest attempt is the most exact.
clock_pair clock_pair::read() noexcept {
    clock_pair best{};
    std::uint64_t shortest = UINT64_MAX;
    for (int tries = 0; tries < 5; ++tries) {
        const std::uint64_t start = recorder::arch::time_stamp();
        const std::uint64_t time = recorder::nanoseconds();
        const std::uint64_t end = recorder::arch::time_stamp();
        if (end - start < shortest) {
            shortest = end - start;
            best = {start + shortest / 2, time};
        }
    }
    return best;
}

double ticks_per_second(const trace::part_header& header, clock_pair begin) noexcept {
    const clock_pair first{header.first_time, header.first_nanoseconds};
    const clock_pair last{header.last_time, header.last_nanoseconds};
    if (last.ticks > first.ticks && last.nanoseconds > first.nanoseconds &&
        last.nanoseconds - first.nanoseconds >= long_span) {
        return frequency(first, last);
    }
    clock_pair end = clock_pair::read();
    while (end.nanoseconds - begin.nanoseconds < shortest_span) {
        const timespec pause{0, static_cast<long>(shortest_span)};
        ::nanosleep(&pause, nullptr);
        end = clock_pair::read();
    }
    return frequency(begin, end);
}

} // namespace mallard::collector
