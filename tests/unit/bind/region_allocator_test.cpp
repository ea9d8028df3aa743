// Containers in memory that is mapped at two addresses at once, as by two processes that share it.
#include "equipment/boost_containers.hpp"
#include "equipment/heaps.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/bind/region_allocator.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/typed/make.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using heap_type = mallard::region_heap;
template <class T>
using alloc = mallard::region_allocator<T>;
template <class T>
using vector = std::vector<T, alloc<T>>;

static_assert(std::is_same_v<std::allocator_traits<alloc<int>>::pointer, mallard::offset_ptr<int>>);
static_assert(std::is_same_v<std::allocator_traits<alloc<int>>::rebind_alloc<char>, alloc<char>>);

#ifdef __GLIBCXX__ // the links of libstdc++'s lists and hash tables are addresses
static_assert(mallard::bind::node_of_addresses<std::_Fwd_list_node<int>>);
static_assert(mallard::bind::node_of_addresses<std::_List_node<int>>);
static_assert(mallard::bind::node_of_addresses<std::__detail::_Hash_node<int, false>>);
#endif
static_assert(!mallard::bind::node_of_addresses<int> && !mallard::bind::node_of_addresses<vector<int>>);

static_assert(mallard::bind::holds_address<std::pair<const int, char*>> &&
              mallard::bind::holds_address<std::tuple<int, std::pair<int*, int>>> &&
              !mallard::bind::holds_address<std::pair<int, mallard::offset_ptr<char>>>);
static_assert(mallard::bind::allocates_elsewhere<std::tuple<int, const std::string>, alloc<int>> &&
              !mallard::bind::allocates_elsewhere<std::pair<int, vector<char>>, alloc<int>>);

class mapped_twice : public ::testing::Test {
protected:
    static constexpr std::size_t bytes = 1 << 20;

    void SetUp() override {
        ASSERT_GE(file_, 0);
        ASSERT_EQ(ftruncate(file_, bytes), 0);
        for (std::byte*& base : bases_) {
            void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
            ASSERT_NE(p, MAP_FAILED);
            base = static_cast<std::byte*>(p);
        }
        heap_type::create_in(std::span(bases_[0], bytes));
    }
    void TearDown() override {
        EXPECT_EQ(equipment::find_defect(seen_at(1)), "");
        for (std::byte* const base : bases_) {
            mallard::core::unpoison(base, bytes);
            munmap(base, bytes);
        }
        close(file_);
    }

    /// Returns: the heap at one of its two addresses. A process does not know of memory that another one marked.
    heap_type& seen_at(std::size_t place) {
        mallard::core::unpoison(bases_[place], bytes);
        return heap_type::open_in(std::span(bases_[place], bytes));
    }
    bool lies_at(std::size_t place, const void* p) const {
        return mallard::core::lies_in({bases_[place], bytes}, p);
    }

    int file_ = memfd_create("region", 0);
    std::byte* bases_[2] = {};
};

TEST_F(mapped_twice, vector_is_used_at_both_addresses) {
    using numbers = vector<int>;
    heap_type& first = seen_at(0);
    first.set_root("numbers", mallard::make<numbers>(first));
    auto* const first_view = first.find_root<numbers>("numbers");
    ASSERT_NE(first_view, nullptr);
    first_view->resize(1000);
    std::iota(first_view->begin(), first_view->end(), 0);
    auto* const second_view = seen_at(1).find_root<numbers>("numbers");
    ASSERT_TRUE(lies_at(1, second_view));
    EXPECT_NE(static_cast<void*>(second_view), static_cast<void*>(first_view));
    EXPECT_EQ(second_view->size(), 1000U);
    EXPECT_EQ((*second_view)[999], 999);
    EXPECT_TRUE(lies_at(1, second_view->data()));
    for (int i = 0; i != 9000; ++i) {
        second_view->push_back(i);
    }
    mallard::core::unpoison(bases_[0], bytes);
    EXPECT_EQ(first_view->size(), 10000U);
    EXPECT_EQ(first_view->back(), 8999);
    EXPECT_TRUE(lies_at(0, first_view->data()));
    mallard::destroy(first, first_view);
    first.set_root("numbers", nullptr);
    EXPECT_EQ(first.use().used_blocks, 0U);
}

TEST_F(mapped_twice, elements_take_the_allocator) {
    using table = vector<vector<std::pair<int, vector<char>>>>;
    heap_type& first = seen_at(0);
    first.set_root("table", mallard::make<table>(first));
    auto* const first_view = first.find_root<table>("table");
    first_view->resize(3);
    first_view->back().emplace_back(std::piecewise_construct, std::forward_as_tuple(1),
                                    std::forward_as_tuple(100, 'x'));
    const table& second_view = *seen_at(1).find_root<table>("table");
    EXPECT_EQ(second_view[2][0].second.size(), 100U);
    EXPECT_EQ(second_view[2][0].second[99], 'x');
    EXPECT_TRUE(lies_at(1, second_view[2][0].second.data()));
    EXPECT_EQ(&second_view[2][0].second.get_allocator().mechanism(), &seen_at(1));
    mallard::destroy(seen_at(0), first_view);
}

TEST_F(mapped_twice, copies_and_moves_stay_in_region) {
    heap_type& heap = seen_at(0);
    vector<int> source(100, 7, heap);
    vector<int> copied = source;
    EXPECT_TRUE(lies_at(0, copied.data()));
    const int* const data = source.data();
    const vector<int> moved = std::move(source);
    EXPECT_EQ(moved.data(), data);
    alignas(16) std::byte memory[16384];
    heap_type& other = heap_type::create_in(memory);
    {
        vector<int> elsewhere(other);
        elsewhere = std::move(copied);
        EXPECT_TRUE(other.owns(elsewhere.data()));
        EXPECT_EQ(elsewhere, moved);
        EXPECT_FALSE(elsewhere.get_allocator() == moved.get_allocator());
    }
    other.give_up();
}

