// mallard::winkable by type parameter: a part that does not receive the arena needs another allocator.
#include "containers/expect_winkable.hpp"
#include "containers/global_heap.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

namespace {

using namespace containers;

class by_type {
public:
    using place_type = mallard::counted<mallard::multipool<mallard::pages>>;
    template <class T>
    using allocator = mallard::allocator<T, place_type>;
    using string = std::basic_string<char, std::char_traits<char>, allocator<char>>;

    place_type& place() { return place_; }
    template <class T>
    T make_elsewhere() {
        return std::make_obj_using_allocator<T>(allocator<std::byte>(elsewhere_));
    }
    long outside() const {
        return static_cast<long>(elsewhere_.counts().bytes_in_use) + blocks_on_global_heap();
    }

private:
    mallard::pages pages_;
    place_type place_{pages_};
    place_type elsewhere_{pages_};
};

using all = types<by_type>;

TEST(winkable_by_type, holds_of_values) {
    expect_winkable<by_type>(all::values());
}
TEST(winkable_by_type, holds_of_sequences) {
    expect_winkable<by_type>(all::sequences());
}
TEST(winkable_by_type, holds_of_containers_with_keys) {
    expect_winkable<by_type>(all::keyed());
}
TEST(winkable_by_type, holds_of_pairs_and_tuples) {
    expect_winkable<by_type>(all::pairs());
}
TEST(winkable_by_type, refuses_types_that_drop_the_allocator) {
    expect_refused<by_type>(all::leaking());
}

TEST(winkable_by_type, refuses_foreign_and_default_constructed_parts) {
    EXPECT_TRUE(none_is_winkable<all::leaking_by_default>);
    EXPECT_TRUE(none_is_winkable<all::foreign>);
    EXPECT_TRUE((none_is_winkable<type_list<all::V<std::pmr::string>, std::pmr::vector<all::S>>>));
}

struct tagged : mallard::single_threaded<tagged, mallard::multipool<>> {};

// The memory of the first is released by its own pool, not by the argument of wink_out().
TEST(winkable_by_type, refuses_memory_from_another_arena) {
    EXPECT_FALSE((mallard::winkable<std::vector<int, mallard::static_allocator<int, tagged>>>));
    EXPECT_FALSE((mallard::winkable<std::pair<all::S, std::pmr::string>>)) << "two releases would be needed";
}

} // namespace
