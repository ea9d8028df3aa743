#include "runner/harness/mapped_memory.hpp"

#include <sys/mman.h>

#include <memory>
#include <new>

namespace bench {

namespace {

void* map(std::size_t bytes) {
    void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return p;
}

} // namespace

mapped_memory::~mapped_memory() {
    while (newest_ != nullptr) {
        mapping* const previous = newest_->previous;
        munmap(newest_, mapping_bytes);
        newest_ = previous;
    }
}

void* mapped_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
    if (bytes >= large_bytes) {
        return map(bytes); // aligned to a page
    }
    void* p = next_;
    if (std::align(alignment, bytes, p, left_) == nullptr) {
        auto* const fresh = static_cast<mapping*>(map(mapping_bytes));
        newest_ = ::new (static_cast<void*>(fresh)) mapping{newest_};
        p = newest_ + 1;
        left_ = mapping_bytes - sizeof(mapping);
        std::align(alignment, bytes, p, left_);
    }
    next_ = static_cast<std::byte*>(p) + bytes;
    left_ -= bytes;
    return p;
}

void mapped_memory::do_deallocate(void* p, std::size_t bytes, std::size_t) {
    if (bytes >= large_bytes) {
        munmap(p, bytes);
    }
}

} // namespace bench