TEST_F(mapped_twice, full_region_throws_and_is_unchanged) {
    heap_type& heap = seen_at(0);
    alloc<int> ints(heap);
    const auto free_bytes = heap.use().free_bytes;
    EXPECT_OUT_OF_MEMORY(static_cast<void>(ints.allocate(bytes)));
#ifdef __cpp_exceptions
    EXPECT_THROW(static_cast<void>(ints.allocate(ints.max_size() + 1)), std::bad_array_new_length);
#endif
    EXPECT_EQ(heap.use().free_bytes, free_bytes);
}

TEST_F(mapped_twice, roots_are_found_by_their_whole_names) {
    heap_type& first = seen_at(0);
    int* const one = mallard::make<int>(first, 1);
    int* const two = mallard::make<int>(first, 2);
    EXPECT_EQ(first.find_root<int>("one"), nullptr);
    first.set_root("one", one);
    first.set_root("", two);
    first.set_root(std::string_view("one\0two", 7), two);
    EXPECT_EQ(*seen_at(1).find_root<int>("one"), 1);
    EXPECT_EQ(*seen_at(1).find_root<int>(""), 2);
    EXPECT_EQ(*seen_at(1).find_root<int>(std::string_view("one\0two", 7)), 2);
    EXPECT_EQ(seen_at(1).find_root<int>("on"), nullptr);
    EXPECT_EQ(seen_at(1).find_root<int>("one "), nullptr);
    first.set_root("one", two);
    EXPECT_EQ(*seen_at(1).find_root<int>("one"), 2);
    const auto used = first.use().used_blocks;
    first.set_root("", nullptr); // between two others
    first.set_root("never", nullptr);
    EXPECT_EQ(first.use().used_blocks, used - 1);
    EXPECT_EQ(seen_at(1).find_root<int>(""), nullptr);
    EXPECT_NE(seen_at(1).find_root<int>("one"), nullptr);
    EXPECT_NE(seen_at(1).find_root<int>(std::string_view("one\0two", 7)), nullptr);
    seen_at(0).release();
    EXPECT_EQ(first.find_root<int>("one"), nullptr);
}

TEST_F(mapped_twice, roots_of_another_type_are_refused) {
    heap_type& first = seen_at(0);
    first.set_root("count", mallard::make<int>(first, 1));
    heap_type& second = seen_at(1);
    EXPECT_EQ(*second.find_root<const int>("count"), 1);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(second.find_root<std::int64_t>("count"))); // another size
    EXPECT_OUT_OF_MEMORY(static_cast<void>(second.find_root<unsigned>("count")));     // another name
    EXPECT_OUT_OF_MEMORY(static_cast<void>(second.find_root<vector<int>>("count")));
    EXPECT_EQ(*second.find_root<int>("count"), 1);
    first.set_root("count", mallard::make<vector<int>>(first, 3U));
    EXPECT_EQ(seen_at(1).find_root<vector<int>>("count")->size(), 3U);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(seen_at(1).find_root<vector<long long>>("count")));
    first.set_root("count", static_cast<int*>(nullptr));
    EXPECT_EQ(seen_at(1).find_root<int>("count"), nullptr);
    seen_at(0).release();
}

TEST_F(mapped_twice, name_without_memory_throws) {
    heap_type& heap = seen_at(0);
    int* const one = mallard::make<int>(heap, 1);
    heap.set_root("one", one);
    while (heap.try_allocate(32) != nullptr) {
    }
    EXPECT_OUT_OF_MEMORY(heap.set_root("two", one));
    EXPECT_EQ(heap.find_root<int>("two"), nullptr);
    heap.set_root("one", nullptr); // takes none
    heap.set_root("one", one);
    EXPECT_EQ(*seen_at(1).find_root<int>("one"), 1);
    seen_at(0).release();
}

#if EQUIPMENT_HAS_BOOST

namespace bc = boost::container;
using text = bc::basic_string<char, std::char_traits<char>, alloc<char>>;

TEST_F(mapped_twice, containers_of_boost_are_used_at_both_addresses) {
    using map = bc::map<int, text, std::less<int>, alloc<std::pair<const int, text>>>;
    using list = bc::list<text, alloc<text>>;
    heap_type& first = seen_at(0);
    auto* const names = mallard::make<map>(first);
    auto* const queue = mallard::make<list>(first);
    first.set_root("names", names);
    first.set_root("queue", queue);
    for (int i = 0; i != 100; ++i) {
        names->emplace(i, text(30 + static_cast<std::size_t>(i), 'x', alloc<char>(first)));
        queue->emplace_back(static_cast<std::size_t>(i), 'y');
    }
    heap_type& second = seen_at(1);
    map& second_view = *second.find_root<map>("names");
    EXPECT_EQ(second_view.size(), 100U);
    EXPECT_EQ(second_view.at(99).size(), 129U);
    EXPECT_TRUE(lies_at(1, second_view.at(99).data()));
    second_view.erase(50);
    second_view.at(1).append(1000, 'z');
    list& second_queue = *second.find_root<list>("queue");
    EXPECT_EQ(second_queue.back().size(), 99U);
    second_queue.pop_front();
    mallard::core::unpoison(bases_[0], bytes);
    EXPECT_EQ(names->size(), 99U);
    EXPECT_EQ(names->at(1).size(), 1031U);
    EXPECT_EQ(queue->front(), "y");
    mallard::destroy(first, names);
    mallard::destroy(first, queue);
}

#endif

} // namespace
