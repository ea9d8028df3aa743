/// An arena that runs the destructors of its objects, and that moves.
///
///     mallard::object_arena arena(1 << 16);                  // a monotonic of 64 KiB, then chunks
///     settings& s = arena.own(settings{"mallard.conf"});     // lives until the arena is released, rewound or destroyed
///     tree* root = arena.make<tree>(42);
///     document d(std::move(arena), root);                    // addresses stay
///
///     object_arena:  one pointer ->  [ mechanism | newest ]
///                                                   v
///     block:              [ older | destructor | object ]    trivially destructible:  [ object ]
///
/// Data model: the mechanism lies in a block of operator new, so that containers and objects may point to it while the arena
/// moves; and a list of the objects whose destructor does something, the newest first. The others cost nothing. If no object
/// has a destructor, std::unique_ptr<mallard::monotonic<>> is an arena that moves.
///
/// Source: google::protobuf::Arena (Create, Own).
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/lifetime/object_room.hpp>
#include <mallard/local/monotonic.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// Not thread-safe. Moved, not copied; an arena that was moved from can be destroyed and assigned to.
template <local_allocator A = monotonic<>>
class object_arena {
public:
    using mechanism_type = A;

    /// Effects: makes the mechanism of `args`.
    /// Throws: std::bad_alloc if operator new has no memory for it.
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit object_arena(Args&&... args) : state_(std::make_unique<state>(std::forward<Args>(args)...)) {}

    object_arena(object_arena&&) noexcept = default;
    object_arena& operator=(object_arena&&) noexcept = default;

    /// Effects: destroys the objects, the newest first, and the mechanism.
    ~object_arena() = default;

    /// Effects: makes a T of `args` in the arena, and hands it the allocator if T takes one. Its destructor runs with the end
    /// of the arena's contents.
    /// Returns: the object.
    /// Throws: the exceptions of the allocation and of T's constructor. The room is deallocated then.
    /// Complexity: that of the allocation and the constructor.
    template <class T, class... Args>
        requires(!std::is_array_v<T>)
    [[nodiscard]] T* make(Args&&... args) {
        A& from = mechanism();
        if constexpr (std::is_trivially_destructible_v<T>) {
            return std::addressof(lifetime::object_room<T, A>(from).make(std::forward<Args>(args)...));
        } else {
            void* const memory = from.allocate(sizeof(cell<T>), alignof(cell<T>));
            core::undone_unless_kept room(
                [&]() noexcept { lifetime::give_back(from, memory, sizeof(cell<T>), alignof(cell<T>)); });
            auto* const added = ::new (memory) cell<T>;
            bind::construct_with(added->place(), lifetime::allocator_for_t<T, A>(std::addressof(from)),
                                 std::forward<Args>(args)...);
            room.keep();
            added->older = std::exchange(state_->newest, added);
            return added->get();
        }
    }

    /// Effects: moves or copies `object` into the arena, as make() does.
    /// Returns: the object in the arena.
    /// Throws: the exceptions of make().
    template <class T>
    std::remove_cvref_t<T>& own(T&& object) {
        return *make<std::remove_cvref_t<T>>(std::forward<T>(object));
    }

    /// Effects: destroys the objects, the newest first, and returns all memory to the upstream of the mechanism.
    /// Complexity: linear in the objects with a destructor, apart from that of the mechanism.
    void release() noexcept {
        state_->destroy_objects();
        mechanism().release();
    }

    /// Effects: destroys the objects, the newest first, and keeps the memory for the next use.
    /// Complexity: linear in the objects with a destructor, apart from that of the mechanism.
    void rewind() noexcept
        requires rewindable<A>
    {
        state_->destroy_objects();
        mechanism().rewind();
    }

    /// Returns: the mechanism, for containers, arrays and strings. Its address does not change when the arena moves.
    /// Requires: it is not released, rewound or rolled back while an object of make() or own() that it would forget lives.
    [[nodiscard]] A& mechanism() const noexcept { return state_->mechanism; }

private:
    struct link {
        link* older = nullptr;
        void (*destroy)(link*) noexcept;
    };

    template <class T>
    struct cell : link {
        cell() noexcept
            : link{.destroy = [](link* l) noexcept { std::destroy_at(static_cast<cell*>(l)->get()); }} {}

        std::remove_cv_t<T>* place() noexcept { return reinterpret_cast<std::remove_cv_t<T>*>(object); }
        T* get() noexcept { return std::launder(static_cast<T*>(place())); }

        alignas(T) std::byte object[sizeof(T)];
    };

    struct state {
        template <class... Args>
        explicit state(Args&&... args) : mechanism(std::forward<Args>(args)...) {}
        state(const state&) = delete;
        state& operator=(const state&) = delete;
        ~state() { destroy_objects(); }

        void destroy_objects() noexcept {
            while (newest != nullptr) {
                link* const last = std::exchange(newest, newest->older);
                last->destroy(last);
            }
        }

        A mechanism;
        link* newest = nullptr;
    };

    std::unique_ptr<state> state_;
};

template <class... Args>
object_arena(Args&&...) -> object_arena<decltype(monotonic(std::declval<Args>()...))>;

}} // namespace mallard::MALLARD_MODE
