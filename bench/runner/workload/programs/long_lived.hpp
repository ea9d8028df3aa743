/// Programs that live long, and replace what they hold part by part: a cache of documents, a store of sessions, the modules of an
/// incremental compiler, and the regions of a game's world. documents.hpp has the form of a program.
///
/// Each part has an allocator of its own if the strategy constructs one for each structure, as a careful user would: a part that
/// goes frees all of its memory at once. All others have one allocator for the whole program.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/workload/programs/input.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bench {

/// True if the binding's handle can be constructed for each part.
template <class Binding>
constexpr bool has_parts = requires { requires Binding::has_parts; };

template <class Binding>
class shared_source {
public:
    using allocator_type = typename Binding::template alloc<std::byte>;

    explicit shared_source(const allocator_type& allocator) : allocator_(allocator) {}
    [[nodiscard]] const allocator_type& allocator() noexcept { return allocator_; }

private:
    allocator_type allocator_;
};

template <class Binding>
class own_source {
public:
    using allocator_type = typename Binding::template alloc<std::byte>;

    explicit own_source(const allocator_type&) {}
    [[nodiscard]] allocator_type allocator() noexcept { return Binding::template get<std::byte>(source_); }

private:
    typename Binding::handle source_;
};

/// An object with the allocator of its memory. `T` is constructed from an allocator.
template <class Binding, class T, bool WinkedOut>
class part {
    using source = std::conditional_t<has_parts<Binding>, own_source<Binding>, shared_source<Binding>>;

public:
    explicit part(const typename source::allocator_type& whole) : source_(whole) {
        ::new (static_cast<void*>(&contents_)) T(source_.allocator());
    }
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part() {
        if constexpr (!WinkedOut) {
            contents_.~T();
        }
    }

    [[nodiscard]] T& operator*() noexcept { return contents_; }

private:
    source source_;
    union {
        T contents_; ///< destroyed by the destructor, or never
    };
};

/// The parts of a program, of a fixed number, each of which may be missing.
template <class Binding, class T, bool WinkedOut>
class part_table {
    using slot = std::optional<part<Binding, T, WinkedOut>>;
    using slots = std::vector<slot, typename Binding::template alloc<slot>>;

public:
    using allocator_type = typename Binding::template alloc<std::byte>;

    explicit part_table(const allocator_type& whole) : whole_(whole) {}

    /// Effects: makes room for `count` parts. It is called once, because parts cannot be moved.
    void open(std::size_t count) { slots_.emplace(count, typename slots::allocator_type(whole_)); }

    /// Effects: drops the part at `index`, if there is one, and makes an empty one there.
    T& replace(std::size_t index) {
        drop(index);
        return *(*slots_)[index].emplace(whole_);
    }
    void drop(std::size_t index) noexcept { (*slots_)[index].reset(); }

    /// Requires: there is a part.
    [[nodiscard]] T& operator[](std::size_t index) noexcept { return **(*slots_)[index]; }
    [[nodiscard]] bool has(std::size_t index) const noexcept { return (*slots_)[index].has_value(); }

private:
    allocator_type whole_;
    std::optional<slots> slots_;
};

/// Returns: a number between the two, of which each factor of two is equally likely.
[[nodiscard]] inline std::size_t draw_log_uniform(quick_random& random, std::size_t least, std::size_t most) {
    const double uniform = static_cast<double>(random.below(std::uint64_t{1} << 32)) * 0x1p-32;
    return static_cast<std::size_t>(
        static_cast<double>(least) *
        std::pow(static_cast<double>(most) / static_cast<double>(least), uniform));
}

// ---- a document server: documents are read, replaced, and dropped -------------------------------------------

struct document_input : program_input {
    document_input(program_size size, std::uint64_t seed_of_documents)
        : documents(size == program_size::small ? 40 : 300),
          most_entries(size == program_size::small ? 60 : 3000), seed(seed_of_documents) {
        operations = (1 + replacements) * documents * most_entries / 6; // entries built, about
    }

    static constexpr std::size_t replacements = 3; ///< of each document, on average
    std::size_t documents;
    std::size_t most_entries;
    std::uint64_t seed;
};

template <class Binding, bool WinkedOut>
class document_program {
    template <class T>
    using alloc = typename Binding::template alloc<T>;
    using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;
    using strings = std::vector<string, alloc<string>>;
    using entries =
        std::map<std::uint32_t, strings, std::less<>, alloc<std::pair<const std::uint32_t, strings>>>;

