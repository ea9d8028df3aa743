/// foonathan::memory::memory_stack: a monotonic allocator that goes back to a marker.
///
/// Configuration: one stack a thread that lives on, and a marker for each use to unwind to, which is how its
/// documentation uses it and what its cache of blocks is for. 4 MiB at first, twice as much each time: no
/// request may be larger than the next block.
#pragma once

#include "bench/strategy/source_of.hpp"

#include <foonathan/memory/memory_stack.hpp>

namespace bench {

inline constexpr std::size_t foonathan_stack_bytes = std::size_t{4} << 20;

class foonathan_stack_source {
public:
    foonathan_stack_source() = default;
    foonathan_stack_source(const foonathan_stack_source&) = delete;
    foonathan_stack_source& operator=(const foonathan_stack_source&) = delete;
    ~foonathan_stack_source() { release(); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return stack_.allocate(bytes, alignment);
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept {}

    void release() noexcept { stack_.unwind(bottom_); }

private:
    using stack_type = foonathan::memory::memory_stack<>;

    static stack_type& stack_of_this_thread() {
        thread_local stack_type stack(foonathan_stack_bytes);
        return stack;
    }

    stack_type& stack_ = stack_of_this_thread();
    stack_type::marker bottom_ = stack_.top();
};

template <>
struct source_of<mechanism_kind::foonathan_stack> : plain_source<foonathan_stack_source> {};

} // namespace bench
