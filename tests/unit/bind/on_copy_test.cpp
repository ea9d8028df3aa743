#include <mallard/bind/on_copy.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using mallard::global_on_copy;

template <class T>
using leaving = mallard::inline_allocator<T, global_on_copy>;
using leaving_string = std::basic_string<char, std::char_traits<char>, leaving<char>>;
using leaving_names = std::vector<leaving_string, leaving<leaving_string>>;

TEST(shared_on_copy, is_the_default_policy) {
    mallard::multipool pool;
    const std::vector<int, mallard::allocator<int, mallard::multipool<>>> original({1, 2, 3}, pool);
    const auto copy = original; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(&copy.get_allocator().mechanism(), &pool);
    mallard::resource bound(pool);
    const std::vector<int, mallard::inline_allocator<int>> based({1, 2, 3}, &bound);
    const auto based_copy = based; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(&based_copy.get_allocator().mechanism(), &bound);
}

TEST(global_on_copy, lets_copies_outlive_the_arena) {
    auto arena = std::make_unique<mallard::resource<mallard::monotonic<>>>();
    const auto names = std::make_unique<leaving_names>(arena.get());
    names->emplace_back("a name that is too long for the string itself, number 1");
    names->emplace_back("a name that is too long for the string itself, number 2");
    EXPECT_EQ(&names->front().get_allocator().mechanism(), arena.get()) << "handed down";
    leaving_names copy = *names;
    EXPECT_EQ(&copy.get_allocator().mechanism(), mallard::new_delete_resource());
    EXPECT_EQ(&copy.front().get_allocator().mechanism(), mallard::new_delete_resource());
    const leaving_string word = names->front();
    const_cast<std::unique_ptr<leaving_names>&>(names).reset();
    arena.reset();
    EXPECT_EQ(copy.back().back(), '2');
    EXPECT_EQ(word.back(), '1');
}

TEST(global_on_copy, leaves_moves_and_assignments_alone) {
    mallard::resource<mallard::monotonic<>> arena;
    mallard::resource<mallard::monotonic<>> another;
    std::vector<int, leaving<int>> a({1, 2, 3}, &arena);
    std::vector<int, leaving<int>> b(&another);
    b = a;
    EXPECT_EQ(&b.get_allocator().mechanism(), &another);
    const auto moved = std::move(a);
    EXPECT_EQ(&moved.get_allocator().mechanism(), &arena);
}

TEST(global_on_copy, is_no_obstacle_to_winking_out) {
    static_assert(mallard::winkable<leaving_names>);
    mallard::resource<mallard::monotonic<>> arena;
    auto& names = mallard::wink_out<leaving_names>(arena);
    names.emplace_back("a name that is too long for the string itself");
    EXPECT_EQ(&names.front().get_allocator().mechanism(), &arena);
    arena.release();
}

/// Copies go to a mechanism of the same type that the user names.
struct into_the_archive {
    static inline mallard::multipool<>* archive = nullptr;
    static mallard::multipool<>& of_copy(mallard::multipool<>&) noexcept { return *archive; }
};

TEST(on_copy, may_be_a_policy_of_the_user) {
    mallard::multipool pool;
    mallard::multipool archive;
    into_the_archive::archive = &archive;
    using numbers = std::vector<int, mallard::allocator<int, mallard::multipool<>, into_the_archive>>;
    static_assert(mallard::winkable<numbers>);
    const numbers original({1, 2, 3}, pool);
    const numbers copy = original; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(&copy.get_allocator().mechanism(), &archive);
    EXPECT_EQ(mallard::wink_out<numbers>(pool, std::size_t{3}, 7).back(), 7);
    auto* const object = mallard::make<numbers>(pool, std::size_t{3}, 7);
    EXPECT_EQ(&object->get_allocator().mechanism(), &pool);
    mallard::destroy(pool, object);
}

} // namespace
