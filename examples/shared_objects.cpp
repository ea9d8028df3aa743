// Shared objects in a pool.
//
// std::allocate_shared puts the object and its reference counts into one block. The pool is
// synchronized, because the last owner frees the block, in any thread. A weak pointer keeps the block, though not the object.
#include <mallard/mallard.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

struct document {
    std::string title;
    int pages;
};

using pool_type = mallard::synchronized<mallard::counted<mallard::multipool<>>>;

} // namespace

int main() {
    pool_type pool;
    const mallard::allocator<document, pool_type> allocator(pool);

    std::vector<std::shared_ptr<document>> documents;
    for (int i = 0; i != 1000; ++i) {
        documents.push_back(std::allocate_shared<document>(allocator, document{"a title", i}));
    }
    const std::weak_ptr<document> last = documents.back();
    const auto counts = [&pool] { return pool.mechanism().counts(); };
    std::cout << counts().allocations << " blocks for " << documents.size() << " objects\n";

    std::thread([owned = std::move(documents)]() mutable { owned.clear(); }).join();
    std::cout << (last.expired() ? "the last object is gone" : "the last object lives") << ", and "
              << counts().allocations - counts().deallocations << " block is in use\n";
}