    struct document {
        explicit document(const alloc<std::byte>& from)
            : allocator(from), content(alloc<std::pair<const std::uint32_t, strings>>(from)) {}

        alloc<std::byte> allocator;
        entries content;
    };

public:
    static constexpr std::string_view name = "documents";
    static constexpr bool reuses = true;
    static constexpr bool has_parts = true;
    using input = document_input;
    using allocator_type = alloc<std::byte>;

    explicit document_program(const allocator_type& allocator) : documents_(allocator) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        checksum sum;
        documents_.open(data.documents);
        for (std::size_t i = 0; i != data.documents; ++i) {
            build(i, data, random);
        }
        for (std::size_t n = input::replacements * data.documents; n != 0; --n) {
            build(random.below(data.documents), data, random);
            sum.add(read(documents_[random.below(data.documents)]));
        }
        for (std::size_t i = 0; i != data.documents; ++i) { // three of five are not asked for any more
            if (random.below(5) < 3) {
                documents_.drop(i);
            } else {
                sum.add(read(documents_[i]));
            }
        }
        return sum.value();
    }

private:
    void build(std::size_t index, const input& data, quick_random& random) {
        document& built = documents_.replace(index);
        for (std::size_t n = draw_log_uniform(random, 4, data.most_entries); n != 0; --n) {
            const auto key = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
            auto [at, fresh] = built.content.emplace(key, strings(alloc<string>(built.allocator)));
            for (std::uint64_t texts = 1 + random.below(4); texts != 0 && fresh; --texts) {
                at->second.push_back(string(4 + random.below(40), 't', alloc<char>(built.allocator)));
            }
        }
    }

    static std::uint64_t read(const document& shown) {
        std::uint64_t sum = 0;
        for (const auto& [key, texts] : shown.content) {
            for (const string& text : texts) {
                sum += key + text.size() + static_cast<unsigned char>(text.back());
            }
        }
        return sum;
    }

    part_table<Binding, document, WinkedOut> documents_;
};

// ---- a store of sessions: attributes come and change, sessions expire ----------------------------------------

struct session_input : program_input {
    session_input(program_size size, std::uint64_t seed_of_requests)
        : sessions(size == program_size::small ? 250 : 40'000), seed(seed_of_requests) {
        operations = requests_a_session * sessions;
    }

    static constexpr std::size_t requests_a_session = 16;
    std::size_t sessions;
    std::uint64_t seed;
};

template <class Binding, bool WinkedOut>
class session_program {
    template <class T>
    using alloc = typename Binding::template alloc<T>;
    using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;
    using attributes = std::unordered_map<std::uint32_t, string, std::hash<std::uint32_t>, std::equal_to<>,
                                          alloc<std::pair<const std::uint32_t, string>>>;

    struct session {
        explicit session(const alloc<std::byte>& from)
            : allocator(from), values(alloc<std::pair<const std::uint32_t, string>>(from)),
              visited(alloc<string>(from)) {}

        alloc<std::byte> allocator;
        attributes values;
        std::vector<string, alloc<string>> visited;
    };

public:
    static constexpr std::string_view name = "sessions";
    static constexpr bool reuses = true;
    static constexpr bool has_parts = true;
    using input = session_input;
    using allocator_type = alloc<std::byte>;

    explicit session_program(const allocator_type& allocator) : sessions_(allocator) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        checksum sum;
        sessions_.open(data.sessions);
        for (std::size_t n = data.operations; n != 0; --n) {
            const std::size_t index = random.below(data.sessions);
            // A session ends after eight requests, on average, and its place is taken by a new one.
            if (!sessions_.has(index) || random.below(8) == 0) {
                sessions_.replace(index);
            }
            sum.add(serve(sessions_[index], random));
        }
        return sum.value();
    }

private:
    static std::uint64_t serve(session& served, quick_random& random) {
        const auto key = static_cast<std::uint32_t>(random.below(12));
        const std::size_t bytes = 8 + random.below(random.below(300) + 1);
        const auto found = served.values.find(key);
        if (found == served.values.end()) {
            served.values.emplace(key, string(bytes, 'a', alloc<char>(served.allocator)));
        } else if (bytes % 2 == 0) {
            found->second.assign(bytes, 'b');
        }
        served.visited.push_back(string(10 + random.below(50), '/', alloc<char>(served.allocator)));
        std::uint64_t sum = served.visited.size();
        for (const auto& [attribute, value] : served.values) {
            sum += value.size();
        }
        return sum;
    }

    part_table<Binding, session, WinkedOut> sessions_;
};

