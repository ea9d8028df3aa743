/// Programs that read text into trees: a JSON document, an expression compiler, and requests of a web server.
///
/// Each program is a class template over the allocator of its containers. It has
///
///     name, reuses         reuses: it frees much while it works, so an allocator that reuses nothing does not fit
///     input                drawn once, for a size and a seed
///     program(allocator)   empty; allocates nothing
///     run(input)           the work of a scope; returns a checksum, the same for every allocator
///
/// The destructor is part of the scope. An allocator is constructed before the scope, and destroyed after it.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/workload/programs/input.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bench {

/// The containers of a program.
template <template <class> class Alloc>
struct program_types {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    template <class T>
    using vector = std::vector<T, Alloc<T>>;
    template <class Key, class T>
    using map = std::map<Key, T, std::less<>, Alloc<std::pair<const Key, T>>>;
};

// ---- a JSON document: parsed, walked, edited, walked again ------------------------------------------------

struct json_input : program_input {
    json_input(program_size size, std::uint64_t seed)
        : text(draw_json(size == program_size::small ? 250 : 40'000, seed, memory)) {
        operations = text.size() / 16; // values, about
    }

    std::pmr::string text;
};

template <template <class> class Alloc>
class json_program : program_types<Alloc> {
    using types = program_types<Alloc>;
    using string = typename types::string;
    template <class T>
    using vector = typename types::template vector<T>;

public:
    static constexpr std::string_view name = "json";
    static constexpr bool reuses = false;
    using input = json_input;
    using allocator_type = Alloc<std::byte>;

    explicit json_program(const allocator_type& allocator) : allocator_(allocator) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        at_ = data.text.data();
        root_ = parse_value();
        checksum sum;
        walk(root_, sum);
        edit(root_);
        walk(root_, sum);
        return sum.value();
    }

private:
    struct member;
    struct value {
        std::variant<std::nullptr_t, bool, double, string, vector<value>, vector<member>> is;
    };
    struct member {
        string key;
        value held;
    };

    string parse_string() {
        const char* const begin = ++at_;
        while (*at_ != '"') {
            ++at_;
        }
        return string(begin, static_cast<std::size_t>(at_++ - begin), Alloc<char>(allocator_));
    }

    template <class T>
    static value hold(T held) {
        value holder;
        holder.is.template emplace<T>(std::move(held));
        return holder;
    }

    /// Returns: true if another element follows.
    bool next(char end) { return *at_++ != end; }

    value parse_value() {
        switch (*at_) {
        case '{': {
            vector<member> members{Alloc<member>(allocator_)};
            for (bool more = *++at_ != '}' || next('}'); more; more = next('}')) {
                string key = parse_string();
                ++at_;
                members.push_back({std::move(key), parse_value()});
            }
            return hold(std::move(members));
        }
        case '[': {
            vector<value> elements{Alloc<value>(allocator_)};
            for (bool more = *++at_ != ']' || next(']'); more; more = next(']')) {
                elements.push_back(parse_value());
            }
            return hold(std::move(elements));
        }
        case '"':
            return hold(parse_string());
        case 't':
            at_ += 4;
            return hold(true);
        case 'f':
            at_ += 5;
            return hold(false);
        case 'n':
            at_ += 4;
            return hold(nullptr);
        default: {
            double number = 0;
            at_ = std::from_chars(at_, at_ + 32, number).ptr;
            return hold(number);
        }
        }
    }

    static void walk(const value& v, checksum& sum) {
        if (const auto* const text = std::get_if<string>(&v.is)) {
            sum.add(text->size() + static_cast<unsigned char>(text->back()));
        } else if (const auto* const elements = std::get_if<vector<value>>(&v.is)) {
            for (const value& element : *elements) {
                walk(element, sum);
            }
        } else if (const auto* const members = std::get_if<vector<member>>(&v.is)) {
            for (const member& m : *members) {
                sum.add(m.key.size());
                walk(m.held, sum);
            }
        } else if (const double* const number = std::get_if<double>(&v.is)) {
            sum.add(static_cast<std::uint64_t>(*number));
        }
    }

    /// Effects: removes the third member of each object, and adds a text of 60 characters to every other one.
    void edit(value& v) {
        if (auto* const elements = std::get_if<vector<value>>(&v.is)) {
            for (value& element : *elements) {
                edit(element);
            }
        } else if (auto* const members = std::get_if<vector<member>>(&v.is)) {
            members->erase(members->begin() + 2);
            for (member& m : *members) {
                edit(m.held);
            }
            if ((edits_++ & 1U) != 0) {
                members->push_back({string("note", Alloc<char>(allocator_)),
                                    hold(string(60, 'n', Alloc<char>(allocator_)))});
            }
        }
    }

    allocator_type allocator_;
    const char* at_ = nullptr;
    std::size_t edits_ = 0;
    value root_;
};

