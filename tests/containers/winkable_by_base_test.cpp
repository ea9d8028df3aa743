// mallard::winkable through the abstract base: a part that does not receive the resource uses the default resource.
#include "containers/expect_winkable.hpp"
#include "containers/global_heap.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <any>
#include <functional>
#include <memory_resource>

namespace {

using namespace containers;

class by_base {
public:
    template <class T>
    using allocator = std::pmr::polymorphic_allocator<T>;
    using string = std::pmr::string;
    using place_type = mallard::resource<mallard::monotonic<mallard::pages>>;

    by_base() : previous_default_(std::pmr::set_default_resource(&default_)) {}
    by_base(const by_base&) = delete;
    by_base& operator=(const by_base&) = delete;
    ~by_base() { std::pmr::set_default_resource(previous_default_); }

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
    std::pmr::memory_resource* previous_default_;
};

using all = types<by_base>;

TEST(winkable_by_base, matches_the_library_for_nested_pairs) {
    expect_truth<by_base>(all::pairs_in_pairs());
#ifndef _LIBCPP_VERSION // cannot construct this pair with an allocator
    expect_truth<by_base>(type_list<std::pair<int, std::pair<int, std::pmr::string>>>());
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
TEST(winkable_by_base, refuses_types_that_drop_the_allocator) {
    expect_refused<by_base>(all::leaking());
    expect_refused<by_base>(all::leaking_by_default());
    expect_refused<by_base>(type_list<std::pair<std::array<all::V<int>, 1>, int>>());
}
TEST(winkable_by_base, refuses_foreign_allocators) {
    expect_refused<by_base>(all::foreign());
    expect_refused<by_base>(type_list<allocator_unaware<by_base>, std::map<int, std::pmr::string>>());
}

TEST(winkable_by_base, refuses_a_constant_tuple_in_a_tuple) {
    by_base binding;
    using held = std::tuple<const std::tuple<std::pmr::string>>;
    using vector = std::pmr::vector<held>;
    const long baseline = binding.outside();
    auto& object = mallard::wink_out<vector>(mallard::assume_winkable, binding.place());
    object.push_back(held(std::pmr::string(100, 'a')));
    EXPECT_GT(binding.outside(), baseline);
    EXPECT_FALSE(mallard::winkable<vector>);
    std::destroy_at(&object);
}

TEST(winkable_by_base, refuses_owners_of_single_objects) {
    by_base binding;
    const auto held = [&]<class T>(T make) {
        const long baseline = binding.outside();
        auto& object = mallard::wink_out<std::remove_reference_t<decltype(make())>>(mallard::assume_winkable,
                                                                                    binding.place(), make());
        const long kept = binding.outside() - baseline;
        std::destroy_at(&object);
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

/// A deleter for blocks of an arena.
struct leave_alone {
    void operator()(const int*) const {}
};

// The trait cannot look into a user-provided destructor.
TEST(winkable_by_base, refuses_harmless_opaque_destructors) {
    by_base binding;
    const auto harmless = [&]<class T>() {
        EXPECT_FALSE(mallard::winkable<T>) << type_name<T>();
        EXPECT_EQ((held_outside<T>(binding)), 0) << type_name<T>();
    };
    harmless.template operator()<not_stated>();                        // could be specialised
    harmless.template operator()<all::V<not_stated>>();                // contains such a type
    harmless.template operator()<std::unique_ptr<int, leave_alone>>(); // the deleter has no effect
    harmless.template operator()<std::shared_ptr<int>>();              // null, so owns nothing
    harmless.template operator()<std::any>();                          // empty, so owns nothing
}

} // namespace
