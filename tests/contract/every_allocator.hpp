/// Every allocator and adaptor with all that it can do, over an upstream of any kind: a std::pmr::memory_resource, so
/// that all of it is compiled once, whatever lies below.
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

/// What is not asked of an allocator that cannot do it does nothing.
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
    /// Returns: a block that is as large as the allocator likes; as allocate() where it has no say in that.
    [[nodiscard]] virtual void* allocate_at_least(std::size_t bytes, std::size_t alignment) = 0;
    virtual void trim() noexcept = 0;
    virtual void rewind() noexcept = 0;
    virtual void release() noexcept = 0;
    [[nodiscard]] virtual mallard::allocator_stats stats() const noexcept = 0;
};

struct allocator_row {
    std::string name;
    std::unique_ptr<whole_allocator> (*make)(std::pmr::memory_resource&);
    /// Whether a request that fails leaves everything exactly as it was. The others try something else first, and may
    /// have less in quarantine, or more in the pool, afterwards.
    bool leaves_no_trace = true;
};

[[nodiscard]] const std::vector<allocator_row>& every_allocator();

std::ostream& operator<<(std::ostream& out, const allocator_row& row);

} // namespace contract
