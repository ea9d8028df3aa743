// A class with an allocator as a member, which no name of the linker shows.
#pragma once

#include <mallard/mallard.hpp>

struct half {
    half();
    void fill();

    mallard::multipool<> pool;
    long requests = 0;
};
