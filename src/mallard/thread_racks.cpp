#include <mallard/core/thread_end.hpp>
#include <mallard/core/thread_racks.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace mallard::inline MALLARD_LIBRARY {

constinit thread_local rack_in_use last_rack{};

namespace {

/// Of the operations that find no free rack, every so many-th takes one away from another allocator.
constexpr std::uint32_t patience = 64;

std::atomic<std::uint64_t> last_key{0};

std::uint64_t new_key() noexcept {
    return last_key.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// Guards which rack belongs to which allocator. Never destroyed: threads and allocators may end after
/// everything else has.
std::mutex& attachments() noexcept {
    alignas(std::mutex) static std::byte storage[sizeof(std::mutex)];
    static auto* const instance = ::new (static_cast<void*>(storage)) std::mutex;
    return *instance;
}

enum class thread_state : std::uint8_t { unused, open, closed };

} // namespace

/// The racks of a thread.
class thread_racks {
public:
    [[nodiscard]] magazine_rack* find(rack_owner& owner) noexcept {
        if (state_ == thread_state::closed || thread_is_ending()) {
            return nullptr;
        }
        magazine_rack* found = with_key(owner.key_);
        if (found == nullptr) {
            found = open(owner);
        }
        if (found != nullptr) {
            last_rack.key = owner.key_;
            last_rack.rack = found;
        }
        return found;
    }

    void close() noexcept {
        state_ = thread_state::closed;
        for (magazine_rack& rack : racks_) {
            give_up(rack);
        }
    }

    static void detach_all(rack_owner& owner) noexcept {
        {
            const std::scoped_lock lock(attachments());
            while (owner.racks_ != nullptr) {
                detach(*owner.racks_);
            }
            owner.key_ = new_key();
        }
        while (owner.returning_.load(std::memory_order_acquire) != 0) {
            std::this_thread::yield();
        }
    }

private:
    struct closer {
        ~closer();
    };

    [[nodiscard]] magazine_rack* with_key(std::uint64_t key) noexcept {
        for (magazine_rack& rack : racks_) {
            if (rack.key.load(std::memory_order_relaxed) == key) {
                return &rack;
            }
        }
        return nullptr;
    }

    [[nodiscard]] magazine_rack* open(rack_owner& owner) noexcept {
        if (state_ == thread_state::unused) {
            static thread_local const closer at_thread_exit;
            static_cast<void>(&at_thread_exit);
            state_ = thread_state::open;
        }
        // 0 is the key of a rack that is free.
        magazine_rack* rack = with_key(0);
        if (rack == nullptr) {
            rack = free_a_rack();
        }
        if (rack != nullptr) {
            attach(*rack, owner);
        }
        return rack;
    }

    [[nodiscard]] magazine_rack* free_a_rack() noexcept {
        if (last_rack.depth != 0 || ++refusals_ % patience != 0) {
            return nullptr;
        }
        magazine_rack& rack = racks_[refusals_ / patience % racks_of_a_thread];
        give_up(rack);
        return &rack;
    }

    static void attach(magazine_rack& rack, rack_owner& owner) noexcept {
        const std::scoped_lock lock(attachments());
        // What the magazines still say is of an owner that has released those blocks.
        rack.magazines = {};
        rack.owner = &owner;
        rack.previous = nullptr;
        rack.next = std::exchange(owner.racks_, &rack);
        if (rack.next != nullptr) {
            rack.next->previous = &rack;
        }
        rack.key.store(owner.key_, std::memory_order_relaxed);
    }

    /// Requires: attachments() is locked, and the rack has an owner.
    static void detach(magazine_rack& rack) noexcept {
        (rack.previous != nullptr ? rack.previous->next : rack.owner->racks_) = rack.next;
        if (rack.next != nullptr) {
            rack.next->previous = rack.previous;
        }
        rack.owner = nullptr;
        rack.key.store(0, std::memory_order_relaxed);
    }

    /// Effects: detaches a rack of this thread and returns its blocks. Not under the lock of the attachments,
    /// because whoever holds a centre's lock may come to need that one.
    static void give_up(magazine_rack& rack) noexcept {
        rack_owner* const owner = detach_and_hold_owner(rack);
        if (last_rack.rack == &rack) {
            last_rack.key = 0;
        }
        if (owner != nullptr) {
            owner->take_back_(*owner, rack);
            owner->returning_.fetch_sub(1, std::memory_order_release);
        }
    }

    [[nodiscard]] static rack_owner* detach_and_hold_owner(magazine_rack& rack) noexcept {
        const std::scoped_lock lock(attachments());
        rack_owner* const owner = rack.owner;
        if (owner != nullptr) {
            owner->returning_.fetch_add(1, std::memory_order_relaxed);
            detach(rack);
        }
        return owner;
    }

    std::array<magazine_rack, racks_of_a_thread> racks_{};
    thread_state state_ = thread_state::unused;
    std::uint32_t refusals_ = 0;
};

namespace {

constinit thread_local thread_racks racks_here{};

} // namespace

thread_racks::closer::~closer() {
    racks_here.close();
}

rack_owner::rack_owner(take_back_function take_back) noexcept : key_(new_key()), take_back_(take_back) {}

magazine_rack* rack_owner::find_rack() noexcept {
    return racks_here.find(*this);
}

void rack_owner::detach_racks() noexcept {
    thread_racks::detach_all(*this);
}

} // namespace mallard::inline MALLARD_LIBRARY
