// EXPECTED: wink_out_would_leak<file_handle>
#include <mallard/mallard.hpp>

struct file_handle {
    ~file_handle() {}
    int descriptor = 0;
};

int main() {
    mallard::monotonic<> arena;
#ifdef LEGAL
    mallard::wink_out<file_handle>(mallard::assume_winkable, arena);
#else
    mallard::wink_out<file_handle>(arena);
#endif
}
