/// Every allocator and adaptor with all its operations, over any upstream: a std::pmr::memory_resource, so that each is
/// compiled once.
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

/// All operations of all allocators. Operations that an allocator lacks have no effect.
class allocator_interface {
public:
    allocator_interface() = default;
    allocator_interface(const allocator_interface&) = delete;
    allocator_interface& operator=(const allocator_interface&) = delete;
    virtual ~allocator_interface() = default;

    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;
    [[nodiscard]] virtual mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment,
                                                             std::size_t count) = 0;
    virtual void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes,
                                 std::size_t alignment) noexcept = 0;
    /// Returns: a block of at least `bytes` bytes, by allocate() if the allocator has no such function.
    [[nodiscard]] virtual void* allocate_at_least(std::size_t bytes, std::size_t alignment) = 0;
    virtual void trim() noexcept = 0;
    virtual void rewind() noexcept = 0;
    virtual void release() noexcept = 0;
    [[nodiscard]] virtual mallard::allocator_stats stats() const noexcept = 0;
};

struct allocator_row {
    std::string name;
    std::unique_ptr<allocator_interface> (*make)(std::pmr::memory_resource&);
    /// True if a failed request leaves the state unchanged. Other allocators first try to make room, which may shrink the
    /// quarantine or grow the pool.
    bool leaves_no_trace = true;
};

[[nodiscard]] const std::vector<allocator_row>& every_allocator();

std::ostream& operator<<(std::ostream& out, const allocator_row& row);

} // namespace contract
