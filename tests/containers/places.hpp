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

/// Returns: those that serve requests of every size.
[[nodiscard]] const std::vector<place>& places();

/// By the abstract base.
struct by_base {
    template <class T>
    using allocator = std::pmr::polymorphic_allocator<T>;
};

/// By type parameter. The mechanism's type of mallard's allocator only names the called class.
struct by_type {
    template <class T>
    using allocator = mallard::allocator<T, std::pmr::memory_resource>;
};

/// Both are compared with this one.
struct by_standard {
    template <class T>
    using allocator = std::allocator<T>;
};

} // namespace containers
