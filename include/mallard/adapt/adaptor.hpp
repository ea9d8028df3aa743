/// The base of the adaptors: a mechanism, and a hook that each of its operations goes through.
///
/// An adaptor has each member for blocks that its mechanism has; other members are called by mechanism(). A hook is a
/// class that derives from adapt::passing (impl/adapt/operations.hpp). It performs an operation by `call(operation)`,
/// changed or not, or answers in the mechanism's stead.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/adapt/intercepted.hpp>
#include <mallard/impl/adapt/operations.hpp>

#include <type_traits>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// `A` is held by value, or by reference for adaptor<A&>. Thread-safe only if the derived adaptor is.
template <class A, class Hook = passing>
    requires upstream<std::remove_reference_t<A>>
class adaptor : public intercepted<held<A>, Hook> {
    using base = intercepted<held<A>, Hook>;

public:
    using typename base::mechanism_type;

    using base::base;
    using base::mechanism; // calls of the mechanism bypass the hook

protected:
    ~adaptor() = default;
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <class A>
inline constexpr bool thread_safe<adapt::adaptor<A, adapt::passing>> =
    thread_safe<std::remove_reference_t<A>>;

}} // namespace mallard::MALLARD_MODE
