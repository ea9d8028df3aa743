// What the library keeps for a thread and others may reach: in pages of its own, which outlast the thread.
//
//     thread_local:  [ T* ]  ->  a room: [ who has it | T ............. ]
//     made_:  newest room -> ... -> oldest room          all, of threads that live, that have ended and of nobody
//     free_:  room -> room -> null                       those of nobody
//
// Data model: a thread takes a room when it first needs one, and puts it back, empty, when it closes
// (threads/thread_end.hpp). The program's thread-local storage has a pointer only: such storage is laid out and zeroed
// for every thread, whether it allocates or not, and what a library that is loaded later needs of it is scarce.
// Invariants: rooms are not given back while the process runs, so that whatever points into one, points into a T.
// There are never more than threads that had one at a time, but for those left behind: a thread whose end nobody
// told the library (threads/thread_end.hpp) leaves its room as it is. Each thread that takes a room looks at the next
// two of all first, and has one that was left behind, T and all. The child of a fork has the rooms of threads that
// it does not have; nobody can tell what those were doing, and the rooms are lost to it.
#pragma once

#include <mallard/core/alignment.hpp>

#include <cstddef>
#include <mutex>
#include <new>

namespace mallard::threads::inline MALLARD_LIBRARY {

class thread_rooms {
public:
    struct alignas(cache_line_bytes) room {
        room* made_before = nullptr;
        room* next_free = nullptr;
        long thread = 0; ///< the system's number of the thread that has it; 0 where nobody has
    };

    constexpr explicit thread_rooms(std::size_t bytes) noexcept : bytes_(bytes) {}

    /// Returns: a room for the calling thread, new where `is_new` says so; null if there is no memory.
    [[nodiscard]] room* take(bool& is_new) noexcept;

    void put_back(room* emptied) noexcept;

    // ---- for a fork

    void lock() noexcept;
    [[nodiscard]] bool try_lock() noexcept;
    void unlock(bool in_child) noexcept;

private:
    [[nodiscard]] room* left_behind() noexcept;

    std::size_t bytes_;
    std::mutex mutex_;
    room* made_ = nullptr;
    room* free_ = nullptr;
    room* looked_at_ = nullptr; ///< the last that was asked for its thread
    long forking_thread_ = 0;
};

/// The rooms for a T, which has no destructor that matters and is made without arguments. An object of one translation
/// unit, never a static member: copies of the library in one process would share that.
template <class T>
class rooms_for : public thread_rooms {
public:
    constexpr rooms_for() noexcept : thread_rooms(content_offset + sizeof(T)) {}

    /// Returns: the calling thread's, as new or as a thread left it behind; null if there is no memory.
    [[nodiscard]] T* take() noexcept {
        bool is_new = false;
        room* const taken = thread_rooms::take(is_new);
        if (taken == nullptr) {
            return nullptr;
        }
        void* const content = reinterpret_cast<std::byte*>(taken) + content_offset;
        return is_new ? ::new (content) T() : std::launder(static_cast<T*>(content));
    }

    /// Requires: nothing waits in it, and it is what take() gave this thread.
    void put_back(T* emptied) noexcept {
        thread_rooms::put_back(
            std::launder(reinterpret_cast<room*>(reinterpret_cast<std::byte*>(emptied) - content_offset)));
    }

private:
    static_assert(alignof(T) <= cache_line_bytes);
    static constexpr std::size_t content_offset = sizeof(room);
};

} // namespace mallard::threads::inline MALLARD_LIBRARY
