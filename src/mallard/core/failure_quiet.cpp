/// In place of failure.cpp and failure_refusal.cpp, for programs without stdio: failures end the program by a trap and not
/// by a message. The out-of-memory handler runs before that. With exceptions the same ones are thrown, without the numbers
/// in their text.
#include <mallard/core/cancellation.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/failure.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#ifdef __cpp_exceptions
#include <stdexcept>
#endif
#ifndef __GNUC__
#include <cstdlib>
#endif

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

constinit std::atomic<out_of_memory_handler> installed_oom_handler{nullptr};

[[noreturn]] void trap() noexcept {
#ifdef __GNUC__
    __builtin_trap();
#else
    std::abort();
#endif
}

void tell_handler(std::size_t bytes, std::size_t alignment) noexcept {
    if (out_of_memory_handler handler = installed_oom_handler.load();
        handler != nullptr && !core::quiet_failures::expected()) {
        const core::cancellation_disabled meanwhile;
        handler(bytes, alignment);
    }
}

[[noreturn]] void refuse(std::size_t bytes, std::size_t alignment) {
    tell_handler(bytes, alignment);
#ifdef __cpp_exceptions
    throw refused_request("mallard: a request was refused that this allocator can never serve");
#else
    trap();
#endif
}

} // namespace

out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept {
    return installed_oom_handler.exchange(handler);
}

refused_request::refused_request(const char* why) noexcept {
    std::memcpy(why_.data(), why, std::min(std::strlen(why), why_.size() - 1));
}

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

void contract_broken(const char*, const char*, int) noexcept {
    trap();
}

void fail_allocation(std::size_t bytes, std::size_t alignment) {
    tell_handler(bytes, alignment);
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    trap();
#endif
}

void fail_damaged_free_memory(const void*) noexcept {
    trap();
}

void fail_array_length(std::size_t, std::size_t, std::size_t alignment) {
    tell_handler(SIZE_MAX, alignment);
#ifdef __cpp_exceptions
    throw std::bad_array_new_length();
#else
    trap();
#endif
}

void refuse_request(std::size_t bytes, std::size_t alignment, std::size_t, std::size_t) {
    refuse(bytes, alignment);
}

void refuse_for_want_of_room(std::size_t bytes, std::size_t alignment) {
    refuse(bytes, alignment);
}

void refuse_burst(std::size_t bytes, std::size_t alignment) {
    refuse(bytes, alignment);
}

void refuse_reserve(std::size_t bytes, std::size_t alignment, std::size_t) {
    refuse(bytes, alignment);
}

void refuse_block_size(std::size_t bytes, std::size_t alignment, std::size_t, std::size_t) {
    refuse(bytes, alignment);
}

void refuse_region(const void*, std::size_t bytes, std::size_t, std::size_t alignment) {
    refuse(bytes, alignment);
}

void refuse_foreign_region(const void*) {
    refuse(0, 1);
}

void refuse_region_part(const void*, std::size_t, std::size_t heap_bytes) {
    refuse(heap_bytes, 1);
}

void refuse_root_type(const char*, std::size_t, std::size_t bytes, std::size_t alignment, std::size_t,
                      std::size_t) {
    refuse(bytes, alignment);
}

void refuse_numa_node(unsigned) {
    refuse(0, 1);
}

void fail_length(std::size_t, std::size_t) {
#ifdef __cpp_exceptions
    throw std::length_error("mallard: more objects were requested at once than a fixed block holds");
#else
    trap();
#endif
}

}} // namespace mallard::core::MALLARD_LIBRARY
