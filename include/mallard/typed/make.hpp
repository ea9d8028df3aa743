/// Objects in memory of an allocator, in one line.
///
///     mallard::monotonic arena;
///     http_request* r = mallard::make<http_request>(arena, socket);   // no destructor runs with the arena
///     auto node = mallard::make_unique<tree_node>(pool, 42);          // a std::unique_ptr; destroys and frees
///
/// Every allocator will do: a mechanism, a resource, a std::pmr::memory_resource. An object that takes an allocator
/// gets one for this memory, so that its containers lie there too.
///
/// make() is for objects that end by destroy(), or whose destructor does nothing. For an object whose destructor
/// only frees memory there is wink_out() (lifetime/wink_out.hpp), which proves it; and lifetime/object_arena.hpp runs the
/// destructors of its objects.
///
/// Source: std::pmr::polymorphic_allocator::new_object and delete_object (P0339R6).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/lifetime/object_room.hpp>

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Effects: makes a T of `args` in memory of `from`, and hands it the allocator if T takes one.
/// Returns: the object. It ends by destroy(), or with the memory, without its destructor.
/// Throws: the exceptions of the allocation and of T's constructor. The room is deallocated then.
template <class T, upstream A, class... Args>
    requires(!std::is_array_v<T>)
[[nodiscard]] T* make(A& from, Args&&... args) {
    return std::addressof(lifetime::object_room<T, A>(from).make(std::forward<Args>(args)...));
}

/// Effects: destroys the object and gives its memory back to `from`.
/// Requires: `object` came from make<T>(from), and T is its own type, not a base.
template <class T, upstream A>
void destroy(A& from, T* object) noexcept {
    static_assert(!std::is_abstract_v<T>,
                  "mallard: the memory goes back with the bytes of the object's own type, and no "
                  "object has an abstract one; unique_base_ptr knows the type");
#ifdef __cpp_rtti
    if constexpr (std::is_polymorphic_v<T> && !std::is_final_v<T>) {
        MALLARD_EXPECTS(typeid(*object) == typeid(T));
    }
#endif
    std::destroy_at(object);
    core::give_back(from, const_cast<std::remove_cv_t<T>*>(object), sizeof(T), alignof(T));
}

/// The deleter of pointers to objects in memory of an A. It has the size of a pointer, or none if A has no state. It
/// does not convert to that of a base, because the memory goes back with the bytes of a T: base_deleter does.
template <class T, upstream A>
class deleter {
public:
    /// Effects: makes the deleter of a null pointer, or of an A without state.
    deleter() noexcept = default;

    /// Requires: `from` outlives the objects.
    explicit deleter(A& from) noexcept : from_(from) {}

    void operator()(T* object) const noexcept {
        auto&& from = from_.get();
        destroy(from, object);
    }

private:
    template <class Base, upstream Of>
    friend class base_deleter;

    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<A> from_;
};

/// The deleter of pointers to a base of objects in memory of an A: that of the derived class, by a function pointer. It is a
/// word larger than `deleter`. The base need not have a virtual destructor.
template <class T, upstream A>
class base_deleter {
public:
    /// Effects: makes the deleter of a null pointer.
    base_deleter() noexcept = default;

    template <class Derived>
        requires(!std::is_array_v<Derived>) && requires(T* object, Derived* derived) {
            object = derived;
            static_cast<Derived*>(object); // not from a virtual base
        }
    base_deleter(const deleter<Derived, A>& of_derived) noexcept
        : from_(of_derived.from_), destroy_([](const core::upstream_handle<A>& handle, T* object) noexcept {
              auto&& from = handle.get();
              destroy(from, static_cast<Derived*>(object));
          }) {}

    void operator()(T* object) const noexcept { destroy_(from_, object); }

private:
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<A> from_;
    void (*destroy_)(const core::upstream_handle<A>& from, T* object) noexcept = nullptr;
};

template <class T, upstream A>
using unique_ptr = std::unique_ptr<T, deleter<T, A>>;

/// The owner of an object by a base of its class, made from the unique_ptr of the object:
///
///     mallard::unique_base_ptr<shape, pool> s = mallard::make_unique<circle>(from, 2.5);
template <class T, upstream A>
using unique_base_ptr = std::unique_ptr<T, base_deleter<T, A>>;

/// Effects: makes a T of `args` in memory of `from`.
/// Returns: its owner, which destroys it and gives its memory back.
/// Throws: the exceptions of make().
template <class T, upstream A, class... Args>
    requires(!std::is_array_v<T>)
[[nodiscard]] unique_ptr<T, A> make_unique(A& from, Args&&... args) {
    return unique_ptr<T, A>(make<T>(from, std::forward<Args>(args)...), deleter<T, A>(from));
}

}} // namespace mallard::MALLARD_MODE
