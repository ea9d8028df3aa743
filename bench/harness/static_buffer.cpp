#include "bench/harness/static_buffer.hpp"

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
    if (state == buffer_state::warm) {
        touch(bytes_.first(std::min(bytes, used_bytes)));
    }
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
        return; // the cell will fail for the same reason, and say so
    }
#ifdef MADV_HUGEPAGE
    madvise(p, bytes, MADV_HUGEPAGE); // it is the same memory in either size of page, and sooner there
#endif
    touch({static_cast<std::byte*>(p), bytes});
    munmap(p, bytes);
}

} // namespace bench