// ---- a compiler: expressions are parsed, folded, copied into each other, and evaluated ---------------------

struct compiler_input : program_input {
    compiler_input(program_size size, std::uint64_t seed)
        : text(draw_source(size == program_size::small ? 700 : 150'000, seed, memory)) {
        operations = text.size() / 8; // nodes, about
    }

    std::pmr::string text;
};

template <template <class> class Alloc>
class compiler_program : program_types<Alloc> {
    using types = program_types<Alloc>;
    using string = typename types::string;
    template <class T>
    using vector = typename types::template vector<T>;

    enum class node_kind : unsigned char { number, name, minus, binary, call };
    struct node {
        node_kind kind;
    };
    struct number_node : node {
        std::int64_t value;
    };
    struct name_node : node {
        string name;
    };
    struct minus_node : node {
        node* operand;
    };
    struct binary_node : node {
        char symbol;
        node* left;
        node* right;
        std::uint32_t line;
    };
    struct call_node : node {
        string name;
        vector<node*> arguments;
    };

public:
    static constexpr std::string_view name = "compiler";
    static constexpr bool reuses = false;
    using input = compiler_input;
    using allocator_type = Alloc<std::byte>;

    explicit compiler_program(const allocator_type& allocator)
        : allocator_(allocator), statements_(Alloc<node*>(allocator)) {}
    compiler_program(const compiler_program&) = delete;
    compiler_program& operator=(const compiler_program&) = delete;
    ~compiler_program() {
        for (node* const statement : statements_) {
            destroy(statement);
        }
    }

    [[nodiscard]] std::uint64_t run(const input& data) {
        checksum sum;
        at_ = data.text.data();
        for (const char* const end = at_ + data.text.size(); at_ != end; ++at_) {
            statements_.push_back(parse());
        }
        for (node*& statement : statements_) {
            sum.add(evaluate(statement));
            statement = fold(statement);
            sum.add(evaluate(statement));
        }
        return sum.value();
    }

private:
    template <class Node>
    Node* create(Node&& value) {
        Alloc<Node> allocator(allocator_);
        Node* const created = std::allocator_traits<Alloc<Node>>::allocate(allocator, 1);
        return ::new (static_cast<void*>(created)) Node(std::move(value));
    }

    template <class Node>
    void destroy_as(node* n) {
        Alloc<Node> allocator(allocator_);
        auto* const typed = static_cast<Node*>(n);
        typed->~Node();
        std::allocator_traits<Alloc<Node>>::deallocate(allocator, typed, 1);
    }

    void destroy(node* n) {
        switch (n->kind) {
        case node_kind::number:
            return destroy_as<number_node>(n);
        case node_kind::name:
            return destroy_as<name_node>(n);
        case node_kind::minus:
            destroy(static_cast<minus_node*>(n)->operand);
            return destroy_as<minus_node>(n);
        case node_kind::binary:
            destroy(static_cast<binary_node*>(n)->left);
            destroy(static_cast<binary_node*>(n)->right);
            return destroy_as<binary_node>(n);
        case node_kind::call:
            for (node* const argument : static_cast<call_node*>(n)->arguments) {
                destroy(argument);
            }
            return destroy_as<call_node>(n);
        }
    }

    [[nodiscard]] static bool is_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }

    node* parse() {
        if (*at_ == '(') {
            ++at_;
            node* const left = parse();
            const char symbol = *at_++;
            node* const right = parse();
            ++at_;
            return create(binary_node{{node_kind::binary}, symbol, left, right, line_++});
        }
        if (*at_ == '-') {
            ++at_;
            return create(minus_node{{node_kind::minus}, parse()});
        }
        if (!is_letter(*at_)) {
            return create(number_node{{node_kind::number}, *at_++ - '0'});
        }
        const char* const begin = at_;
        while (is_letter(*at_)) {
            ++at_;
        }
        string word(begin, static_cast<std::size_t>(at_ - begin), Alloc<char>(allocator_));
        if (*at_ != '(') {
            return create(name_node{{node_kind::name}, std::move(word)});
        }
        vector<node*> arguments{Alloc<node*>(allocator_)};
        do {
            ++at_;
            arguments.push_back(parse());
        } while (*at_ == ',');
        ++at_;
        return create(call_node{{node_kind::call}, std::move(word), std::move(arguments)});
    }

