// A complete allocator in the style of C++98.
//
// Before std::allocator_traits, a container asked its allocator for everything: the types of pointers,
// references and sizes, the address, construction and destruction of an object, the allocator of another type.
// Old code still does; `antique_stack` below stands for it. The same class serves today's containers, which ask
// for less. The interface is that of C++98, its implementation is not.
#include <mallard/mallard.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace {

mallard::counted<mallard::multipool<>> pool;

// The part that all such allocators share.
template <class T>
struct allocator_types {
    using value_type = T;
    using pointer = T*;
    using const_pointer = const T*;
    using reference = T&;
    using const_reference = const T&;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;

    pointer address(reference r) const { return std::addressof(r); } // T may have an operator & of its own
    const_pointer address(const_reference r) const { return std::addressof(r); }
};

template <class T>
struct complete_allocator : allocator_types<T> {
    using pointer = typename allocator_types<T>::pointer;
    using size_type = typename allocator_types<T>::size_type;

    // The allocator of another type. Its name has to be `other`; containers look for it.
    template <class U>
    struct rebind {
        using other = complete_allocator<U>;
    };

    complete_allocator() = default;
    template <class U>
    complete_allocator(const complete_allocator<U>&) noexcept {}

    // The hint is the address of a neighbour. Hardly any allocator uses it.
    pointer allocate(size_type n, const void* = nullptr) {
        if (n > max_size()) {
            throw std::bad_alloc();
        }
        return static_cast<pointer>(pool.allocate(n * sizeof(T), alignof(T)));
    }

    void deallocate(pointer p, size_type n) noexcept { pool.deallocate(p, n * sizeof(T), alignof(T)); }

    // In objects, not in bytes.
    size_type max_size() const noexcept { return PTRDIFF_MAX / sizeof(T); }

    // C++98 copied a T here; C++11 passes the arguments of its constructor.
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }

    template <class U>
    void destroy(U* p) {
        p->~U();
    }
};

template <class T, class U>
bool operator==(const complete_allocator<T>&, const complete_allocator<U>&) noexcept {
    return true;
}

template <class T, class U>
bool operator!=(const complete_allocator<T>& a, const complete_allocator<U>& b) noexcept {
    return !(a == b);
}

// A container of that time: it does not use std::allocator_traits.
template <class T, class Alloc>
class antique_stack {
    struct node {
        T value;
        node* below;
    };
    using node_allocator = typename Alloc::template rebind<node>::other;

public:
    using const_reference = typename Alloc::const_reference;
    using size_type = typename Alloc::size_type;

    antique_stack() = default;
    antique_stack(const antique_stack&) = delete;
    antique_stack& operator=(const antique_stack&) = delete;
    ~antique_stack() {
        while (top_ != nullptr) {
            pop();
        }
    }

    void push(const_reference value) {
        typename node_allocator::pointer added = nodes_.allocate(1);
        nodes_.construct(added, node{value, top_});
        top_ = added;
        ++size_;
    }

    void pop() {
        node* const removed = top_;
        top_ = removed->below;
        nodes_.destroy(removed);
        nodes_.deallocate(removed, 1);
        --size_;
    }

    const_reference top() const { return top_->value; }
    size_type size() const { return size_; }

private:
    node_allocator nodes_;
    node* top_ = nullptr;
    size_type size_ = 0;
};

} // namespace

int main() {
    {
        antique_stack<std::string, complete_allocator<std::string>> words;
        words.push("first");
        words.push("last");
        std::cout << words.size() << " words, on top the " << words.top() << "; " << pool.counts().allocations
                  << " nodes of the pool\n";
    }
    std::cout << pool.counts().bytes_in_use << " bytes in use afterwards\n";

    using entry = std::pair<const int, int>;
    std::map<int, int, std::less<int>, complete_allocator<entry>> squares;
    for (int i = 0; i != 100; ++i) {
        squares[i] = i * i;
    }
    std::cout << "a map of today: " << squares.size() << " entries, " << pool.counts().allocations
              << " nodes of the pool in all\n";
}
