// A document that owns its memory: an arena that moves with it, and runs the destructors of its objects.
//
// The nodes have no destructor and cost their size. The source is closed when the document ends, or is read again.
#include <mallard/mallard.hpp>

#include <iostream>
#include <string_view>
#include <utility>

namespace {

struct node {
    std::string_view word;
    const node* next;
};

class source {
public:
    explicit source(std::string_view name) : name_(name) { std::cout << "opens " << name_ << '\n'; }
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    ~source() { std::cout << "closes " << name_ << '\n'; }

private:
    std::string_view name_;
};

class document {
public:
    explicit document(std::string_view name) { static_cast<void>(arena_.make<source>(name)); }

    void add(std::string_view word) {
        first_ = arena_.make<node>(mallard::copy_string(arena_.mechanism(), word), first_);
    }

    void print() const {
        for (const node* n = first_; n != nullptr; n = n->next) {
            std::cout << n->word << (n->next != nullptr ? " " : "\n");
        }
    }

private:
    mallard::object_arena<> arena_{std::size_t{16} << 10};
    const node* first_ = nullptr;
};

document read() {
    document result("duck.txt");
    for (const std::string_view word : {"pond", "the", "on", "ducks"}) {
        result.add(word);
    }
    return result;
}

} // namespace

int main() {
    document old = read();
    document moved = std::move(old); // the nodes stay where they are
    moved.print();
}