    /// Effects: replaces arithmetic on numbers by its result, and a call with one argument by a sum.
    node* fold(node* n) {
        if (n->kind == node_kind::minus) {
            auto* const minus = static_cast<minus_node*>(n);
            minus->operand = fold(minus->operand);
            if (minus->operand->kind == node_kind::number) {
                return replace(n, create(number_node{{node_kind::number},
                                                     -static_cast<number_node*>(minus->operand)->value}));
            }
        } else if (n->kind == node_kind::binary) {
            auto* const binary = static_cast<binary_node*>(n);
            binary->left = fold(binary->left);
            binary->right = fold(binary->right);
            if (binary->left->kind == node_kind::number && binary->right->kind == node_kind::number) {
                return replace(
                    n, create(number_node{{node_kind::number}, static_cast<std::int64_t>(evaluate(n))}));
            }
        } else if (n->kind == node_kind::call) {
            auto* const call = static_cast<call_node*>(n);
            for (node*& argument : call->arguments) {
                argument = fold(argument);
            }
            if (call->arguments.size() == 1) {
                node* const argument = call->arguments.front();
                call->arguments.clear();
                node* const word = create(name_node{{node_kind::name}, call->name});
                return replace(n, create(binary_node{{node_kind::binary}, '+', word, argument, line_++}));
            }
        }
        return n;
    }

    node* replace(node* old, node* replacement) {
        destroy(old);
        return replacement;
    }

    [[nodiscard]] static std::uint64_t evaluate(const node* n) {
        switch (n->kind) {
        case node_kind::number:
            return static_cast<std::uint64_t>(static_cast<const number_node*>(n)->value);
        case node_kind::name:
            return static_cast<const name_node*>(n)->name.size();
        case node_kind::minus:
            return 0 - evaluate(static_cast<const minus_node*>(n)->operand);
        case node_kind::binary: {
            const auto* const binary = static_cast<const binary_node*>(n);
            const std::uint64_t left = evaluate(binary->left);
            const std::uint64_t right = evaluate(binary->right);
            return binary->symbol == '+' ? left + right : binary->symbol == '-' ? left - right : left * right;
        }
        case node_kind::call: {
            const auto* const call = static_cast<const call_node*>(n);
            std::uint64_t sum = call->name.size();
            for (const node* const argument : call->arguments) {
                sum = sum * 3 + evaluate(argument);
            }
            return sum;
        }
        }
        return 0;
    }

    allocator_type allocator_;
    const char* at_ = nullptr;
    std::uint32_t line_ = 0;
    vector<node*> statements_;
};

// ---- a web server: a request is parsed, looked into, and answered ------------------------------------------

struct request_input : program_input {
    request_input(program_size size, std::uint64_t seed)
        : texts(draw_requests(256, size == program_size::small ? 8 : 800, seed, memory)) {
        operations = size == program_size::small ? 30 : 1000; // parts of a request, about
    }

    std::pmr::vector<std::pmr::string> texts;
};

template <template <class> class Alloc>
class request_program : program_types<Alloc> {
    using types = program_types<Alloc>;
    using string = typename types::string;
    template <class T>
    using vector = typename types::template vector<T>;

public:
    static constexpr std::string_view name = "requests";
    static constexpr bool reuses = false;
    using input = request_input;
    using allocator_type = Alloc<std::byte>;

    explicit request_program(const allocator_type& allocator)
        : allocator_(allocator), path_(Alloc<string>(allocator)),
          headers_(Alloc<std::pair<const string, string>>(allocator)),
          fields_(Alloc<std::pair<string, string>>(allocator)), answer_(Alloc<char>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        const std::string_view text = data.texts[data.scope % data.texts.size()];
        rest_ = text.substr(text.find('/') + 1);
        while (rest_.find('/') < rest_.find('\n')) {
            path_.push_back(take('/'));
        }
        path_.push_back(take('\n'));
        while (rest_.front() != '\n') {
            string key = take(':');
            rest_.remove_prefix(1);
            headers_.emplace(std::move(key), take('\n'));
        }
        rest_.remove_prefix(1);
        while (!rest_.empty()) {
            string key = take('=');
            fields_.emplace_back(std::move(key), take('&'));
        }
        return answer();
    }

private:
    string take(char end) {
        const std::size_t length = std::min(rest_.find(end), rest_.size());
        string part(rest_.substr(0, length), Alloc<char>(allocator_));
        rest_.remove_prefix(std::min(length + 1, rest_.size()));
        return part;
    }

    std::uint64_t answer() {
        answer_ = "{\"path\":[";
        for (const string& part : path_) {
            answer_.append("\"").append(part).append("\",");
        }
        answer_ += "],\"fields\":{";
        for (const auto& [key, value] : fields_) {
            const auto header = headers_.lower_bound(key);
            answer_.append("\"").append(key).append("\":\"").append(value).append("\",");
            if (header != headers_.end()) {
                answer_.append(header->second.size() % 7, '.');
            }
        }
        answer_ += "}}";
        checksum sum;
        for (std::size_t i = 0; i < answer_.size(); i += 16) {
            sum.add(static_cast<unsigned char>(answer_[i]));
        }
        return sum.value();
    }

    allocator_type allocator_;
    std::string_view rest_;
    vector<string> path_;
    typename types::template map<string, string> headers_;
    vector<std::pair<string, string>> fields_;
    string answer_;
};

} // namespace bench
