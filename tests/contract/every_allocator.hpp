/// Every allocator and adaptor with all its abilities, over an upstream of any kind: a std::pmr::memory_resource, so
/// that all of it is compiled once.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/stats.hpp>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace contract {

/// A call that an allocator lacks does nothing.
class whole_allocator {
public:
    whole_allocator() = default;
    whole_allocator(const whole_allocator&) = delete;
    whole_allocator& operator=(const whole_allocator&) = delete;
    virtual ~whole_allocator() = default;

    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;
    [[nodiscard]] virtual mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment,
                                                             std::size_t count) = 0;
    virtual void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes,
                                 std::size_t alignment) noexcept = 0;
    /// Returns: a block of at least that size; as allocate() if the allocator has no such call.
    [[nodiscard]] virtual void* allocate_at_least(std::size_t bytes, std::size_t alignment) = 0;
    virtual void trim() noexcept = 0;
    virtual void rewind() noexcept = 0;
    virtual void release() noexcept = 0;
    [[nodiscard]] virtual mallard::allocator_stats stats() const noexcept = 0;
};

struct allocator_row {
    std::string name;
    std::unique_ptr<whole_allocator> (*make)(std::pmr::memory_resource&);
    /// True if a request that fails leaves everything exactly as it was. The others try something else first, and may
    /// have less in quarantine, or more in the pool, afterwards.
    bool leaves_no_trace = true;
};

[[nodiscard]] const std::vector<allocator_row>& every_allocator();

std::ostream& operator<<(std::ostream& out, const allocator_row& row);

} // namespace contract
