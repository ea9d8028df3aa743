// mallard::winkable through the abstract base: a part that does not receive the resource takes the default one's memory.
#include "containers/expect_winkable.hpp"
#include "containers/global_heap.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <any>
#include <memory_resource>

namespace {

using namespace containers;

class by_base {
public:
    template <class T>
    using allocator = std::pmr::polymorphic_allocator<T>;
    using string = std::pmr::string;
    using place_type = mallard::resource<mallard::monotonic<mallard::pages>>;

    by_base() : before_(std::pmr::set_default_resource(&default_)) {}
    by_base(const by_base&) = delete;
    by_base& operator=(const by_base&) = delete;
    ~by_base() { std::pmr::set_default_resource(before_); }

    place_type& place() { return place_; }
    template <class T>
    T make_elsewhere() {
        return T();
    }
    long outside() const {
        return static_cast<long>(default_.mechanism().bytes_in_use()) + blocks_on_global_heap();
    }

private:
    mallard::pages pages_;
    place_type place_{pages_};
    mallard::resource<mallard::counted<mallard::new_delete>> default_;
    std::pmr::memory_resource* before_;
};

using all = types<by_base>;

TEST(winkable_by_base, knows_what_the_library_hands_to_pairs_within) {
    expect_truth<by_base>(all::pairs_in_pairs());
#ifndef _LIBCPP_VERSION // which cannot make one with an allocator
    expect_truth<by_base>(list_of<std::pair<int, std::pair<int, std::pmr::string>>>());
#endif
}

TEST(winkable_by_base, holds_of_values) {
    expect_winkable<by_base>(all::values());
}
TEST(winkable_by_base, holds_of_sequences) {
    expect_winkable<by_base>(all::sequences());
}
TEST(winkable_by_base, holds_of_containers_with_keys) {
    expect_winkable<by_base>(all::keyed());
}
TEST(winkable_by_base, holds_of_pairs_and_tuples) {
    expect_winkable<by_base>(all::pairs());
}
TEST(winkable_by_base, refuses_what_hands_nothing_down) {
    expect_refused<by_base>(all::leaking());
    expect_refused<by_base>(all::leaking_by_default());
    expect_refused<by_base>(list_of<std::pair<std::array<all::V<int>, 1>, int>>());
}
TEST(winkable_by_base, refuses_what_takes_memory_elsewhere) {
    expect_refused<by_base>(all::foreign());
    expect_refused<by_base>(list_of<untold<by_base>, std::map<int, std::pmr::string>>());
}

TEST(winkable_by_base, refuses_a_constant_tuple_in_a_tuple) {
    by_base binding;
    using held = std::tuple<const std::tuple<std::pmr::string>>;
    using vector = std::pmr::vector<held>;
    const long before = binding.outside();
    auto& made = mallard::wink_out<vector>(mallard::assume_winkable, binding.place());
    made.push_back(held(std::pmr::string(100, 'a')));
    EXPECT_GT(binding.outside(), before);
    EXPECT_FALSE(mallard::winkable<vector>);
    std::destroy_at(&made);
}

TEST(winkable_by_base, refuses_what_owns_one_object) {
    by_base binding;
    const auto held = [&]<class T>(T make) {
        const long before = binding.outside();
        auto& made = mallard::wink_out<std::remove_reference_t<decltype(make())>>(mallard::assume_winkable,
                                                                                  binding.place(), make());
        const long kept = binding.outside() - before;
        std::destroy_at(&made);
        return kept;
    };
    EXPECT_GT(held([] { return std::make_unique<int>(1); }), 0);
    EXPECT_GT(held([] { return std::make_shared<int>(1); }), 0);
    EXPECT_GT(held([] {
                  return std::function<void()>([big = std::array<char, 100>()] { static_cast<void>(big); });
              }),
              0);
    EXPECT_GT(held([] { return std::any(std::array<char, 100>()); }), 0);
    EXPECT_FALSE(mallard::winkable<std::unique_ptr<int>>);
    EXPECT_FALSE(mallard::winkable<std::shared_ptr<int>>);
    EXPECT_FALSE(mallard::winkable<std::function<void()>>);
    EXPECT_FALSE(mallard::winkable<std::any>);
}

/// Frees a block of an arena by doing nothing.
struct leave_alone {
    void operator()(const int*) const {}
};

// The trait sees a destructor that it cannot judge.
TEST(winkable_by_base, refuses_these_although_they_are_harmless) {
    by_base binding;
    const auto harmless = [&]<class T>() {
        EXPECT_FALSE(mallard::winkable<T>) << name_of<T>();
        EXPECT_EQ((held_outside<T>(binding)), 0) << name_of<T>();
    };
    harmless.template operator()<not_stated>();                        // may be stated
    harmless.template operator()<all::V<not_stated>>();                // a container of one
    harmless.template operator()<std::unique_ptr<int, leave_alone>>(); // its deleter may do nothing, as here
    harmless.template operator()<std::shared_ptr<int>>();              // as long as it is null
    harmless.template operator()<std::any>();                          // as long as it is empty
}

} // namespace
