#include "history/history.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace mallard::history {

namespace {

constexpr std::uint32_t least_block = 16;
constexpr std::uint32_t settling_pairs = 300'000;
constexpr std::uint32_t settling_slots = 1000;
constexpr std::uint32_t large_one_in = 1000;
constexpr std::uint32_t least_large = 5 << 10;
constexpr std::uint32_t most_large = 200 << 10;
/// A recorded program need not touch all of a large block, whose pages would cost more memory here than there.
constexpr std::size_t most_written = 64 << 10;
/// Of the peak. A kept block that is larger would replace too many others.
constexpr std::uint64_t kept_share = 8;

class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

    /// Splitmix64.
    std::uint64_t next() noexcept {
        std::uint64_t value = state_ += 0x9e37'79b9'7f4a'7c15;
        value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9;
        value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11eb;
        return value ^ (value >> 31);
    }

    /// Requires: limit is less than 2^32.
    std::uint64_t below(std::uint64_t limit) noexcept { return (next() >> 32) * limit >> 32; }

    [[nodiscard]] bool chance(double share) noexcept {
        return static_cast<double>(next() >> 11) < share * 0x1p53;
    }

    /// Returns: least / sqrt(u), at most `most`, for uniform u: the larger one of two uniform numbers is distributed as the
    /// root of one.
    std::uint32_t block_bytes(std::uint64_t least, std::uint64_t most) noexcept {
        const std::uint64_t numbers = next();
        const auto one = static_cast<std::uint32_t>(numbers >> 48);
        const auto other = static_cast<std::uint32_t>(numbers >> 32 & 0xffff);
        return static_cast<std::uint32_t>(std::min((least << 16) / (std::max(one, other) + 1), most));
    }

private:
    std::uint64_t state_;
};

/// A table in a mapping of its own, whose pages have memory once they are used.
template <typename T>
class table {
public:
    explicit table(std::uint64_t rows) noexcept : bytes_(rows * sizeof(T)) {
        if (rows <= SIZE_MAX / sizeof(T) && rows != 0) {
            void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            rows_ = memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
        }
#ifdef MADV_HUGEPAGE
        if (rows_ != nullptr) { // rows are taken at random
            ::madvise(rows_, bytes_, MADV_HUGEPAGE);
        }
#endif
    }
    table(const table&) = delete;
    table& operator=(const table&) = delete;
    ~table() {
        if (rows_ != nullptr) {
            ::munmap(rows_, bytes_);
        }
    }

    [[nodiscard]] bool is_mapped() const noexcept { return rows_ != nullptr; }
    T& operator[](std::uint64_t index) noexcept { return rows_[index]; }
    T* begin() noexcept { return rows_; }

private:
    T* rows_ = nullptr;
    std::size_t bytes_;
};

struct block {
    unsigned char* memory;
    std::uint64_t bytes;
};

/// The blocks that live longer than one request, in no order.
class population {
public:
    population(const allocator& malloc, const model& figures) noexcept
        : random(figures.seed), malloc_(malloc), least_bytes_(figures.least_bytes),
          most_bytes_(figures.most_bytes), blocks_(figures.peak_bytes / least_block + 1) {}
    population(const population&) = delete;
    population& operator=(const population&) = delete;

    [[nodiscard]] bool is_ready() const noexcept { return blocks_.is_mapped(); }
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
    [[nodiscard]] block* begin() noexcept { return blocks_.begin(); }
    [[nodiscard]] block* end() noexcept { return blocks_.begin() + size_; }

    /// Returns: a block that is written; null if the malloc has no memory.
    unsigned char* request(std::uint64_t bytes) noexcept {
        ++requests_;
        void* const memory = malloc_.allocate(bytes);
        if (memory != nullptr) {
            std::memset(memory, 0x5a, std::min<std::size_t>(bytes, most_written));
        }
        return static_cast<unsigned char*>(memory);
    }
    void free(block freed) const noexcept {
        if (malloc_.free_sized == nullptr) {
            malloc_.free(freed.memory);
        } else if (freed.memory != nullptr) {
            malloc_.free_sized(freed.memory, freed.bytes);
        }
    }

    void add(block added) noexcept {
        blocks_[size_++] = added;
        bytes_ += added.bytes;
    }

    std::uint32_t random_bytes() noexcept { return random.block_bytes(least_bytes_, most_bytes_); }

    /// Returns: false if the malloc has no memory.
    bool add_random() noexcept {
        const std::uint32_t bytes = random_bytes();
        unsigned char* const memory = request(bytes);
        if (memory != nullptr) {
            add({memory, bytes});
        }
        return memory != nullptr;
    }

    void free_random() noexcept {
        block& chosen = blocks_[random.below(size_)];
        bytes_ -= chosen.bytes;
        free(chosen);
        chosen = blocks_[--size_];
    }

