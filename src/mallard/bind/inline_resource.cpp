#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <cstddef>
#include <new>

namespace mallard::inline MALLARD_LIBRARY {

bool inline_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
    return this == &other;
}

inline_resource* new_delete_resource() noexcept {
    alignas(resource<new_delete>) static std::byte storage[sizeof(resource<new_delete>)];
    static auto* const instance = ::new (static_cast<void*>(storage)) resource<new_delete>();
    return instance;
}

} // namespace mallard::inline MALLARD_LIBRARY
