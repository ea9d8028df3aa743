// EXPECTED: no constructor that takes these arguments with an allocator
#include <mallard/mallard.hpp>

#include <string>
#include <vector>

struct order {
    using allocator_type = mallard::inline_allocator<>;
    using text = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;

    explicit order(const allocator_type& memory) : customer(memory) {}
    order(const order& other) : customer(other.customer) {}
#ifdef LEGAL
    order(const order& other, const allocator_type& memory) : customer(other.customer, memory) {}
#endif

    text customer;
};

int main() {
    mallard::resource<mallard::multipool<>> pool;
    std::vector<order, mallard::inline_allocator<order>> orders{&pool};
    orders.push_back(order(&pool));
}
