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

// ---- a deep recursion only the middle of which changes ----

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

// ---- deeper than the recorder's limit ----

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
    for (int count = 0; count < 2; ++count) {
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

// ---- the bottom of a deep recursion, called from two callers with frames of equal size ----

void allocates() {
    allocate(0);
}

OWN_FRAME void first_caller() {
    at_the_bottom(3000, allocates);
    work = work + 1;
}

OWN_FRAME void second_caller() {
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

void two_callers(int rounds) {
    for (int count = 0; count < rounds; ++count) {
        first_caller();
        second_caller();
    }
}

void changing_middles() {
    for (int turn = 0; turn < 1200; ++turn) {
        turns(1000, turn / 60 % 2 == 0 ? 500 : 700);
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
