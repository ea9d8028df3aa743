/// Memory that no malloc serves: what a cell owns besides the measured work lies here, so that the measured allocator neither
/// pays for it nor gains free blocks from it.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace bench {

/// A memory resource over mappings of its own.
///
///     large requests   a mapping each, unmapped when they are freed
///     small requests   one after another in mappings of 1 MiB, which live as long as the resource
class mapped_memory final : public std::pmr::memory_resource {
public:
    mapped_memory() = default;
    mapped_memory(const mapped_memory&) = delete;
    mapped_memory& operator=(const mapped_memory&) = delete;
    ~mapped_memory() override;

private:
    /// In front of the small blocks of a mapping.
    struct mapping {
        mapping* previous;
    };
    static constexpr std::size_t mapping_bytes = std::size_t{1} << 20;
    static constexpr std::size_t large_bytes = mapping_bytes / 16;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override;
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    mapping* newest_ = nullptr;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

} // namespace bench
