#include "profiler/symbols/function_name.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

// The demangler behind abi::__cxa_demangle, which passes the name to its callback in pieces. libstdc++.a has it, the
// shared library does not. Returns: false if the symbol is not mangled.
extern "C" int __gcclibcxx_demangle_callback(const char* symbol,
                                             void (*append)(const char*, std::size_t, void*), void* name);

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
            at_ = end == tail.npos ? name_.size() : at_ + end + 1;
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
    if (version != symbol.npos && !symbol.starts_with('?')) {
        symbol = symbol.substr(0, version);
    }
    if (symbol.starts_with("_Z")) { // a mangled name has no other dots
        return symbol.substr(0, symbol.find('.'));
    }
    for (std::size_t dot = symbol.find('.', 1); dot != symbol.npos; dot = symbol.find('.', dot + 1)) {
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
    } catch (const too_long&) {
    }
    return terminated;
}

std::string short_form(std::string_view demangled_name) {
    shortener reading(demangled_name);
    std::string out = reading.function();
    return reading.broken() || out.empty() ? std::string(demangled_name) : out;
}

} // namespace mallard::advisor
