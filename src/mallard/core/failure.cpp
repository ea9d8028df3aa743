#include "failure_report.hpp"

#include <mallard/core/cancellation.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/failure.hpp>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

std::atomic<out_of_memory_handler> installed_oom_handler{nullptr};

} // namespace

out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept {
    return installed_oom_handler.exchange(handler);
}

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

void call_oom_handler(std::size_t bytes, std::size_t alignment) noexcept {
    if (out_of_memory_handler handler = installed_oom_handler.load();
        handler != nullptr && !quiet_failures::expected()) {
        const cancellation_disabled meanwhile;
        handler(bytes, alignment);
    }
}

void abort_with(const char* format, ...) noexcept {
    const cancellation_disabled until_the_end;
    std::va_list values;
    va_start(values, format);
    std::vfprintf(stderr, format, values);
    va_end(values);
    std::abort();
}

void contract_broken(const char* condition, const char* file, int line) noexcept {
    abort_with("%s:%d: mallard: a caller broke the contract: %s\n", file, line, condition);
}

void fail_allocation(std::size_t bytes, std::size_t alignment) {
    call_oom_handler(bytes, alignment);
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    abort_with("mallard: out of memory: %zu bytes at alignment %zu\n", bytes, alignment);
#endif
}

void fail_damaged_free_memory(const void* p) noexcept {
    abort_with("mallard: free memory at %p is damaged: a block was deallocated twice, or written to "
               "afterwards; compile with "
               "-DMALLARD_CHECKED=1 to see the place\n",
               p);
}

}} // namespace mallard::core::MALLARD_LIBRARY
