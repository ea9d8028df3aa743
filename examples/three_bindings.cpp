// One type under three bindings.
//
// The class below takes its allocator as a type parameter. With mallard::allocator the compiler knows the mechanism
// and inlines its calls. With std::pmr::polymorphic_allocator the class takes any memory resource at run time, and
// each call is virtual. With mallard::inline_allocator it takes any resource of mallard at run time, and nearly all
// calls are inline. One multipool serves all three.
#include <mallard/mallard.hpp>

#include <iostream>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace {

template <class Alloc>
class glossary {
    template <class T>
    using rebound = typename std::allocator_traits<Alloc>::template rebind_alloc<T>;
    using text = std::basic_string<char, std::char_traits<char>, rebound<char>>;
    using entries = std::vector<text, rebound<text>>;
    using table = std::map<text, entries, std::less<>, rebound<std::pair<const text, entries>>>;

public:
    using allocator_type = Alloc; // this makes the class itself allocator-aware

    explicit glossary(const Alloc& alloc) : table_(alloc) {}

    void add(std::string_view term, std::string_view meaning) {
        auto entry = table_.find(term);
        if (entry == table_.end()) {
            entry = table_.try_emplace(text(term, table_.get_allocator())).first;
        }
        entry->second.emplace_back(meaning); // two levels down, the string has the table's allocator
    }

    [[nodiscard]] bool lives_in_one_place() const {
        for (const auto& [term, meanings] : table_) {
            for (const text& meaning : meanings) {
                if (meaning.get_allocator() != table_.get_allocator()) {
                    return false;
                }
            }
        }
        return !table_.empty();
    }

private:
    table table_;
};

template <class Alloc>
void show(const char* binding, const Alloc& alloc) {
    glossary<Alloc> terms(alloc);
    terms.add("upstream", "where a local allocator gets its chunks");
    terms.add("winking out", "ending objects' lives by releasing their memory");
    terms.add("winking out", "no destructor runs");
    std::cout << binding << ": " << (terms.lives_in_one_place() ? "all in one place" : "scattered") << '\n';
}

} // namespace

int main() {
    mallard::multipool pool;
    show("by type parameter", mallard::allocator<std::byte, mallard::multipool<>>(pool));

    mallard::resource<mallard::multipool<>> behind_a_base;
    show("by abstract base", std::pmr::polymorphic_allocator<>(&behind_a_base));

    mallard::resource<mallard::multipool<>&> pool_resource(pool); // a base around the pool above
    show("by the base of that pool", std::pmr::polymorphic_allocator<>(&pool_resource));

    mallard::inline_resource& any = pool_resource; // for any mechanism
    show("by inline base", mallard::inline_allocator<>(any));
}