    /// Effects: replaces so many random blocks by others of random sizes.
    /// Returns: false if the malloc has no memory.
    bool replace_random(std::uint64_t count) noexcept {
        upcoming rows(*this);
        for (std::uint64_t replaced = 0; replaced < count; ++replaced) {
            block& chosen = blocks_[rows.next()];
            bytes_ -= chosen.bytes;
            free(chosen);
            chosen.bytes = random_bytes();
            chosen.memory = request(chosen.bytes);
            if (chosen.memory == nullptr) {
                chosen = blocks_[--size_];
                return false;
            }
            bytes_ += chosen.bytes;
        }
        return true;
    }

    void keep_share(double share) noexcept {
        const auto kept = static_cast<std::uint64_t>(static_cast<double>(size_) * share);
        upcoming rows(*this);
        while (size_ > kept) {
            block& chosen = blocks_[std::min(rows.next(), size_ - 1)];
            bytes_ -= chosen.bytes;
            free(chosen);
            chosen = blocks_[--size_];
        }
    }

    random_numbers random;

private:
    /// Random rows, drawn ahead: neither a row nor its block is in a cache, and a history makes millions of requests.
    class upcoming {
    public:
        explicit upcoming(population& blocks) noexcept : blocks_(blocks) {
            for (std::uint64_t& row : rows_) {
                row = draw();
            }
        }

        std::uint64_t next() noexcept {
            const std::uint64_t row = rows_[at_ % distance];
            rows_[at_ % distance] = draw();
            ++at_;
            if (const std::uint64_t soon = rows_[(at_ + distance / 2) % distance]; soon < blocks_.size_) {
                __builtin_prefetch(blocks_.blocks_[soon].memory - 16); // a header
            }
            return row;
        }

    private:
        static constexpr std::uint64_t distance = 16;

        std::uint64_t draw() noexcept {
            const std::uint64_t row = blocks_.size_ == 0 ? 0 : blocks_.random.below(blocks_.size_);
            __builtin_prefetch(&blocks_.blocks_[row]);
            return row;
        }

        population& blocks_;
        std::array<std::uint64_t, distance> rows_{};
        std::uint64_t at_ = 0;
    };

    allocator malloc_;
    std::uint32_t least_bytes_;
    std::uint32_t most_bytes_;
    table<block> blocks_;
    std::uint64_t size_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t requests_ = 0;
};

failure live_by_model(population& blocks, const model& figures) noexcept {
    while (blocks.bytes() < figures.peak_bytes) {
        if (!blocks.add_random()) {
            return failure::no_block;
        }
    }
    const auto replaced = static_cast<std::uint64_t>(static_cast<double>(blocks.size()) * figures.replaced);
    for (std::uint32_t round = 0; round < figures.rounds; ++round) {
        if (!blocks.replace_random(replaced)) {
            return failure::no_block;
        }
    }
    return failure::none;
}

/// The blocks of a recorded program that live, by slot.
class slots {
public:
    explicit slots(std::uint64_t most) noexcept : blocks_(most), free_(most), most_(most) {}

    [[nodiscard]] bool is_ready() const noexcept { return blocks_.is_mapped() && free_.is_mapped(); }

    /// Returns: false if there are more live blocks than the recording states.
    bool put(block added) noexcept {
        if (free_count_ == 0 && used_ == most_) {
            return false;
        }
        blocks_[free_count_ != 0 ? free_[--free_count_] : used_++] = added;
        return true;
    }

    /// Returns: the block, which leaves its slot; null memory if there is none.
    block take(std::uint64_t slot) noexcept {
        if (slot >= used_ || blocks_[slot].memory == nullptr) {
            return {nullptr, 0};
        }
        free_[free_count_++] = static_cast<std::uint32_t>(slot);
        return std::exchange(blocks_[slot], {nullptr, 0});
    }

    [[nodiscard]] std::uint64_t used() const noexcept { return used_; }

    /// Requires: all slots are free.
    void clear() noexcept { used_ = free_count_ = 0; }

private:
    table<block> blocks_;
    table<std::uint32_t> free_;
    std::uint64_t most_;
    std::uint64_t used_ = 0;
    std::uint64_t free_count_ = 0;
};

/// The replay of a recording, again and again.
class replay {
public:
    replay(population& kept, const model& figures, const recording& events) noexcept
        : kept_(kept), figures_(figures), events_(events), live_(events.slots()) {}

