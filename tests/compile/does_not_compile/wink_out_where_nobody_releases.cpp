// EXPECTED: no matching function for call to .*wink_out
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::monotonic<> source;
#else
    mallard::new_delete source;
#endif
    mallard::wink_out<int>(source, 1);
}
