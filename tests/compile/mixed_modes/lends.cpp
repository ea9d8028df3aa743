// Lends an inline base to a part of the program that was compiled in another mode, which is allowed.
#include <mallard/mallard.hpp>

int sum_through(mallard::inline_resource& memory);
bool is_of_the_global_heap(const mallard::inline_resource& memory);

int main() {
    mallard::resource<mallard::multipool<>> pool;
    mallard::resource<mallard::monotonic<>> arena;
    mallard::resource<mallard::counted<mallard::multipool<>>> counted;
    const bool right = sum_through(pool) == 6 && sum_through(arena) == 6 && sum_through(counted) == 6;
    const mallard::resource<mallard::new_delete> global;
    const mallard::resource<mallard::chunk_cache> cache;
    const bool equal = is_of_the_global_heap(global) &&
                       is_of_the_global_heap(*mallard::new_delete_resource()) &&
                       !is_of_the_global_heap(cache) && !is_of_the_global_heap(pool);
    return right && equal && counted.mechanism().counts().allocations == 3 &&
                   counted.mechanism().counts().bytes_in_use == 0
               ? 0
               : 1;
}