// ---- an incremental compiler: a module that is edited is parsed again, and those that use it are checked ---------

struct module_input : program_input {
    module_input(program_size size, std::uint64_t seed_of_edits)
        : modules(size == program_size::small ? 24 : 400),
          most_functions(size == program_size::small ? 12 : 300), seed(seed_of_edits) {
        operations = (1 + edits) * modules * most_functions * 4; // nodes, about
    }

    static constexpr std::size_t edits = 4; ///< of each module, on average
    static constexpr std::size_t users = 6; ///< modules that are checked after an edit
    std::size_t modules;
    std::size_t most_functions;
    std::uint64_t seed;
};

template <class Binding, bool WinkedOut>
class module_program {
    template <class T>
    using alloc = typename Binding::template alloc<T>;
    using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

    struct node {
        node(std::uint32_t k, std::size_t name_bytes, const alloc<std::byte>& from)
            : kind(k), text(name_bytes, 'n', alloc<char>(from)), operands(alloc<node*>(from)) {}

        std::uint32_t kind;
        string text;
        std::vector<node*, alloc<node*>> operands;
    };
    using functions =
        std::map<std::uint32_t, node*, std::less<>, alloc<std::pair<const std::uint32_t, node*>>>;

    /// Owns the nodes below its functions.
    class module_tree {
    public:
        explicit module_tree(const alloc<std::byte>& from)
            : allocator_(from), functions_(alloc<std::pair<const std::uint32_t, node*>>(from)) {}
        module_tree(const module_tree&) = delete;
        module_tree& operator=(const module_tree&) = delete;
        ~module_tree() {
            for (const auto& [number, body] : functions_) {
                destroy(body);
            }
        }

        void add_function(std::uint32_t number, quick_random& random) {
            node*& body = functions_.emplace(number, nullptr).first->second;
            if (body == nullptr) {
                body = parse(random, 4);
            }
        }

        /// Returns: what the checker finds out about the function with the next higher number.
        [[nodiscard]] std::uint64_t check(std::uint32_t number) const {
            const auto found = functions_.lower_bound(number);
            return found == functions_.end() ? 1 : weight(found->second);
        }

    private:
        node* parse(quick_random& random, unsigned depth) {
            alloc<node> nodes(allocator_);
            node* const parsed = std::allocator_traits<alloc<node>>::allocate(nodes, 1);
            ::new (static_cast<void*>(parsed)) node(static_cast<std::uint32_t>(random.below(40)),
                                                    random.below(4) == 0 ? random.below(32) : 0, allocator_);
            for (std::uint64_t n = depth == 0 ? 0 : random.below(4); n != 0; --n) {
                parsed->operands.push_back(parse(random, depth - 1));
            }
            return parsed;
        }

        void destroy(node* n) noexcept {
            if (n == nullptr) {
                return;
            }
            for (node* const operand : n->operands) {
                destroy(operand);
            }
            alloc<node> nodes(allocator_);
            n->~node();
            std::allocator_traits<alloc<node>>::deallocate(nodes, n, 1);
        }

        static std::uint64_t weight(const node* n) {
            std::uint64_t sum = n->kind + n->text.size();
            for (const node* const operand : n->operands) {
                sum += 3 * weight(operand);
            }
            return sum;
        }

        alloc<std::byte> allocator_;
        functions functions_;
    };

public:
    static constexpr std::string_view name = "modules";
    static constexpr bool reuses = true;
    static constexpr bool has_parts = true;
    using input = module_input;
    using allocator_type = alloc<std::byte>;

    explicit module_program(const allocator_type& allocator) : modules_(allocator) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        checksum sum;
        modules_.open(data.modules);
        for (std::size_t i = 0; i != data.modules; ++i) {
            parse(i, data, random);
        }
        for (std::size_t n = input::edits * data.modules; n != 0; --n) {
            parse(random.below(data.modules), data, random);
            for (std::size_t user = 0; user != input::users; ++user) {
                const auto number = static_cast<std::uint32_t>(random.below(most_numbers));
                sum.add(modules_[random.below(data.modules)].check(number));
            }
        }
        return sum.value();
    }

