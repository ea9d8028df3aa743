// A class with an allocator as a member: no linker name tells the mode in which it was compiled.
#pragma once

#include <mallard/local/multipool.hpp>

struct server {
    server();
    void serve();

    mallard::multipool<> pool;
    long requests = 0;
};
