// Allocators of containers, pools with a name, and hooks of C libraries.

#include <mallard/mallard.hpp>

#include <functional>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

#ifdef bind_to_null
// EXPECTED: deleted
mallard::multipool<> pool;
#if LEGAL
const mallard::allocator<int, mallard::multipool<>> bound(&pool);
#else
const mallard::allocator<int, mallard::multipool<>> bound(nullptr);
#endif
#endif

#ifdef container_without_its_allocator
// EXPECTED: a mechanism with state has no default: give the container its allocator
// LINES: 18
// CODE
int main() {
    mallard::multipool<> pool;
#if LEGAL
    std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers(pool);
#else
    std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers;
#endif
    numbers.push_back(1);
}
#endif

#ifdef element_that_leaves_its_allocator_out
// EXPECTED: no constructor that takes these arguments with an allocator
struct order {
    using allocator_type = mallard::inline_allocator<>;
    using text = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;

    explicit order(const allocator_type& memory) : customer(memory) {}
    order(const order& other) : customer(other.customer) {}
#if LEGAL
    order(const order& other, const allocator_type& memory) : customer(other.customer, memory) {}
#endif

    text customer;
};

int main() {
    mallard::resource<mallard::multipool<>> pool;
    std::vector<order, mallard::inline_allocator<order>> orders{&pool};
    orders.push_back(order(&pool));
}
#endif

#ifdef expand_in_a_pool_that_cannot
// EXPECTED: expandable
int main() {
    std::conditional_t<LEGAL, mallard::heap<>, mallard::multipool<>> pool;
    mallard::expandable_allocator<int, decltype(pool)> allocator(pool);
    allocator.deallocate(allocator.allocate(10), 10);
}
#endif

#ifdef mask_new_allocation
// EXPECTED: Masked|constraint
constexpr auto masked = LEGAL ? mallard::expansion::in_place : mallard::expansion::any;
mallard::heap<> heap;
mallard::expandable_allocator<int, mallard::heap<>, masked> allocator(heap);
#endif

#ifdef hooks_of_what_is_no_allocator
// EXPECTED: c_functions takes the type of an allocator, or a tag that names a pool
using source = std::conditional_t<LEGAL, mallard::multipool<>, mallard::multipool<>*>;
void* (*const hook)(void*, unsigned, unsigned) = mallard::c_functions<source>::malloc;
#endif

#ifdef inline_string_in_a_static_container
// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
using memory =
    std::conditional_t<LEGAL, mallard::static_allocator<char, nodes>, mallard::inline_allocator<char>>;
using string = std::basic_string<char, std::char_traits<char>, memory>;

int main() {
    std::list<string, mallard::static_allocator<string, nodes>> names;
    names.emplace_back("mallard");
}
#endif

#ifdef pmr_string_as_the_value_of_a_map
// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
using memory = std::conditional_t<LEGAL, mallard::inline_resource, mallard::multipool<>>;
using entry = std::pair<const int, std::pmr::string>;

int main() {
    std::conditional_t<LEGAL, mallard::resource<mallard::multipool<>>, mallard::multipool<>> pool;
    std::map<int, std::pmr::string, std::less<>, mallard::allocator<entry, memory>> names(pool);
    names.try_emplace(1, "mallard");
}
#endif

#ifdef pmr_string_in_a_container_of_a_mechanism
// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
int main() {
    std::conditional_t<LEGAL, mallard::resource<mallard::multipool<>>, mallard::multipool<>> pool;
    std::vector<std::pmr::string, mallard::allocator<std::pmr::string, decltype(pool)>> names(pool);
    names.emplace_back("mallard");
}
#endif

#ifdef pmr_string_made_in_a_mechanism
// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
int main() {
    std::conditional_t<LEGAL, mallard::resource<mallard::multipool<>>, mallard::multipool<>> pool;
    static_cast<void>(mallard::make_unique<std::pmr::string>(pool, "mallard"));
}
#endif

#ifdef standard_container_on_a_mechanism
// EXPECTED: std::pmr takes the address of a mallard::resource
// LINES: 12
int main() {
#if LEGAL
    mallard::resource<mallard::multipool<>> pool;
    std::pmr::vector<int> numbers{&pool};
#else
    mallard::multipool<> pool;
    std::pmr::vector<int> numbers{pool};
#endif
}
#endif

#ifdef standard_container_on_a_resource
// EXPECTED: a polymorphic allocator takes its address
// LINES: 12
int main() {
    mallard::resource<mallard::multipool<>> pool;
#if LEGAL
    std::pmr::vector<std::pmr::string> names(&pool);
#else
    std::pmr::vector<std::pmr::string> names(pool);
#endif
}
#endif

#ifdef static_allocator_without_a_pool
// EXPECTED: pool_tag|constraint
struct nodes
#if LEGAL
    : mallard::per_thread<nodes, mallard::fixed_pool<>>
#endif
{
};
std::list<int, mallard::static_allocator<int, nodes>> numbers(10);
#endif

#ifdef name_a_pool_that_takes_arguments
// EXPECTED: is made without arguments
struct one_chunk : mallard::fixed_pool<mallard::single_arena<>> {
#if LEGAL
    one_chunk() noexcept : fixed_pool(1000) {}
#else
    explicit one_chunk(std::size_t blocks) noexcept : fixed_pool(blocks) {}
#endif
};
struct nodes : mallard::per_thread<nodes, one_chunk> {};

int main() {
    nodes::pool().release();
}
#endif

#ifdef share_a_pool_without_a_lock
// EXPECTED: all threads would use this pool at once
using pool = std::conditional_t<LEGAL, mallard::synchronized<mallard::fixed_pool<>>, mallard::fixed_pool<>>;
struct nodes : mallard::shared_by_threads<nodes, pool> {};

int main() {
    nodes::pool().release();
}
#endif

#ifdef new_nothrow_where_the_pool_does_not_know
// EXPECTED: the pool has to know its blocks
struct messages : mallard::shared_by_threads<messages, mallard::synchronized<mallard::new_delete>> {};

struct message
#if LEGAL
    final
#endif
    : mallard::pooled<message, messages> {
    message() : number(0) {}
    int number;
};

int main() {
    delete new (std::nothrow) message;
}
#endif
