#include "recorder/collect/parts/part.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <system_error>

namespace mallard::collect {

namespace {

// The first chunks keep their memory, because the process fills them again soon. That of the others goes back to the disk.
constexpr std::uint32_t chunks_with_memory = 128;

constexpr off_t place_of(std::uint32_t chunk) noexcept {
    return static_cast<off_t>(trace::header_bytes + std::size_t{chunk} * trace::chunk_bytes);
}

bool read_head(int file, std::uint32_t which, trace::chunk_header& head) noexcept {
    std::array<std::byte, sizeof head> bytes{};
    if (::pread(file, bytes.data(), bytes.size(), place_of(which)) != ssize_t{sizeof head}) {
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

// The process makes the file, gives it its size and then fills the header, so it may be seen at any point between.
bool part::has_header() noexcept {
    struct ::stat about{};
    if (header_ == nullptr && file_ >= 0 && ::fstat(file_, &about) == 0 &&
        about.st_size >= static_cast<off_t>(trace::header_bytes)) {
        void* const memory =
            ::mmap(nullptr, trace::header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        if (memory != MAP_FAILED) {
            header_ = static_cast<trace::part_header*>(memory);
        }
    }
    return header_ != nullptr && header_->magic == trace::part_magic;
}

bool part::is_ready() noexcept {
    return has_header() && header_->used_chunks.load(std::memory_order_acquire) != 0;
}

std::vector<part::chunk> part::look() const {
    std::vector<chunk> found;
    const std::uint32_t used = header_->used_chunks.load(std::memory_order_acquire);
    for (std::uint32_t each = 0; each < used; ++each) {
        trace::chunk_header head;
        if (held_.contains(each)) {
            continue;
        }
        if (!read_head(file_, each, head)) {
            break; // the file was cut off
        }
        found.push_back({head.number, each, head.state.load(std::memory_order_acquire)});
    }
    return found;
}

std::vector<part::chunk> part::look_at_copies() const {
    std::vector<chunk> found;
    trace::chunk_header head;
    for (std::uint32_t each = copies_; kept_ >= 0 && read_head(kept_, each, head); ++each) {
        if (head.state.load(std::memory_order_relaxed) == trace::chunk_state::full) {
            found.push_back({head.number, each, trace::chunk_state::full, true});
        }
    }
    return found;
}

// A thread may fill a chunk behind the place where the first look is, and then another one in front of it. The second look sees
// all chunks that are older than the newest full one of the first, so nothing is handed on before its turn.
unsigned part::take_full(const taker& take) {
    const auto is_full = [](const chunk& each) { return each.state == trace::chunk_state::full; };
    std::uint64_t newest = 0;
    bool any = false;
    for (const chunk& each : look()) {
        if (is_full(each)) {
            newest = std::max(newest, each.number);
        }
        any = any || is_full(each);
    }
    if (!any) {
        return 0;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::vector<chunk> ready = look();
    std::erase_if(ready, [&](const chunk& each) { return !is_full(each) || each.number > newest; });
    std::ranges::sort(ready, {}, &chunk::number);
    // All are copied before the first one is compressed, because the process needs them. Where the disk was full, the process has
    // ended its recording, and copies would take the room of the trace.
    const bool may_copy = header_->stopped.load() != trace::stop_reason::disk_full;
    for (chunk& each : ready) {
        if (may_copy && copy(each)) {
            give_back(each.which, chunk_memory::keep_some);
            each.which = copies_++;
            each.is_copy = true;
        } else {
            held_.insert(each.which);
        }
    }
    return hand_on(ready, take);
}

void part::take_all(const taker& take) {
    std::vector<chunk> left = look();
    std::erase_if(left, [](const chunk& each) { return each.state == trace::chunk_state::free; });
    std::ranges::copy(look_at_copies(), std::back_inserter(left));
    // A collector that is ended between the copy and the return of a chunk leaves two of it.
    std::ranges::stable_sort(left, {}, &chunk::number);
    const auto twice = std::ranges::unique(left, {}, &chunk::number);
    left.erase(twice.begin(), twice.end());
    for (const chunk& each : left) {
        if (!each.is_copy) {
            held_.insert(each.which);
        }
    }
    hand_on(left, take);
}

/// Returns: false, with no effect that counts, if the disk has no room.
bool part::copy(chunk& which) noexcept {
    const ssize_t bytes = ::pread(file_, bytes_.data(), bytes_.size(), place_of(which.which));
    const off_t to = place_of(copies_);
    // The first page has the state of the copy, so it comes last.
    constexpr auto page = static_cast<ssize_t>(trace::header_bytes);
    if (kept_ >= 0 && bytes > page &&
        ::pwrite(kept_, bytes_.data() + page, static_cast<std::size_t>(bytes - page), to + page) ==
            bytes - page &&
        ::pwrite(kept_, bytes_.data(), trace::header_bytes, to) == page) {
        return true;
    }
    give_back_copy(copies_);
    return false;
}

unsigned part::hand_on(const std::vector<chunk>& chunks, const taker& take) {
    unsigned count = 0;
    for (const chunk& each : chunks) {
        const off_t begin = place_of(each.which) + static_cast<off_t>(sizeof(trace::chunk_header));
        const ssize_t bytes =
            ::pread(each.is_copy ? kept_ : file_, bytes_.data(), trace::record_bytes, begin);
        handed_on_ += each.is_copy ? 1 : 0;
        if (bytes > 0) {
            take(std::span(bytes_).first(static_cast<std::size_t>(bytes)));
            ++count;
        }
    }
    return count;
}

void part::give_back(chunk_memory which) noexcept {
    for (const std::uint32_t each : held_) {
        give_back(each, which);
    }
    held_.clear();
    forget_copies(which);
}

// One byte each: the process may look at any moment.
void part::give_back(std::uint32_t which, chunk_memory memory) noexcept {
    static_assert(static_cast<std::uint32_t>(trace::chunk_state::free) == 0);
    const std::byte zero{0};
    const off_t begin = place_of(which);
    (void)!::pwrite(file_, &zero, 1, begin + static_cast<off_t>(sizeof(trace::chunk_header)));
    if (memory == chunk_memory::keep_none || which >= chunks_with_memory) {
        (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                          begin + static_cast<off_t>(trace::header_bytes),
                          static_cast<off_t>(trace::chunk_bytes - trace::header_bytes));
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    (void)!::pwrite(file_, &zero, 1, begin);
}

void part::give_back_copy(std::uint32_t which) noexcept {
    (void)::fallocate(kept_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place_of(which),
                      static_cast<off_t>(trace::chunk_bytes));
}

/// Those that were not handed on yet stay: the disk may be full in the midst of them.
void part::forget_copies(chunk_memory memory) noexcept {
    const std::byte zero{0};
    for (std::uint32_t each = 0; each < handed_on_; ++each) {
        (void)!::pwrite(kept_, &zero, 1, place_of(each));
        if (memory == chunk_memory::keep_none || each >= chunks_with_memory) {
            give_back_copy(each);
        }
    }
    if (handed_on_ == copies_) {
        handed_on_ = copies_ = 0;
    }
}

void part::stop(trace::stop_reason why) noexcept {
    auto expected = trace::stop_reason::none;
    header_->stopped.compare_exchange_strong(expected, why);
    header_->stop.store(1);
}

} // namespace mallard::collect
