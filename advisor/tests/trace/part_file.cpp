#include "trace/part_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace mallard::test {

namespace {

struct mapped_file {
    explicit mapped_file(const std::filesystem::path& path) : bytes(std::filesystem::file_size(path)) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
        ::close(file);
        if (memory == MAP_FAILED) {
            throw std::runtime_error("cannot map " + path.string());
        }
        begin = static_cast<std::byte*>(memory);
    }
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;
    ~mapped_file() { ::munmap(begin, bytes); }

    std::size_t bytes;
    std::byte* begin = nullptr;
};

} // namespace

trace::process read_part(const std::filesystem::path& path,
                         const std::function<void(std::span<const std::byte>)>& use) {
    const mapped_file file(path);
    const auto* const header = reinterpret_cast<const trace::part_header*>(file.begin);
    if (file.bytes < trace::header_bytes || header->magic != trace::part_magic) {
        throw std::runtime_error(path.string() + " is not a part file");
    }
    std::vector<std::pair<std::uint64_t, std::byte*>> chunks;
    for (std::uint32_t index = 0; index < std::min(header->used_chunks.load(), header->chunks); ++index) {
        std::byte* const chunk = trace::chunk_at(file.begin, index);
        chunks.emplace_back(reinterpret_cast<const trace::chunk_header*>(chunk)->number, chunk);
    }
    std::sort(chunks.begin(), chunks.end());
    for (const auto& [number, chunk] : chunks) {
        use({chunk + sizeof(trace::chunk_header), trace::record_bytes});
    }
    trace::process facts;
    facts.number = header->process;
    facts.parent = header->parent;
    facts.stacks = header->stacks;
    facts.timed_one_in = header->timed_one_in;
    facts.sampled_one_in = header->sampled_one_in;
    facts.first_ticks = header->first_time;
    facts.last_ticks = header->last_time.load();
    const auto passed = static_cast<double>(header->last_nanoseconds.load() - header->first_nanoseconds);
    facts.ticks_per_second =
        passed > 0 ? static_cast<double>(facts.last_ticks - facts.first_ticks) / passed * 1e9 : 0;
    facts.threads = header->threads.load();
    facts.stopped = header->stopped.load();
    facts.nested_events = header->nested_events.load();
    return facts;
}

void add_part(const std::filesystem::path& file, trace::writer& to) {
    const std::size_t process = to.add_process({});
    to.end_process(process, read_part(file, [&](std::span<const std::byte> records) {
                       to.add_chunk(process, records);
                   }));
}

} // namespace mallard::test
