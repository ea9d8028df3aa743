/// Failure of an allocation: one place, so that a program can hear of it first.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <array>
#include <cstddef>
#include <new>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// Called with the request that failed, before the caller learns of it.
using out_of_memory_handler = void (*)(std::size_t bytes, std::size_t alignment) noexcept;

/// Effects: installs `handler` for this copy of the library; nullptr, as at the start, for none.
/// Returns: the previous handler.
out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept;

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// While one lives, the handler does not hear of this thread's failures. For callers that have another way if the
/// first one fails.
class [[nodiscard]] quiet_failures {
public:
    quiet_failures() noexcept { ++living; }
    quiet_failures(const quiet_failures&) = delete;
    quiet_failures& operator=(const quiet_failures&) = delete;
    ~quiet_failures() { --living; }

    /// Returns: true if this thread has one.
    [[nodiscard]] static bool expected() noexcept { return living != 0; }

private:
    static inline constinit MALLARD_THREAD_LOCAL unsigned living = 0;
};

/// Effects: calls the handler, unless this thread's failures are quiet.
/// Throws: std::bad_alloc. A library built without exceptions aborts instead.
[[noreturn]] void fail_allocation(std::size_t bytes, std::size_t alignment);

/// Effects: aborts with the message that free memory at `p` is damaged: a block was deallocated twice, or
/// written to afterwards. For builds that do not look for misuse, where a check costs nothing.
[[noreturn]] void fail_damaged_free_memory(const void* p) noexcept;

/// Effects: calls the handler with the most bytes that there are, for more objects than any memory could hold.
/// Throws: std::bad_array_new_length. A library built without exceptions aborts instead.
[[noreturn]] void fail_array_length(std::size_t count, std::size_t object_bytes, std::size_t alignment);

}} // namespace mallard::core::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

/// Thrown if a pool can never serve a request, however much memory there is. what() names the reason.
class refused_request : public std::bad_alloc {
public:
    explicit refused_request(const char* why) noexcept;
    [[nodiscard]] const char* what() const noexcept override { return why_.data(); }

private:
    std::array<char, 224> why_{};
};

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Effects: fails because the blocks of the pool have `most_bytes` bytes at `most_alignment`.
/// Throws: refused_request. A library built without exceptions aborts instead. So do the functions below.
[[noreturn]] void refuse_request(std::size_t bytes, std::size_t alignment, std::size_t most_bytes,
                                 std::size_t most_alignment);

/// Effects: fails because the pool's arena has no room for such a block.
[[noreturn]] void refuse_for_want_of_room(std::size_t bytes, std::size_t alignment);

/// Effects: fails because such blocks have no room for a link.
[[noreturn]] void refuse_burst(std::size_t bytes, std::size_t alignment);

/// Effects: fails because the pool takes blocks above `most_bytes` bytes, with their alignment, from its upstream one by one.
[[noreturn]] void refuse_reserve(std::size_t bytes, std::size_t alignment, std::size_t most_bytes);

/// Effects: fails because blocks of a pool have at most `most_bytes` bytes at `most_alignment`.
[[noreturn]] void refuse_block_size(std::size_t bytes, std::size_t alignment, std::size_t most_bytes,
                                    std::size_t most_alignment);

/// Effects: fails with the reason why the region of `bytes` bytes at `begin` cannot hold a heap.
[[noreturn]] void refuse_region(const void* begin, std::size_t bytes, std::size_t least_bytes,
                                std::size_t alignment);

/// Effects: fails because no heap at `begin` can be opened by this program.
[[noreturn]] void refuse_foreign_region(const void* begin);

/// Effects: fails because the heap at `begin` has `heap_bytes` bytes, more than the `bytes` of the region.
[[noreturn]] void refuse_region_part(const void* begin, std::size_t bytes, std::size_t heap_bytes);

/// Effects: fails because an object of a region was named as another type, of `named_bytes` bytes at `named_alignment`.
[[noreturn]] void refuse_root_type(const char* name, std::size_t name_bytes, std::size_t bytes,
                                   std::size_t alignment, std::size_t named_bytes,
                                   std::size_t named_alignment);

/// Effects: fails because the machine has no such node, or the system binds no memory to one.
[[noreturn]] void refuse_numa_node(unsigned node);

/// Effects: fails because `requested` objects were requested at once from a fixed block that holds `most`.
/// Throws: std::length_error. A library built without exceptions aborts instead.
[[noreturn]] void fail_length(std::size_t requested, std::size_t most);

}} // namespace mallard::core::MALLARD_LIBRARY
