#include "profiler/symbols/function_name.hpp"

#include <gtest/gtest.h>

namespace mallard::advisor::tests { namespace {

TEST(function_name, has_no_suffix_of_clones) {
    EXPECT_EQ(without_clone("_Z3foov.cold"), "_Z3foov");
    EXPECT_EQ(without_clone("_Z3foov.constprop.0.isra.0"), "_Z3foov");
    EXPECT_EQ(without_clone("_Z1fPZ1fiE11_Z1fi.Frame.actor.cold"), "_Z1fPZ1fiE11_Z1fi.Frame");
    EXPECT_EQ(without_clone("_Z1fi.resume.cold"), "_Z1fi.resume");
    EXPECT_EQ(without_clone("foo.part.0"), "foo");
    EXPECT_EQ(without_clone("foo.constprop.0.cold"), "foo");
    EXPECT_EQ(without_clone("foo.llvm.1234567890"), "foo");
    EXPECT_EQ(without_clone("malloc@@GLIBC_2.2.5"), "malloc");
    EXPECT_EQ(without_clone("runtime.coldstart"), "runtime.coldstart");
    EXPECT_EQ(without_clone("main.main"), "main.main");
    EXPECT_EQ(without_clone(".cold"), ".cold");
    EXPECT_EQ(without_clone("@"), "@");
    EXPECT_EQ(without_clone(""), "");
}

TEST(function_name, is_demangled_if_possible) {
    EXPECT_EQ(demangled("_ZNSt6vectorIiSaIiEE9push_backEOi"),
              "std::vector<int, std::allocator<int> >::push_back(int&&)");
    EXPECT_EQ(short_form(demangled("_Z1fPZ1fiE11_Z1fi.Frame")), "f"); // gcc's body of a coroutine
    EXPECT_EQ(demangled("_Z1fi.resume"), "f(int) [clone .resume]");   // clang's
    EXPECT_EQ(short_form(demangled("_Z1fi.resume")), "f");
    EXPECT_EQ(demangled("main"), "main");
    EXPECT_EQ(demangled("_ZN"), "_ZN");
    EXPECT_EQ(demangled(""), "");
    EXPECT_EQ(demangled("i"), "i");
    const std::string endless = "_Z" + std::string(std::size_t{1} << 20, 'P');
    EXPECT_EQ(demangled(endless), endless);
    EXPECT_FALSE(demangled("_Z3foo" + std::string(60'000, 'P') + "i").empty());
}

/// Returns: a symbol whose name doubles in length with each level.
std::string doubling_symbol(unsigned levels) {
    constexpr const char* digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string arguments = "IPiS1_E"; // S0_ is std::pair, S1_ int*
    for (unsigned level = 1; level < levels; ++level) {
        arguments = "IPS0_" + arguments + "S" + digits[2 * level + 1] + "_E";
    }
    return "_Z4workISt4pair" + arguments + "EvPT_";
}

TEST(function_name, stays_mangled_if_it_is_too_long) {
    EXPECT_EQ(demangled(doubling_symbol(1)), "void work<std::pair<int*, int*> >(std::pair<int*, int*>*)");
    for (const unsigned levels : {14U, 17U}) {
        const std::string symbol = doubling_symbol(levels);
        EXPECT_EQ(demangled(symbol), symbol);
    }
    EXPECT_GT(demangled(doubling_symbol(8)).size(), 8'000U);
}

struct shortened {
    const char* full;
    const char* brief;
};

TEST(function_name, is_shortened_without_default_arguments) {
    const shortened cases[] = {
        {"std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<int>::push_back"},
        {"void std::vector<int, std::allocator<int> "
         ">::_M_realloc_insert<int>(__gnu_cxx::__normal_iterator<int*, "
         "std::vector<int, std::allocator<int> > >, int&&)",
         "std::vector<int>::_M_realloc_insert<int>"},
        {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(char "
         "const*)",
         "std::string::append"},
        {"std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, "
         "std::less<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >, "
         "std::allocator<std::pair<std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> > "
         "const, int> > >::operator[](std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >&&)",
         "std::map<std::string, int>::operator[]"},
        {"std::unique_ptr<foo, std::default_delete<foo> >::~unique_ptr()",
         "std::unique_ptr<foo>::~unique_ptr"},
        {"foo::bar(int) const", "foo::bar"},
        {"foo::bar() const &", "foo::bar"},
        {"foo::bar() &&", "foo::bar"},
        {"int* foo<int>(int)", "foo<int>"},
        {"main", "main"},
        {"operator new(unsigned long)", "operator new"},
        {"operator new[](unsigned long, std::align_val_t)", "operator new[]"},
        {"operator delete(void*)", "operator delete"},
        {"foo::operator()(int) const", "foo::operator()"},
        {"foo::operator bool() const", "foo::operator bool"},
        {"foo::operator std::vector<int, std::allocator<int> >() const", "foo::operator std::vector<int>"},
        {"foo::operator unsigned long() const", "foo::operator unsigned long"},
        {"std::ostream& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, "
         "std::char_traits<char> >&, "
         "char const*)",
         "std::operator<<<std::char_traits<char>>"},
        {"bool operator< <int>(foo<int> const&)", "operator<<int>"},
        {"bool foo::operator<(foo const&) const", "foo::operator<"},
        {"foo::operator->() const", "foo::operator->"},
        {"foo::operator->*(int)", "foo::operator->*"},
        {"foo::operator<=>(foo const&) const", "foo::operator<=>"},
        {"(anonymous namespace)::foo(int)", "(anonymous namespace)::foo"},
        {"toy::(anonymous namespace)::hidden::operator()(int) const",
         "toy::(anonymous namespace)::hidden::operator()"},
        {"toy::call_clones(int)::{lambda(int)#1}::operator()(int) const",
         "toy::call_clones::{lambda#1}::operator()"},
        {"foo<(anonymous namespace)::bar, 3ul>::baz()", "foo<(anonymous namespace)::bar, 3ul>::baz"},
        {"std::function<void (int)>::operator()(int) const", "std::function<void (int)>::operator()"},
        {"non-virtual thunk to foo::bar()", "foo::bar"},
        {"foo[abi:cxx11](int)", "foo"},
        {"foo(int) [clone .cold]", "foo"},
        {"decltype(auto) foo<int>(int)", "foo<int>"},
        {"std::__1::vector<int, std::__1::allocator<int> >::push_back(int const&)",
         "std::vector<int>::push_back"},
        {"operatorial(int)", "operatorial"},
        {"my_operator(int)", "my_operator"},
    };
    for (const auto& [full, brief] : cases) {
        EXPECT_EQ(short_form(full), brief) << full;
    }
}

TEST(function_name, stays_unchanged_if_it_is_malformed) {
    for (const std::string name : {"", "foo<int", "foo(int", "foo{lambda(", "(int)", "foo<a>>b", ">", "<",
                                   "operator", "operator ", "{", "[abi:", "libfoo.so+0x1234", "a b"}) {
        EXPECT_EQ(short_form(name).empty(), name.empty()) << name;
    }
    const std::string deep = std::string(100'000, '<');
    EXPECT_EQ(short_form(deep), deep);
    EXPECT_EQ(short_form(std::string(100'000, '(')), std::string(100'000, '('));
    EXPECT_EQ(short_form(std::string(100'000, '{')), std::string(100'000, '{'));
}

TEST(layers, recognise_functions_that_allocate_for_callers) {
    for (const char* const name : {"operator new",
                                   "operator new[]",
                                   "operator delete",
                                   "malloc",
                                   "calloc",
                                   "xmalloc",
                                   "g_malloc0_n",
                                   "PyMem_RawMalloc",
                                   "__libc_calloc",
                                   "posix_memalign",
                                   "llvm::safe_malloc",
                                   "llvm::allocate_buffer",
                                   "std::allocator<int>::allocate",
                                   "std::__new_allocator<foo<int>>::allocate",
                                   "__gnu_cxx::new_allocator<int>::allocate",
                                   "std::allocator_traits<std::allocator<int>>::allocate",
                                   "std::_Vector_base<int>::_M_allocate",
                                   "std::string::_M_create",
                                   "std::_Rb_tree<int, int>::_M_get_node",
                                   "std::pmr::memory_resource::allocate",
                                   "strdup",
                                   "std::__detail::_Hashtable_alloc<int>::_M_allocate_node<int>"}) {
        EXPECT_TRUE(names_allocator_layer(name)) << name;
    }
    for (const char* const name :
         {"main", "foo::allocate", "std::vector<int>::push_back", "std::string::append", "mallocation",
          "free_list", "new_operator", "std::vector<std::allocator<int>>::push_back", "parser::new_node", "",
          "unknown code", "libfoo.so+0x10", "freed", "std::_Rb_tree<int, int>::_M_emplace_unique"}) {
        EXPECT_FALSE(names_allocator_layer(name)) << name;
    }
    EXPECT_TRUE(names_standard_library("std::vector<int>::push_back"));
    EXPECT_FALSE(names_standard_library("standard::vector"));
}

}} // namespace mallard::advisor::tests
