// Functions of glibc that are newer than 2.34, for programs and libraries that run on other machines. With a reference to
// the newer function, an older glibc would not load them. These definitions are hidden: they serve the code that they are
// linked with, which has static parts of libstdc++ and libgcc.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>

namespace {

using find_object = int (*)(void*, dl_find_object*) noexcept;

int find_no_object(void* /*address*/, dl_find_object* /*result*/) noexcept {
    return -1;
}

constinit std::atomic<find_object> system_find_object{nullptr};

} // namespace

// Of 2.35; distributions have added it to older ones. The first call is made by the first event, which has resolved malloc
// in the same way, so it adds no wait for the loader's lock.
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void* address,
                                                                     dl_find_object* result) noexcept {
    find_object function = system_find_object.load(std::memory_order_relaxed);
    if (function == nullptr) {
        function = reinterpret_cast<find_object>(::dlsym(RTLD_NEXT, "_dl_find_object"));
        function = function == nullptr ? find_no_object : function;
        system_find_object.store(function, std::memory_order_relaxed);
    }
    return function(address, result);
}

// Of 2.36, for std::random_device.
extern "C" __attribute__((visibility("hidden"))) unsigned arc4random() noexcept {
    unsigned number = 0;
    return ::getentropy(&number, sizeof number) == 0 ? number : 0;
}
