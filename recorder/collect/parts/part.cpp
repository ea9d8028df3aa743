#include "recorder/collect/parts/part.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace mallard::collect {

namespace {

// The first chunks keep their memory, because the process fills them again soon. That of the others goes back to the disk.
constexpr std::uint32_t chunks_with_memory = 128;

constexpr off_t place_of(std::uint32_t chunk) noexcept {
    return static_cast<off_t>(trace::header_bytes + std::size_t{chunk} * trace::chunk_bytes);
}

} // namespace

part::part(std::filesystem::path file)
    : path_(std::move(file)), file_(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {}

part::~part() {
    if (header_ != nullptr) {
        ::munmap(header_, trace::header_bytes);
    }
    if (file_ >= 0) {
        ::close(file_);
    }
}

// The process makes the file, gives it its size and then fills the header, so it may be seen at any point between.
bool part::is_ready() noexcept {
    struct ::stat about{};
    if (header_ == nullptr && file_ >= 0 && ::fstat(file_, &about) == 0 &&
        about.st_size >= static_cast<off_t>(trace::header_bytes)) {
        void* const memory =
            ::mmap(nullptr, trace::header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        if (memory != MAP_FAILED) {
            header_ = static_cast<trace::part_header*>(memory);
        }
    }
    return header_ != nullptr && header_->magic == trace::part_magic &&
           header_->used_chunks.load(std::memory_order_acquire) != 0;
}

std::vector<part::chunk> part::look() const {
    std::vector<chunk> found;
    const std::uint32_t used = header_->used_chunks.load(std::memory_order_acquire);
    for (std::uint32_t each = 0; each < used; ++each) {
        if (held_.contains(each)) {
            continue;
        }
        trace::chunk_header head;
        std::array<std::byte, sizeof head> bytes{};
        if (::pread(file_, bytes.data(), bytes.size(), place_of(each)) != ssize_t{sizeof head}) {
            break; // the file was cut off
        }
        std::memcpy(static_cast<void*>(&head), bytes.data(), sizeof head);
        found.push_back({head.number, each, head.state.load(std::memory_order_acquire)});
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
    return hand_on(std::move(ready), take);
}

void part::take_all(const taker& take) {
    std::vector<chunk> left = look();
    std::erase_if(left, [](const chunk& each) { return each.state == trace::chunk_state::free; });
    hand_on(std::move(left), take);
}

unsigned part::hand_on(std::vector<chunk> chunks, const taker& take) {
    std::ranges::sort(chunks, {}, &chunk::number);
    records_.resize(trace::record_bytes);
    unsigned count = 0;
    for (const chunk& each : chunks) {
        const off_t begin = place_of(each.which) + static_cast<off_t>(sizeof(trace::chunk_header));
        const ssize_t bytes = ::pread(file_, records_.data(), records_.size(), begin);
        if (bytes <= 0) {
            continue;
        }
        held_.insert(each.which);
        take(std::span(records_).first(static_cast<std::size_t>(bytes)));
        ++count;
    }
    return count;
}

// One byte each: the process may look at any moment.
void part::give_back(chunk_memory which) noexcept {
    static_assert(static_cast<std::uint32_t>(trace::chunk_state::free) == 0);
    const std::byte zero{0};
    for (const std::uint32_t each : held_) {
        const off_t begin = place_of(each);
        (void)!::pwrite(file_, &zero, 1, begin + static_cast<off_t>(sizeof(trace::chunk_header)));
        if (which == chunk_memory::keep_none || each >= chunks_with_memory) {
            (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              begin + static_cast<off_t>(trace::header_bytes),
                              static_cast<off_t>(trace::chunk_bytes - trace::header_bytes));
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);
        (void)!::pwrite(file_, &zero, 1, begin);
    }
    held_.clear();
}

void part::stop(trace::stop_reason why) noexcept {
    auto expected = trace::stop_reason::none;
    header_->stopped.compare_exchange_strong(expected, why);
    header_->stop.store(1);
}

} // namespace mallard::collect
