// Scenes of deep recursions.
#include "scenes.hpp"

#include <alloca.h>
#include <pthread.h>

#include <array>

namespace scenes {

namespace {

OWN_FRAME void deeper(int depth) {
    allocate(depth);
    if (depth > 0) {
        deeper(depth - 1);
    }
    work = work + 1;
}

// ---- a deep recursion of which only the middle changes ----

OWN_FRAME void turns(int depth, int turn) {
    if (depth == 0) {
        allocate(depth);
    } else if (depth == turn) {
        turns(depth - 1, turn);
        asm volatile("# one way");
    } else {
        turns(depth - 1, turn);
        asm volatile("# the other way");
    }
    work = work + 1;
}

// ---- deeper than the recorder has room for ----

OWN_FRAME void down(int depth) {
    if (depth % 150'000 == 0) {
        allocate(depth);
    }
    if (depth > 0) {
        down(depth - 1);
    }
    work = work + 1;
    if (depth % 150'000 == 0) {
        allocate(depth);
    }
}

void* down_and_up(void*) {
    down(1'200'000);
    for (int each = 0; each < 2; ++each) {
        down(10);
    }
    return nullptr;
}

// ---- frames whose address the description computes ----

OWN_FRAME void aligned(int depth) {
    alignas(64) std::array<char, 64> room;
    auto* const more = static_cast<char*>(alloca(draw(100) + 1));
    asm volatile("" : : "r"(room.data()), "r"(more) : "memory");
    allocate(depth);
    if (depth > 0) {
        aligned(depth - 1);
    }
    work = work + 1;
}

// ---- the bottom of a deep recursion, reached from two callers with frames of one size ----

void allocates() {
    allocate(0);
}

OWN_FRAME void one_caller() {
    at_the_bottom(3000, allocates);
    work = work + 1;
}

OWN_FRAME void other_caller() {
    at_the_bottom(3000, allocates);
    work = work + 2;
}

} // namespace

OWN_FRAME void at_the_bottom(int depth, void (*act)()) {
    if (depth == 0) {
        act();
    } else {
        at_the_bottom(depth - 1, act);
    }
    work = work + 1;
}

void deep() {
    deeper(5000);
}

void aligned_frames() {
    aligned(300);
}

void two_callers() {
    for (int each = 0; each < 200; ++each) {
        one_caller();
        other_caller();
    }
}

void changing_middles() {
    for (int each = 0; each < 1200; ++each) {
        turns(1000, each / 60 % 2 == 0 ? 500 : 700);
    }
}

void too_deep() {
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{512} << 20);
    pthread_t thread{};
    if (pthread_create(&thread, &large, &down_and_up, nullptr) != 0) {
        std::exit(1);
    }
    pthread_join(thread, nullptr);
}

} // namespace scenes