private:
    static constexpr std::uint64_t most_numbers = 1 << 20;

    void parse(std::size_t index, const input& data, quick_random& random) {
        module_tree& parsed = modules_.replace(index);
        for (std::size_t n = draw_log_uniform(random, 3, data.most_functions); n != 0; --n) {
            parsed.add_function(static_cast<std::uint32_t>(random.below(most_numbers)), random);
        }
    }

    part_table<Binding, module_tree, WinkedOut> modules_;
};

// ---- the world of a game: regions around the player are loaded, live, and are left behind ----------------------

struct world_input : program_input {
    world_input(program_size size, std::uint64_t seed_of_world)
        : regions_a_side(size == program_size::small ? 4 : 20),
          entities(size == program_size::small ? 20 : 150), seed(seed_of_world) {
        operations = frames * regions_a_side * regions_a_side * entities; // updates of an entity, about
    }

    static constexpr std::size_t frames = 40;
    std::size_t regions_a_side;
    std::size_t entities; ///< of a region
    std::uint64_t seed;
};

template <class Binding, bool WinkedOut>
class world_program {
    template <class T>
    using alloc = typename Binding::template alloc<T>;
    using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;
    struct item {
        std::uint32_t kind;
        std::array<float, 3> state;
    };
    struct entity {
        entity(std::size_t name_bytes, const alloc<std::byte>& from)
            : name(name_bytes, 'e', alloc<char>(from)), items(alloc<item>(from)) {}

        string name;
        std::vector<item, alloc<item>> items;
    };
    using store = std::unordered_map<std::uint32_t, entity, std::hash<std::uint32_t>, std::equal_to<>,
                                     alloc<std::pair<const std::uint32_t, entity>>>;

    struct region {
        explicit region(const alloc<std::byte>& from)
            : allocator(from), entities(alloc<std::pair<const std::uint32_t, entity>>(from)) {}

        alloc<std::byte> allocator;
        store entities;
        std::uint32_t newest = 0;
    };

public:
    static constexpr std::string_view name = "world";
    static constexpr bool reuses = true;
    static constexpr bool has_parts = true;
    using input = world_input;
    using allocator_type = alloc<std::byte>;

    explicit world_program(const allocator_type& allocator) : regions_(allocator) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        checksum sum;
        const std::size_t side = data.regions_a_side;
        regions_.open(side * side);
        for (std::size_t i = 0; i != side * side; ++i) {
            load(i, data, random);
        }
        for (std::size_t frame = 0; frame != input::frames; ++frame) {
            for (std::size_t i = 0; i != side * side; ++i) {
                sum.add(update(regions_[i], frame));
            }
            // The player walks: a row of regions is left behind, and one in front is loaded.
            for (std::size_t i = 0; i != side; ++i) {
                load(frame % side * side + i, data, random);
            }
        }
        return sum.value();
    }

private:
    static void spawn(region& r, std::size_t name_bytes, std::size_t items) {
        entity spawned(name_bytes, r.allocator);
        for (std::size_t n = 0; n != items; ++n) {
            spawned.items.push_back({static_cast<std::uint32_t>(n), {1, 2, 3}});
        }
        r.entities.emplace(r.newest++, std::move(spawned));
    }

    void load(std::size_t index, const input& data, quick_random& random) {
        region& loaded = regions_.replace(index);
        for (std::size_t n = data.entities / 2 + random.below(data.entities); n != 0; --n) {
            spawn(loaded, 4 + random.below(40), 1 + random.below(10));
        }
    }

    /// Effects: moves each entity; one in 32 finds something, another one is replaced.
    static std::uint64_t update(region& r, std::size_t frame) {
        std::uint64_t sum = 0;
        std::array<std::uint32_t, 8> gone{};
        std::size_t gone_count = 0;
        for (auto& [number, e] : r.entities) {
            for (item& held : e.items) {
                held.state[0] += held.state[1];
            }
            const std::uint32_t fate = (number * 2654435761U + static_cast<std::uint32_t>(frame)) >> 27;
            if (fate == 0) {
                e.items.push_back({number, {}});
            } else if (fate == 1 && gone_count != gone.size()) {
                gone[gone_count++] = number;
            }
            sum += e.items.size() + e.name.size();
        }
        for (std::size_t i = 0; i != gone_count; ++i) {
            r.entities.erase(gone[i]);
            spawn(r, 4 + gone[i] % 40, 1 + gone[i] % 10);
        }
        return sum;
    }

    part_table<Binding, region, WinkedOut> regions_;
};

} // namespace bench
