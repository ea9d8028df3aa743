#include "runner/harness/static_buffer.hpp"

#include "runner/harness/page_size.hpp"
#include "runner/harness/process.hpp"

#include <mallard/upstream/pages.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace bench {

buffer_state parse_buffer_state(const std::string& name) {
    return name == "none" ? buffer_state::none : name == "cold" ? buffer_state::cold : buffer_state::warm;
}

namespace {

constexpr std::size_t least_page_bytes = 4096;

void touch(std::span<std::byte> bytes) noexcept {
    for (std::size_t offset = 0; offset < bytes.size(); offset += least_page_bytes) {
        static_cast<volatile std::byte&>(bytes[offset]) = std::byte{0};
    }
}

void ask_for_huge_pages([[maybe_unused]] std::span<std::byte> bytes) noexcept {
#ifdef MADV_HUGEPAGE
    madvise(bytes.data(), bytes.size(), MADV_HUGEPAGE);
#endif
}

} // namespace

static_buffer::static_buffer(buffer_state state, std::size_t bytes, std::size_t used_bytes) {
    if (state == buffer_state::none) {
        return;
    }
    void* p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        throw std::bad_alloc();
    }
    bytes_ = {static_cast<std::byte*>(p), bytes};
    if (pages_in_use() == page_size::huge) {
        ask_for_huge_pages(bytes_);
    }
    if (state == buffer_state::warm) {
        touch(bytes_.first(std::min(bytes, used_bytes)));
    }
}

bool static_buffer::lacks_huge_pages() const {
    if (pages_in_use() != page_size::huge || bytes_.empty()) {
        return false;
    }
    const mallard::page_report report = mallard::pages::inspect(bytes_.data(), bytes_.size());
    return report.known && report.resident_bytes >= mallard::pages::huge_page_bytes() &&
           report.huge_bytes == 0;
}

static_buffer::~static_buffer() {
    if (!bytes_.empty()) {
        munmap(bytes_.data(), bytes_.size());
    }
}

void bring_in(std::size_t bytes) noexcept {
    void* p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return; // the cell will run out of memory too, and report it
    }
    const std::span<std::byte> mapped(static_cast<std::byte*>(p), bytes);
    ask_for_huge_pages(mapped); // where allowed, they are faster to fault in
    touch(mapped);
    munmap(p, bytes);
}

std::size_t most_to_bring_in() {
    return std::min(std::size_t{12} << 30, available_memory_bytes() / 10 * 9);
}

} // namespace bench
