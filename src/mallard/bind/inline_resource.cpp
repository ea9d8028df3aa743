#include <mallard/bind/inline_resource.hpp>
#include <mallard/core/quiet_request.hpp>

namespace mallard { inline namespace MALLARD_LIBRARY {

bool inline_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
    return this == &other;
}

void* inline_resource::try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept {
    return core::ask_without_unwinding(static_cast<std::pmr::memory_resource&>(*this), bytes, alignment);
}

}} // namespace mallard::MALLARD_LIBRARY