    failure run() noexcept {
        if (!live_.is_ready()) {
            return failure::no_tables;
        }
        const auto wanted = static_cast<std::uint64_t>(static_cast<double>(figures_.peak_bytes) *
                                                       (1 + figures_.rounds * figures_.replaced));
        failure failed = failure::none;
        while (failed == failure::none && kept_bytes_ < wanted && kept_.requests() < most_replayed) {
            has_candidates_ = false;
            failed = run_once();
            if (!has_candidates_) {
                break;
            }
        }
        return failed;
    }

private:
    failure run_once() noexcept {
        failure failed = failure::none;
        for (const std::uint32_t event : events_) {
            failed = (event & recording::freed) != 0 ? end(event & ~recording::freed) : begin(event);
            if (failed != failure::none) {
                break;
            }
        }
        for (std::uint64_t slot = 0; slot < live_.used(); ++slot) {
            if (const block left = live_.take(slot); left.memory != nullptr) {
                keep_or_free(left);
            }
        }
        live_.clear();
        return failed;
    }

    failure begin(std::uint32_t bytes) noexcept {
        unsigned char* const memory = kept_.request(bytes);
        if (memory == nullptr) {
            return failure::no_block;
        }
        if (!live_.put({memory, bytes})) {
            kept_.free({memory, bytes});
            return failure::wrong_recording;
        }
        return failure::none;
    }

    failure end(std::uint32_t slot) noexcept {
        const block freed = live_.take(slot);
        if (freed.memory == nullptr) {
            return failure::wrong_recording;
        }
        keep_or_free(freed);
        return failure::none;
    }

    void keep_or_free(block freed) noexcept {
        const bool is_candidate = freed.bytes <= figures_.peak_bytes / kept_share && figures_.kept > 0;
        has_candidates_ = has_candidates_ || is_candidate;
        if (!is_candidate || !kept_.random.chance(figures_.kept)) {
            kept_.free(freed);
            return;
        }
        const std::uint64_t bytes = std::max<std::uint64_t>(freed.bytes, least_block);
        while (kept_.bytes() + bytes > figures_.peak_bytes ||
               kept_.size() == figures_.peak_bytes / least_block) {
            kept_.free_random();
        }
        kept_.add(freed);
        kept_bytes_ += bytes;
    }

    population& kept_;
    const model& figures_;
    const recording& events_;
    slots live_;
    std::uint64_t kept_bytes_ = 0; ///< of all blocks that ever stayed
    bool has_candidates_ = false;  ///< of this replay: blocks that may stay
};

/// Returns: false if the malloc has no memory.
bool settle(population& blocks) noexcept {
    constexpr model usual; // what is freed was of any size, what settles is what programs request
    std::array<block, settling_slots> held{};
    bool has_memory = true;
    for (std::uint32_t pair = 0; pair < settling_pairs && has_memory; ++pair) {
        block& slot = held[blocks.random.below(settling_slots)];
        blocks.free(slot);
        const bool is_large = blocks.random.below(large_one_in) == 0;
        slot.bytes = is_large ? least_large + blocks.random.below(most_large - least_large)
                              : blocks.random.block_bytes(usual.least_bytes, usual.most_bytes);
        slot.memory = blocks.request(slot.bytes);
        has_memory = slot.memory != nullptr;
    }
    for (const block& last : held) {
        blocks.free(last);
    }
    return has_memory;
}

std::uint64_t median(std::uint64_t* begin, std::uint64_t* end) noexcept {
    std::uint64_t* const middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    return *middle;
}

/// Effects: sorts the blocks by address.
void describe_blocks(population& blocks, remains& result) noexcept {
    result.live_blocks = blocks.size();
    result.live_bytes = blocks.bytes();
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    result.needed_pages = (result.live_bytes + page - 1) / page;
    table<std::uint64_t> runs(std::max<std::uint64_t>(blocks.size(), 1));
    if (blocks.size() == 0 || !runs.is_mapped()) {
        return;
    }
    std::sort(blocks.begin(), blocks.end(),
              [](const block& left, const block& right) { return left.memory < right.memory; });
    std::uint64_t run_count = 0;
    std::uint64_t next_page = 0; // that is not counted yet
    const block* before = nullptr;
    for (const block& live : blocks) {
        const auto address = reinterpret_cast<std::uintptr_t>(live.memory);
        const std::uint64_t last = (address + std::max<std::uint64_t>(live.bytes, 1) - 1) / page;
        const std::uint64_t first = std::max<std::uint64_t>(address / page, next_page);
        result.live_pages += last + 1 > first ? last + 1 - first : 0;
        next_page = std::max(next_page, last + 1);
        if (before != nullptr) {
            const auto gap = static_cast<std::uint64_t>(live.memory - before->memory) - before->bytes;
            // Less is a block's header and rounding. More than a page may be memory of others.
            if (gap >= least_block * 2 + before->bytes / 4 && gap <= page) {
                runs[run_count++] = gap;
            }
        }
        before = &live;
    }
    result.median_run = run_count == 0 ? 0 : median(runs.begin(), runs.begin() + run_count);
}

std::uint64_t thread_cpu_ns() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

