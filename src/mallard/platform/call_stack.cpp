#include "call_stack.hpp"

#if __has_include(<execinfo.h>)
#include <unwind.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

#if __has_include(<execinfo.h>)

// Unwinding takes about 100 ns a frame, and containers allocate from the same few stacks. So the last stacks at each depth
// are kept, with the places on the stack at which their return addresses lie:
//
//     frame of call_stack()  | .. | return address | .. frame .. | return address | .. frame .. | return address |
//                                   places[0]                      places[1]                      places[2]
//
// If each place still holds its address, the stack is the same: the innermost frame begins where it did, and an equal
// return address in an equal place means the same call in a frame of the same extent. The places are compared outwards,
// so that each is read only if the frame that it belongs to is known to be there.
//
// Threads: a set of stacks is locked by a flag, for which nobody waits: without the set the stack is unwound. In a child that
// was forked meanwhile, the set stays locked. The key is a place on the stack, so different threads have different keys.

namespace {

struct known_stack {
    bool is_whole = false;
    std::uint16_t frames = 0;
    std::uintptr_t key = 0; ///< the frame of call_stack(); 0 for none
    std::array<void*, most_call_frames> addresses{};
    std::array<std::uint32_t, most_call_frames> places{}; ///< in words, from the key
};

/// Stacks of few depths.
struct known_set {
    static constexpr unsigned stacks = 4;

    std::atomic<bool> locked{false};
    unsigned next = 0; ///< the one to replace
    std::array<known_stack, stacks> all{};
};

constexpr unsigned set_bits = 6;
constinit std::array<known_set, std::size_t{1} << set_bits> known_sets{};

using word = const void* volatile;

/// Returns: the place of the return address in the frame from `begin` to `end`; null if it is unknown.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] word*
find_place(std::uintptr_t begin, std::uintptr_t end, const void* address) noexcept {
#if defined(__x86_64__) || defined(__i386__)
    auto* const place = reinterpret_cast<word*>(end - sizeof(void*));
    return end > begin && *place == address ? place : nullptr;
#else // where the function stored it; nowhere if it is signed
    constexpr std::uintptr_t most_bytes = 4096;
    word* place = nullptr;
    for (std::uintptr_t at = begin; at < end; at += sizeof(void*)) {
        auto* const candidate = reinterpret_cast<word*>(at);
        if (at - begin == most_bytes || (*candidate == address && place != nullptr)) {
            return nullptr;
        }
        place = *candidate == address ? candidate : place;
    }
    return place;
#endif
}

/// Returns: true if this thread's `frames` innermost frames are those of `known`.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool is_still_there(const known_stack& known,
                                                                          std::size_t frames) noexcept {
    void* const* const addresses = known.addresses.data();
    const std::uint32_t* const places = known.places.data();
    auto* const origin = reinterpret_cast<word*>(known.key);
    for (std::size_t i = 0; i < frames; ++i) {
        if (origin[places[i]] != addresses[i]) {
            return false;
        }
    }
    return true;
}

struct walk {
    known_stack& stack;
    std::uintptr_t innermost; ///< the frame of call_stack()
    std::size_t most_frames;
    std::uintptr_t previous_end = 0;
    bool has_places = true;
};

/// Effects: enters a frame. Its return address lies below its canonical frame address, which is the stack pointer
/// behind the call.
_Unwind_Reason_Code enter_frame(_Unwind_Context* context, void* data) noexcept {
    walk& w = *static_cast<walk*>(data);
    const std::uintptr_t end = _Unwind_GetCFA(context);
    if (end <= w.innermost) { // a frame of this file
        return _URC_NO_REASON;
    }
    known_stack& to = w.stack;
    auto* const address = reinterpret_cast<void*>(_Unwind_GetIP(context));
    if (address == nullptr) {
        to.is_whole = true;
        return _URC_END_OF_STACK;
    }
    if (to.frames == w.most_frames) {
        to.is_whole = false;
        return _URC_END_OF_STACK;
    }
    word* const place =
        w.has_places ? find_place(std::max(w.previous_end, w.innermost), end, address) : nullptr;
    const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(place) - w.innermost;
    const std::uintptr_t words = distance / sizeof(void*);
    w.has_places = place != nullptr && distance % sizeof(void*) == 0 && words <= UINT32_MAX;
    to.addresses[to.frames] = address;
    to.places[to.frames] = static_cast<std::uint32_t>(words);
    ++to.frames;
    w.previous_end = end;
    return _URC_NO_REASON;
}

/// Effects: unwinds the stack from call_stack() into `to`, which becomes a known one if all places are known.
[[gnu::noinline]] void unwind(known_stack& to, std::uintptr_t innermost, std::size_t most_frames) noexcept {
    to.key = 0;
    to.frames = 0;
    to.is_whole = true;
    walk w{.stack = to, .innermost = innermost, .most_frames = most_frames};
    _Unwind_Backtrace(enter_frame, &w);
    to.key = w.has_places ? innermost : 0;
}

std::size_t copy_frames(const known_stack& from, std::span<void*> room, std::size_t skipped) noexcept {
    const std::size_t count =
        std::min(from.frames - std::min<std::size_t>(from.frames, skipped), room.size());
    std::copy_n(from.addresses.data() + skipped, count, room.data());
    return count;
}

} // namespace

const bool has_call_stacks = true;

// Not a function that it is inlined into: callers count the frames.
[[gnu::noinline]] std::size_t call_stack(std::span<void*> room, std::size_t skipped) noexcept {
    const auto innermost = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::size_t wanted = std::min(room.size() + skipped, most_call_frames);
    known_set& set = known_sets[std::uint64_t{innermost / 8} * 0x9E3779B97F4A7C15U >> (64 - set_bits)];
    if (set.locked.exchange(true, std::memory_order_acquire)) {
        known_stack fresh;
        unwind(fresh, innermost, wanted);
        return copy_frames(fresh, room, skipped);
    }
    known_stack* known = std::ranges::find_if(set.all, [&](const known_stack& k) {
        return k.key == innermost && (k.frames >= wanted || k.is_whole) &&
               is_still_there(k, std::min<std::size_t>(k.frames, wanted));
    });
    if (known == set.all.end()) {
        known = &set.all[set.next++ % known_set::stacks];
        unwind(*known, innermost, wanted);
    }
    const std::size_t count = copy_frames(*known, room, skipped);
    set.locked.store(false, std::memory_order_release);
    return count;
}
#else
const bool has_call_stacks = false;

std::size_t call_stack(std::span<void*>, std::size_t) noexcept {
    return 0;
}
#endif

}} // namespace mallard::platform::MALLARD_LIBRARY
