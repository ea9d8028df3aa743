// A class with a named allocator as a member: its size depends on MALLARD_NAMES, and its linker name does not.
#pragma once

#include <mallard/adapt/named.hpp>
#include <mallard/local/multipool.hpp>

struct desk {
    mallard::named<mallard::multipool<>> orders{"orders"};
    long open_orders = 0;
};

desk& open_desk();
