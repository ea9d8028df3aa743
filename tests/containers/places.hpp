/// Allocators of every kind on a ledger, behind one interface, so that containers are compiled once for all.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/bind/allocator.hpp>

#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace containers {

struct place {
    std::string name;
    std::function<std::unique_ptr<std::pmr::memory_resource>(equipment::ledger&)> make;
};

/// Returns: the allocators that serve requests of every size.
[[nodiscard]] const std::vector<place>& places();

/// By the abstract base.
struct by_base {
    template <class T>
    using allocator = std::pmr::polymorphic_allocator<T>;
};

/// By type parameter, here the abstract class of the resources.
struct by_type {
    template <class T>
    using allocator = mallard::allocator<T, std::pmr::memory_resource>;
};

/// The reference for both bindings.
struct by_standard {
    template <class T>
    using allocator = std::allocator<T>;
};

} // namespace containers
