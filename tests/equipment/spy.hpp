/// A custom resource that counts calls from all threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory_resource>

namespace equipment {

class spy final : public std::pmr::memory_resource {
public:
    std::atomic<std::size_t> allocations = 0;
    std::atomic<std::size_t> deallocations = 0;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++allocations;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        ++deallocations;
        std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

} // namespace equipment
