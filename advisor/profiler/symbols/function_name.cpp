#include "profiler/symbols/function_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// The demangler behind abi::__cxa_demangle, which passes the name to its callback in pieces. libstdc++.a has it, the
// shared library does not. Returns: false if the symbol is not mangled.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libstdc++'s name
extern "C" int __gcclibcxx_demangle_callback(const char* symbol,
                                             void (*append)(const char*, std::size_t, void*), void* name);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace mallard::advisor {

namespace {

/// Longer symbols are damaged. The demangler recurses, so they are left as they are.
constexpr std::size_t longest_symbol = std::size_t{1} << 16;
/// A name refers back to its parts, so that a symbol of 300 letters may stand for a name of gigabytes. Longer names
/// are left as they are.
constexpr std::size_t longest_name = std::size_t{1} << 14;
constexpr unsigned deepest_nesting = 200;

constexpr std::array<std::string_view, 7> clone_suffixes{".cold",     ".constprop", ".isra", ".part",
                                                         ".lto_priv", ".llvm",      ".clone"};

/// Clang's parts of a coroutine, which are functions of their own.
constexpr std::array<std::string_view, 3> coroutine_parts{".resume", ".destroy", ".cleanup"};

bool is_identifier(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// Template arguments that nearly always follow from the preceding ones.
bool is_default_argument(std::string_view argument) noexcept {
    constexpr std::array<std::string_view, 6> defaults{"std::allocator<", "std::char_traits<",
                                                       "std::less<",      "std::hash<",
                                                       "std::equal_to<",  "std::default_delete<"};
    for (const std::string_view prefix : defaults) {
        if (argument.starts_with(prefix) && argument.ends_with('>')) {
            return true;
        }
    }
    return false;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> short_types{
    {{"std::basic_string<char>", "std::string"},
     {"std::basic_string<wchar_t>", "std::wstring"},
     {"std::basic_string_view<char>", "std::string_view"},
     {"std::basic_ostream<char>", "std::ostream"},
     {"std::basic_istream<char>", "std::istream"},
     {"std::basic_ios<char>", "std::ios"},
     {"std::basic_ostringstream<char>", "std::ostringstream"},
     {"std::basic_istringstream<char>", "std::istringstream"},
     {"std::basic_stringstream<char>", "std::stringstream"},
     {"std::basic_stringbuf<char>", "std::stringbuf"}}};

/// Reads a demangled name once, from left to right. `broken` if its brackets do not match.
class shortener {
public:
    explicit shortener(std::string_view name) noexcept : name_(name) {}

    std::string function() {
        std::string out;
        bool converts = false; // in the type behind `operator`
        while (at_ < name_.size() && !broken_) {
            const char c = name_[at_];
            if (read_common(out)) {
                continue;
            }
            if (read_operator(out)) {
                converts = out.ends_with(' ') && !name_.substr(at_).starts_with("new") &&
                           !name_.substr(at_).starts_with("delete");
                keeps_space_ = out.ends_with(' ');
                continue;
            }
            if (c == '(') {
                skip_parameters();
                converts = keeps_space_ = false;
            } else if (c == ' ' && !converts && !keeps_space_) {
                out.clear(); // it was the return type
                ++at_;
            } else {
                out += c;
                ++at_;
            }
        }
        return out;
    }

    [[nodiscard]] bool broken() const noexcept { return broken_; }

private:
    /// Returns: true if the text at the position was read: a form that names and types share.
    bool read_common(std::string& out) {
        const std::string_view tail = name_.substr(at_);
        for (const std::string_view inner : {std::string_view("__cxx11::"), std::string_view("__1::")}) {
            if (tail.starts_with(inner) && out.ends_with("std::")) {
                at_ += inner.size();
                return true;
            }
        }
        if (tail.starts_with("[abi:") || tail.starts_with("[clone ") || tail.starts_with(" [clone ")) {
            const std::size_t end = tail.find(']');
            at_ = end == std::string_view::npos ? name_.size() : at_ + end + 1;
            return true;
        }
        if (tail.starts_with("(anonymous namespace)")) {
            out += "(anonymous namespace)";
            at_ += 21;
            return true;
        }
        if (tail[0] == '<') {
            ++at_;
            add_arguments(out, list('>'));
            return true;
        }
        if (tail[0] == '{') {
            read_braces(out);
            return true;
        }
        return false;
    }

    /// `{lambda(int)#1}` becomes `{lambda#1}`.
    void read_braces(std::string& out) {
        out += '{';
        ++at_;
        while (at_ < name_.size() && name_[at_] != '}' && !broken_) {
            if (name_[at_] == '(') {
                skip_group();
            } else {
                out += name_[at_++];
            }
        }
        if (at_ == name_.size()) {
            broken_ = true;
        } else {
            out += name_[at_++];
        }
    }

    bool read_operator(std::string& out) {
        constexpr std::string_view word = "operator";
        const std::string_view tail = name_.substr(at_);
        if (!tail.starts_with(word) || (!out.empty() && is_identifier(out.back())) ||
            tail.size() == word.size() || is_identifier(tail[word.size()])) {
            return false;
        }
        out += word;
        at_ += word.size();
        constexpr std::array<std::string_view, 29> signs{
            "<=>", "->*", "<<=", ">>=", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
            "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "->", "<",  ">",  ",",  " "};
        for (const std::string_view sign : signs) {
            if (name_.substr(at_).starts_with(sign)) {
                out += sign;
                at_ += sign.size();
                if (sign != " " && name_.substr(at_).starts_with(" <")) {
                    ++at_;
                }
                break;
            }
        }
        return true;
    }

    /// Skips the list of parameters, and its qualifiers: ` const`, ` &`.
    void skip_parameters() {
        skip_group();
        for (bool more = true; more;) {
            more = false;
            for (const std::string_view word : {std::string_view(" const"), std::string_view(" volatile"),
                                                std::string_view(" &&"), std::string_view(" &")}) {
                if (name_.substr(at_).starts_with(word)) {
                    at_ += word.size();
                    more = true;
                }
            }
        }
    }

    void skip_group() {
        ++at_;
        static_cast<void>(list(')'));
    }

    /// Returns: the parts between commas, up to the closing bracket.
    std::vector<std::string> list(char end) {
        std::vector<std::string> parts;
        if (++nesting_ > deepest_nesting) {
            broken_ = true;
        }
        std::string out;
        while (!broken_) {
            if (at_ == name_.size()) {
                broken_ = true;
            } else if (name_[at_] == end) {
                ++at_;
                break;
            } else if (name_[at_] == ',') {
                ++at_;
                parts.push_back(std::exchange(out, {}));
                while (at_ < name_.size() && name_[at_] == ' ') {
                    ++at_;
                }
            } else {
                read_type(out);
            }
        }
        --nesting_;
        if (!out.empty() || !parts.empty()) {
            parts.push_back(std::move(out));
        }
        for (std::string& part : parts) {
            while (part.ends_with(' ')) {
                part.pop_back();
            }
        }
        return parts;
    }

    void read_type(std::string& out) {
        if (name_.substr(at_).starts_with("->")) {
            out += "->";
            at_ += 2;
        } else if (read_common(out) || read_operator(out)) {
            return;
        } else if (name_[at_] == '(') {
            ++at_;
            out += '(';
            out += joined(list(')'));
            out += ')';
        } else {
            out += name_[at_++];
        }
    }

    static std::string joined(const std::vector<std::string>& parts) {
        std::string all;
        for (const std::string& part : parts) {
            if (!all.empty()) {
                all += ", ";
            }
            all += part;
        }
        return all;
    }

    static void add_arguments(std::string& out, std::vector<std::string> arguments) {
        while (arguments.size() > 1 && is_default_argument(arguments.back())) {
            arguments.pop_back();
        }
        out += '<' + joined(arguments) + '>';
        for (const auto& [longer, shorter] : short_types) {
            if (out.ends_with(longer) &&
                (out.size() == longer.size() || !is_identifier(out[out.size() - longer.size() - 1]))) {
                out.replace(out.size() - longer.size(), longer.size(), shorter);
                return;
            }
        }
    }

    std::string_view name_;
    std::size_t at_ = 0;
    unsigned nesting_ = 0;
    bool keeps_space_ = false;
    bool broken_ = false;
};

} // namespace

std::string_view without_clone(std::string_view symbol) noexcept {
    const std::size_t version = symbol.find('@', 1);
    if (version != std::string_view::npos && !symbol.starts_with('?')) {
        symbol = symbol.substr(0, version);
    }
    if (symbol.starts_with("_Z")) {
        // A mangled name has no other dots, except in gcc's frames of coroutines.
        const std::size_t frame = symbol.rfind(".Frame.");
        const std::size_t suffix = symbol.find('.', frame == std::string_view::npos ? 0 : frame + 1);
        for (const std::string_view part : coroutine_parts) {
            if (suffix != std::string_view::npos && symbol.substr(suffix).starts_with(part)) {
                return symbol.substr(0, suffix + part.size());
            }
        }
        return symbol.substr(0, suffix);
    }
    for (std::size_t dot = symbol.find('.', 1); dot != std::string_view::npos;
         dot = symbol.find('.', dot + 1)) {
        for (const std::string_view suffix : clone_suffixes) {
            const std::string_view tail = symbol.substr(dot);
            if (tail.starts_with(suffix) && (tail.size() == suffix.size() || tail[suffix.size()] == '.')) {
                return symbol.substr(0, dot);
            }
        }
    }
    return symbol;
}

std::string demangled(std::string_view symbol) {
    std::string terminated(symbol);
    if (!symbol.starts_with("_Z") || symbol.size() > longest_symbol) {
        return terminated;
    }
    struct too_long {};
    std::string name;
    try {
        const auto append = [](const char* text, std::size_t length, void* into) {
            auto& out = *static_cast<std::string*>(into);
            if (length > longest_name - out.size()) {
                throw too_long{};
            }
            out.append(text, length);
        };
        if (::__gcclibcxx_demangle_callback(terminated.c_str(), append, &name) == 0) {
            return name;
        }
    } catch (const too_long&) { // NOLINT(bugprone-empty-catch): the name stays mangled
    }
    return terminated;
}

std::string short_form(std::string_view demangled_name) {
    shortener reading(demangled_name);
    const std::string out = reading.function();
    return reading.broken() || out.empty() ? std::string(demangled_name) : out;
}

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
    return std::ranges::find(names, name) != names.end();
}

template <std::size_t N>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, N>& names) noexcept {
    return std::ranges::any_of(names, [&](std::string_view prefix) { return name.starts_with(prefix); });
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
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
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
    if (colons == std::string::npos) {
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
