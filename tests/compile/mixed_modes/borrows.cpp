// Takes memory from an inline base whose mechanism was compiled in another mode.
#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <list>

int sum_through(mallard::inline_resource& memory);

bool is_of_the_global_heap(const mallard::inline_resource& memory);

bool is_of_the_global_heap(const mallard::inline_resource& memory) {
    const mallard::resource<mallard::new_delete> own;
    return own == memory && memory == own;
}

int sum_through(mallard::inline_resource& memory) {
    int sum = 0;
    for (const int number : std::list<int, mallard::inline_allocator<int>>({1, 2, 3}, &memory)) {
        sum += number;
    }
    return sum;
}
