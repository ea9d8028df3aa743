// A program that deallocates a block twice, through either binding, and knows nothing of checks.
#include <mallard/mallard.hpp>

#include <cstring>
#include <iostream>

int main(int, char** arguments) {
    mallard::monotonic<> arena; // without checks it does nothing to deallocate
    if (std::strcmp(arguments[1], "type-parameter") == 0) {
        mallard::allocator<int, mallard::monotonic<>> binding(arena);
        int* const p = binding.allocate(6);
        binding.deallocate(p, 6);
        binding.deallocate(p, 6);
    } else {
        mallard::resource<mallard::monotonic<>&> binding(arena);
        void* const p = binding.allocate(24, 4);
        binding.deallocate(p, 24, 4);
        binding.deallocate(p, 24, 4);
    }
    std::cout << "nothing was said\n";
}
