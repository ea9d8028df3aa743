#include <mallard/bind/inline_resource.hpp>

namespace mallard::inline MALLARD_LIBRARY {

bool inline_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
    return this == &other;
}

} // namespace mallard::inline MALLARD_LIBRARY
