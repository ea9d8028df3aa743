// Memory of a thread that other threads may reach: rooms in separate pages, which outlast the thread.
//
//     thread_local:  [ T* ]  ->  a room: [ thread | T ............. ]
//     newest_: newest room -> ... -> oldest room          all rooms: of live threads, of ended ones, and free ones
//     free_:  room -> room -> null                       the free rooms
//
// Data model: a thread takes a room when it first needs one, and puts it back, empty, when it closes
// (impl/threads/thread_end.hpp). Thread-local storage holds a pointer only: it is laid out and zeroed for every
// thread, even one that never allocates. A library that is loaded later finds little of it.
// Invariants: rooms are not given back while the process runs, so that a pointer into one always points into a
// T. There are never more rooms than threads that had one at a time, except for abandoned ones. A thread that
// ends unseen by the library (impl/threads/thread_end.hpp) abandons its room. Each thread that takes a room looks at
// the next two of all rooms, and takes an abandoned one with its T. In the child of a fork, however it was made
// (impl/threads/process_mark.hpp), the rooms of the parent's threads are never taken: one is in use by the thread that
// forked, and the contents of the others may be half changed.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

class thread_rooms {
public:
    struct alignas(cache_line_bytes) room {
        room* previous = nullptr;
        room* next_free = nullptr;
        long thread =
            0; ///< the system's number of the thread that has the room; 0 if it is free; -1 if never to be taken from it
    };

    constexpr explicit thread_rooms(std::size_t bytes) noexcept : bytes_(bytes) {}

    /// Returns: a room for the calling thread, with `is_new` set; null if there is no memory.
    [[nodiscard]] room* take(bool& is_new) noexcept;

    void put_back(room* emptied) noexcept;

    // ---- for a fork

    void lock_for_fork() noexcept { mutex_.lock_for_fork(); }
    [[nodiscard]] bool try_lock_for_fork() noexcept { return mutex_.try_lock_for_fork(); }
    void unlock_after_fork() noexcept { mutex_.unlock_after_fork(); }

private:
    [[nodiscard]] room* find_abandoned(long process) noexcept;
    void abandon_rooms_of_parent() noexcept;

    std::size_t bytes_;
    fork_mutex mutex_;
    room* newest_ = nullptr;
    room* free_ = nullptr;
    room* looked_at_ = nullptr;    ///< the room that find_abandoned() inspected last
    std::uint32_t generation_ = 0; ///< of the process that took a room last
};

/// Rooms for a T that is default-constructed and never destroyed. An object of one translation unit, because
/// copies of the library in one process would share a static member.
template <class T>
class rooms_for : public thread_rooms {
public:
    constexpr rooms_for() noexcept : thread_rooms(content_offset + sizeof(T)) {}

    /// Returns: the calling thread's T, new or abandoned by another thread; null if there is no memory.
    [[nodiscard]] T* take() noexcept {
        bool is_new = false;
        room* const taken = thread_rooms::take(is_new);
        if (taken == nullptr) {
            return nullptr;
        }
        void* const content = reinterpret_cast<std::byte*>(taken) + content_offset;
        return is_new ? ::new (content) T() : std::launder(static_cast<T*>(content));
    }

    /// Requires: take() gave `emptied` to this thread, and it is empty.
    void put_back(T* emptied) noexcept {
        thread_rooms::put_back(
            std::launder(reinterpret_cast<room*>(reinterpret_cast<std::byte*>(emptied) - content_offset)));
    }

private:
    static_assert(alignof(T) <= cache_line_bytes);
    static constexpr std::size_t content_offset = sizeof(room);
};

}} // namespace mallard::threads::MALLARD_LIBRARY
