#include "runner/strategy/contender/mimalloc/heap.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace bench {

namespace {

/// The functions of the library are found by name, so that its malloc replaces none.
class opened_library {
public:
    explicit opened_library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) {
            fail();
        }
    }

    template <class Function>
    void find(Function& function, const char* name) const {
        function = reinterpret_cast<Function>(dlsym(handle_, name));
        if (function == nullptr) {
            fail();
        }
    }

private:
    [[noreturn]] static void fail() {
        throw std::runtime_error(std::string("mimalloc: ") + dlerror() +
                                 "; install libmimalloc-dev and build again");
    }

    void* handle_;
};

mimalloc_functions open_mimalloc() {
    const opened_library library(BENCH_MIMALLOC_LIBRARY);
    mimalloc_functions functions{};
    library.find(functions.heap_new, "mi_heap_new");
    library.find(functions.heap_destroy, "mi_heap_destroy");
    library.find(functions.heap_collect, "mi_heap_collect");
    library.find(functions.heap_malloc, "mi_heap_malloc");
    library.find(functions.free, "mi_free");
    return functions;
}

} // namespace

const mimalloc_functions& mimalloc() {
    static const mimalloc_functions functions = open_mimalloc();
    return functions;
}

} // namespace bench