/// Returns: true if the system forgot the peak of resident memory.
bool reset_peak() noexcept {
    const int file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const bool is_written = ::write(file, "5", 1) == 1;
    ::close(file);
    return is_written;
}

/// Of glibc 2.33 and later.
struct malloc_information {
    std::size_t arena, free_chunk_count, fast_chunk_count, mapped_chunks, mapped_bytes, most_used, fast_bytes,
        used_bytes, free_bytes, top_bytes;
};

/// Returns: false if `malloc` is not the C library's.
bool read_information(const allocator& malloc, malloc_information& figures) noexcept {
    const auto information = reinterpret_cast<malloc_information (*)()>(::dlsym(RTLD_DEFAULT, "mallinfo2"));
    Dl_info own{};
    Dl_info library{};
    if (information == nullptr || ::dladdr(reinterpret_cast<void*>(information), &library) == 0 ||
        ::dladdr(reinterpret_cast<void*>(malloc.allocate), &own) == 0 || own.dli_fbase != library.dli_fbase) {
        return false;
    }
    figures = information();
    return true;
}

} // namespace

recording::~recording() {
    if (events_ != nullptr) {
        ::munmap(const_cast<std::uint32_t*>(events_), bytes_);
    }
}

bool recording::open(const char* path) noexcept {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (file < 0) {
        return false;
    }
    void* memory = MAP_FAILED;
    if (::fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) > sizeof(trailer)) {
        bytes_ = static_cast<std::size_t>(status.st_size);
        memory = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    ::close(file);
    if (memory == MAP_FAILED) {
        return false;
    }
    const std::size_t event_bytes = bytes_ - sizeof(trailer);
    std::memcpy(&end_, static_cast<const char*>(memory) + event_bytes, sizeof(trailer));
    const bool is_right = end_.magic == trailer::right_magic && event_bytes % sizeof(std::uint32_t) == 0 &&
                          end_.events == event_bytes / sizeof(std::uint32_t) && end_.slots != 0 &&
                          end_.slots <= end_.events;
    if (is_right) {
        events_ = static_cast<const std::uint32_t*>(memory);
    } else {
        ::munmap(memory, bytes_);
    }
    return is_right;
}

resident_memory read_resident_memory() noexcept {
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    std::array<char, 128> text{};
    const ssize_t length = file < 0 ? -1 : ::read(file, text.data(), text.size() - 1);
    if (file >= 0) {
        ::close(file);
    }
    if (length <= 0) {
        return {};
    }
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::array<std::uint64_t, 3>
        pages{}; // of all mappings, resident, and of these in files and shared memory
    const char* at = text.data();
    for (std::uint64_t& field : pages) {
        for (; *at >= '0' && *at <= '9'; ++at) {
            field = field * 10 + static_cast<std::uint64_t>(*at - '0');
        }
        at += *at == ' ' ? 1 : 0;
    }
    return {pages[1] * page, pages[2] * page};
}

free_chunks count_free_chunks(const allocator& malloc) noexcept {
    malloc_information figures{};
    return read_information(malloc, figures)
               ? free_chunks{figures.free_chunk_count + figures.fast_chunk_count, figures.free_bytes}
               : free_chunks{};
}

held_memory count_held_memory(const allocator& malloc) noexcept {
    malloc_information figures{};
    return read_information(malloc, figures)
               ? held_memory{figures.arena + figures.mapped_bytes, figures.free_bytes}
               : held_memory{};
}

remains age(const allocator& malloc, const model& figures, const recording* replayed) noexcept {
    const int saved_errno = errno;
    const std::uint64_t begin_ns = thread_cpu_ns();
    remains result;
    result.resident_before = result.resident_after = read_resident_memory().bytes;
    if (figures.peak_bytes != 0) {
        population blocks(malloc, figures);
        result.failed = !blocks.is_ready()    ? failure::no_tables
                        : replayed != nullptr ? replay(blocks, figures, *replayed).run()
                                              : live_by_model(blocks, figures);
        if (result.failed == failure::none) {
            blocks.keep_share(figures.kept);
            result.failed = settle(blocks) ? failure::none : failure::no_block;
        }
        if (result.failed != failure::none) {
            blocks.keep_share(0);
        }
        result.requests = blocks.requests();
        describe_blocks(blocks, result);
    }
    if (figures.peak_bytes != 0) { // the tables are gone
        result.resident_after = read_resident_memory().bytes;
        result.peak_is_reset = reset_peak() ? 1 : 0;
    }
    const free_chunks chunks = count_free_chunks(malloc);
    result.free_chunks = chunks.count;
    result.free_bytes = chunks.bytes;
    result.cpu_ns = thread_cpu_ns() - begin_ns;
    errno = saved_errno;
    return result;
}

} // namespace mallard::history
