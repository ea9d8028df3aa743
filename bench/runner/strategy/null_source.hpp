/// The strategy null: present memory, allocated by moving a pointer, and never freed.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/concepts.hpp>

#include <cstddef>
#include <cstdlib>
#include <span>

namespace bench {

/// A local allocator as far as the workloads are concerned; the region must hold one whole structure.
class null_source {
public:
    explicit null_source(std::span<std::byte> region) noexcept
        : region_(region), cursor_(region.data()), limit_(region.data() + region.size()) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        std::byte* block = cursor_ + mallard::core::padding_to(cursor_, alignment);
        cursor_ = block + bytes;
        if (cursor_ > limit_) [[unlikely]] {
            std::abort(); // the bound of the structure's size was wrong
        }
        return block;
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept {}

    void release() noexcept { cursor_ = region_.data(); }

private:
    std::span<std::byte> region_;
    std::byte* cursor_;
    std::byte* limit_;
};

static_assert(mallard::local_allocator<null_source>);

} // namespace bench
