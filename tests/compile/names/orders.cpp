// A pool with a name, or with NAMELESS=1 without one.
#include <mallard/mallard.hpp>

#include <list>
#include <memory_resource>
#include <vector>

#ifdef NAMELESS
using pool_type = mallard::multipool<>;
using resource_type = mallard::resource<pool_type>;
#define NAME(text)
#define NAME_OF_MEMBER(text)
#else
using pool_type = mallard::named<mallard::multipool<>>;
using resource_type = mallard::resource<pool_type>;
#define NAME(text) (text)
#define NAME_OF_MEMBER(text) {text}
#endif

struct book {
    pool_type pool NAME_OF_MEMBER("the name of the pool");
    long sum = 0;
};

static_assert(MALLARD_NAMES || sizeof(book) == sizeof(mallard::multipool<>) + sizeof(long));

long fill(book& orders) {
    std::list<long, mallard::allocator<long, pool_type>> all(orders.pool);
    for (long i = 0; i != 100; ++i) {
        all.push_back(i);
        orders.sum += all.front();
    }
    return orders.sum;
}

int main() {
    book orders;
    resource_type resource NAME("the name of the resource");
    std::pmr::vector<long> more(100, fill(orders), &resource);
    mallard::dump_named_allocators();
    return static_cast<int>(more[99]);
}
