#include "protection.hpp"

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

bool set_writable(std::byte*, std::size_t, bool) noexcept {
    return false;
}

bool bind_to_node(std::byte*, std::size_t, unsigned) noexcept {
    return false;
}

bool report_writes_to_read_only(owner_of_memory) noexcept {
    return false;
}

}} // namespace mallard::platform::MALLARD_LIBRARY
