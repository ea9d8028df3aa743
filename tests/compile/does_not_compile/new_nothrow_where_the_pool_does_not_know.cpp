// EXPECTED: the pool has to know its blocks
#include <mallard/mallard.hpp>

struct messages : mallard::shared_by_threads<messages, mallard::synchronized<mallard::new_delete>> {};

struct message
#ifdef LEGAL
    final
#endif
    : mallard::pooled<message, messages> {
    message() : number(0) {}
    int number;
};

int main() {
    delete new (std::nothrow) message;
}
