#include <mallard/core/build_mode.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <memory_resource>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace {

const std::string version = "_v" + std::to_string(MALLARD_VERSION);

/// A user's allocator, written without knowledge of inline namespaces.
struct locked_allocator {
    void* allocate(std::size_t bytes, std::size_t alignment);
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
};

struct handle {
    ~handle() {}
    int number = 0;
};

} // namespace

template <>
inline constexpr bool mallard::thread_safe<locked_allocator> = true;

namespace mallard {

template <>
inline constexpr bool winkable<handle> = true;

} // namespace mallard

namespace {

TEST(build_mode, is_in_the_linker_names_of_templates) {
    std::string mode = MALLARD_CHECKED ? "checked_" : "";
#ifdef NDEBUG
    mode += "ndebug";
#else
    mode += "debug";
#endif
#ifdef MALLARD_ASAN
    mode += "_with_address_sanitizer";
#endif
#ifndef __cpp_exceptions
    mode += "_without_exceptions";
#endif
    mode += version;
    const auto part = std::to_string(mode.size()) + mode;
    const std::string name = typeid(mallard::multipool<>).name();
    EXPECT_NE(name.find("7mallard" + part + "9multipool"), std::string::npos) << name;
}

TEST(build_mode, of_the_library_is_sanitizer_and_version) {
    const std::string library =
        (mallard::core::poisons_memory ? "library_with_address_sanitizer" : "library") + version;
    const std::string name = typeid(mallard::pages).name();
    EXPECT_EQ(name, "N7mallard" + std::to_string(library.size()) + library + "5pagesE");
}

TEST(build_mode, traits_specialise_by_plain_name) {
    EXPECT_TRUE(mallard::thread_safe<locked_allocator>);
    EXPECT_TRUE(mallard::winkable<handle>);
    EXPECT_FALSE(mallard::thread_safe<mallard::multipool<>>);
}

} // namespace
