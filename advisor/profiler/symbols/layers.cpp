#include "profiler/symbols/layers.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace mallard::advisor {

namespace {

/// Returns: the name without template arguments.
std::string bare(std::string_view name) {
    std::string out;
    unsigned depth = 0;
    for (const char c : name) {
        if (c == '<') {
            ++depth;
        } else if (c == '>' && depth != 0) {
            --depth;
        } else if (depth == 0) {
            out += c;
        }
    }
    return out;
}

template <std::size_t N>
bool is_in(std::string_view name, const std::array<std::string_view, N>& names) noexcept {
    return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t N>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, N>& names) noexcept {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr std::array<std::string_view, 13> allocating_classes{
    "std::allocator",
    "std::__new_allocator",
    "__gnu_cxx::new_allocator",
    "__gnu_cxx::malloc_allocator",
    "std::allocator_traits",
    "__gnu_cxx::__alloc_traits",
    "std::__allocated_ptr",
    "std::_Vector_base",
    "std::_Deque_base",
    "std::pmr::memory_resource",
    "std::pmr::polymorphic_allocator",
    "std::pmr::(anonymous namespace)::newdel_res_t",
    "std::__split_buffer",
};

/// Functions of the standard library's classes that only allocate or free memory.
constexpr std::array<std::string_view, 16> allocating_members{
    "_M_allocate",       "_M_deallocate",       "_M_get_node",     "_M_put_node",
    "_M_create_node",    "_M_drop_node",        "_M_destroy_node", "_M_create_storage",
    "_M_initialize_map", "_M_destroy_data",     "_M_dispose",      "__allocate",
    "__libcpp_allocate", "__libcpp_deallocate", "__deallocate",    "__get_temporary_buffer",
};

constexpr std::array<std::string_view, 18> c_functions{
    "free",          "cfree",    "xfree",     "g_free",       "g_slice_alloc",   "g_slice_alloc0",
    "aligned_alloc", "valloc",   "pvalloc",   "strdup",       "strndup",         "xstrdup",
    "xstrndup",      "g_strdup", "g_strndup", "reallocarray", "allocate_buffer", "deallocate_buffer",
};

/// `xmalloc`, `g_malloc0_n`, `PyMem_RawMalloc`, `safe_realloc_array` and the like.
bool ends_like_malloc(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    std::string_view end = lower;
    for (const std::string_view suffix :
         {std::string_view("_n"), std::string_view("_array"), std::string_view("array"),
          std::string_view("z"), std::string_view("0")}) {
        if (end.ends_with(suffix)) {
            end.remove_suffix(suffix.size());
        }
    }
    for (const std::string_view verb : {std::string_view("malloc"), std::string_view("calloc"),
                                        std::string_view("realloc"), std::string_view("memalign")}) {
        if (end.ends_with(verb)) {
            return true;
        }
    }
    return false;
}

} // namespace

bool names_allocator_layer(std::string_view short_name) noexcept {
    if (short_name.starts_with("operator new") || short_name.starts_with("operator delete")) {
        return true;
    }
    const std::string name = bare(short_name);
    const std::size_t colons = name.rfind("::");
    if (colons == name.npos) {
        return is_in(name, c_functions) || ends_like_malloc(name);
    }
    const std::string_view scope = std::string_view(name).substr(0, colons);
    const std::string_view last = std::string_view(name).substr(colons + 2);
    if (is_in(scope, allocating_classes)) {
        return true;
    }
    if (names_standard_library(name)) {
        return last == "_M_create" || begins_with_one_of(last, allocating_members);
    }
    return is_in(last, c_functions) || ends_like_malloc(last);
}

bool names_standard_library(std::string_view short_name) noexcept {
    return short_name.starts_with("std::") || short_name.starts_with("__gnu_cxx::");
}

} // namespace mallard::advisor
