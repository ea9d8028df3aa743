/// foonathan::memory::memory_stack: a monotonic allocator that goes back to a marker.
///
/// Configuration: over the caller's buffer if there is one, like the monotonic allocators; the library has a
/// static_block_allocator for static storage, whose size is a constant. Elsewhere one stack a thread that lives on,
/// and a marker for each use to unwind to, as in its documentation and for its cache of blocks:
/// 4 MiB at first, twice as much each time. No request may be larger than the next block.
#pragma once

#include "runner/strategy/source_of.hpp"

#include <foonathan/memory/memory_stack.hpp>
#include <optional>
#include <span>
#include <utility>

namespace bench {

inline constexpr std::size_t foonathan_stack_bytes = std::size_t{4} << 20;

/// Blocks for the stack: the buffer, then ever larger ones from malloc.
class foonathan_buffer_blocks {
public:
    foonathan_buffer_blocks(std::size_t, std::span<std::byte> buffer) noexcept : buffer_(buffer) {}

    [[nodiscard]] foonathan::memory::memory_block allocate_block() {
        if (buffer_.empty()) {
            return more_.allocate_block();
        }
        const std::span<std::byte> first = std::exchange(buffer_, {});
        lent_ = first.data();
        return {first.data(), first.size()};
    }

    void deallocate_block(foonathan::memory::memory_block block) noexcept {
        if (block.memory != lent_) {
            more_.deallocate_block(block);
        }
    }

    [[nodiscard]] std::size_t next_block_size() const noexcept {
        return buffer_.empty() ? more_.next_block_size() : buffer_.size();
    }

private:
    std::span<std::byte> buffer_;
    void* lent_ = nullptr;
    foonathan::memory::growing_block_allocator<> more_{foonathan_stack_bytes};
};

class foonathan_stack_source {
public:
    foonathan_stack_source() : stack_(stack_of_this_thread()) {}
    explicit foonathan_stack_source(std::span<std::byte> buffer)
        : own_(std::in_place, buffer.size(), buffer), stack_(*own_) {}
    foonathan_stack_source(const foonathan_stack_source&) = delete;
    foonathan_stack_source& operator=(const foonathan_stack_source&) = delete;
    ~foonathan_stack_source() { release(); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return stack_.allocate(bytes, alignment);
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept {}

    void release() noexcept { stack_.unwind(bottom_); }

private:
    using stack_type = foonathan::memory::memory_stack<foonathan_buffer_blocks>;

    static stack_type& stack_of_this_thread() {
        thread_local stack_type stack(foonathan_stack_bytes, std::span<std::byte>());
        return stack;
    }

    std::optional<stack_type> own_;
    stack_type& stack_;
    stack_type::marker bottom_ = stack_.top();
};

template <>
struct source_traits<mechanism_kind::foonathan_stack> : plain_source<foonathan_stack_source> {};

} // namespace bench
