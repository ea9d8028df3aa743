/// Programs that change a world of objects: a graph, an order book, the entities of a game, and a k-d tree. texts.hpp
/// has the form of a program.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/workload/programs/input.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bench {

// ---- a graph: edges come and go; breadth-first searches ------------------------------------------------------

struct graph_input : program_input {
    graph_input(program_size size, std::uint64_t seed_of_edges)
        : nodes(size == program_size::small ? 1000 : 60'000), seed(seed_of_edges) {
        operations =
            nodes * (degree + rounds * (degree / 4 + degree)); // edges added, removed or followed, about
    }

    static constexpr std::size_t degree = 8;
    static constexpr std::size_t rounds = 4;
    std::size_t nodes;
    std::uint64_t seed;
};

template <template <class> class Alloc>
class graph_program {
    struct edge {
        std::uint32_t to;
        std::uint32_t weight;
    };
    using edges = std::list<edge, Alloc<edge>>;
    struct node {
        edges out;
        std::uint32_t reached = 0;
    };

public:
    static constexpr std::string_view name = "graph";
    static constexpr bool reuses = true;
    using input = graph_input;
    using allocator_type = Alloc<std::byte>;

    explicit graph_program(const allocator_type& allocator)
        : allocator_(allocator), nodes_(Alloc<node>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        nodes_.reserve(data.nodes);
        for (std::size_t i = 0; i != data.nodes; ++i) {
            nodes_.push_back({edges(Alloc<edge>(allocator_))});
        }
        for (std::size_t i = 0; i != data.nodes * graph_input::degree; ++i) {
            add_edge(random);
        }
        checksum sum;
        for (std::uint32_t round = 1; round <= graph_input::rounds; ++round) {
            sum.add(search(static_cast<std::uint32_t>(random.below(data.nodes)), round));
            for (std::size_t i = 0; i != data.nodes * graph_input::degree / 4; ++i) {
                remove_edge(random);
                add_edge(random);
            }
        }
        return sum.value();
    }

private:
    void add_edge(quick_random& random) {
        node& from = nodes_[random.below(nodes_.size())];
        from.out.push_back({static_cast<std::uint32_t>(random.below(nodes_.size())),
                            static_cast<std::uint32_t>(random.below(1000))});
    }

    void remove_edge(quick_random& random) {
        edges& out = nodes_[random.below(nodes_.size())].out;
        if (!out.empty()) {
            const std::size_t place = random.below(out.size());
            out.erase(std::next(out.begin(), static_cast<std::ptrdiff_t>(place)));
        }
    }

    std::uint64_t search(std::uint32_t start, std::uint32_t round) {
        std::deque<std::uint32_t, Alloc<std::uint32_t>> open{Alloc<std::uint32_t>(allocator_)};
        std::uint64_t sum = 0;
        nodes_[start].reached = round;
        for (open.push_back(start); !open.empty(); open.pop_front()) {
            for (const edge& e : nodes_[open.front()].out) {
                sum += e.weight;
                if (nodes_[e.to].reached != round) {
                    nodes_[e.to].reached = round;
                    open.push_back(e.to);
                }
            }
        }
        return sum;
    }

    allocator_type allocator_;
    std::vector<node, Alloc<node>> nodes_;
};

// ---- an order book: orders rest at prices until they match or are cancelled ----------------------------------

struct order_input : program_input {
    order_input(program_size size, std::uint64_t seed_of_orders)
        : resting(size == program_size::small ? 2000 : 150'000), seed(seed_of_orders) {
        operations = 8 * resting; // orders, cancellations and matches
    }

    std::size_t resting; ///< orders in the book, about
    std::uint64_t seed;
};

template <template <class> class Alloc>
class order_program {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    struct order {
        std::uint64_t number;
        std::uint32_t quantity;
        string owner;
    };
    using level = std::list<order, Alloc<order>>;
    using side = std::map<std::uint32_t, level, std::less<>, Alloc<std::pair<const std::uint32_t, level>>>;
    struct place {
        std::uint32_t price;
        typename level::iterator at;
    };
    using places =
        std::unordered_map<std::uint64_t, place, std::hash<std::uint64_t>, std::equal_to<std::uint64_t>,
                           Alloc<std::pair<const std::uint64_t, place>>>;

public:
    static constexpr std::string_view name = "orders";
    static constexpr bool reuses = true;
    using input = order_input;
    using allocator_type = Alloc<std::byte>;

    explicit order_program(const allocator_type& allocator)
        : allocator_(allocator), book_(Alloc<std::pair<const std::uint32_t, level>>(allocator)),
          places_(Alloc<std::pair<const std::uint64_t, place>>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        checksum sum;
        std::uint64_t newest = 0;
        for (std::size_t i = 0; i != data.operations; ++i) {
            const bool full = places_.size() > data.resting;
            const std::uint64_t kind = random.below(100);
            if (kind < (full ? 40U : 60U)) {
                add(newest++, random);
            } else if (kind < 85) {
                sum.add(cancel(newest == 0 ? 0 : random.below(newest)));
            } else {
                sum.add(match(static_cast<std::uint32_t>(random.below(60) + 1)));
            }
        }
        return sum.value();
    }

private:
    void add(std::uint64_t number, quick_random& random) {
        const auto price = static_cast<std::uint32_t>(random.below(random.below(2000) + 1));
        auto found = book_.find(price);
        if (found == book_.end()) {
            found = book_.emplace(price, level(Alloc<order>(allocator_))).first;
        }
        const std::size_t name_bytes = 8 + random.below(24);
        found->second.push_back({number, static_cast<std::uint32_t>(random.below(100) + 1),
                                 string(name_bytes, 'o', Alloc<char>(allocator_))});
        places_.emplace(number, place{price, std::prev(found->second.end())});
    }

    std::uint64_t cancel(std::uint64_t number) {
        const auto found = places_.find(number);
        if (found == places_.end()) {
            return 0;
        }
        const auto at_price = book_.find(found->second.price);
        const std::uint64_t result = found->second.at->owner.size();
        at_price->second.erase(found->second.at);
        if (at_price->second.empty()) {
            book_.erase(at_price);
        }
        places_.erase(found);
        return result;
    }

    /// Returns: the sum of the prices that are paid for `quantity`, best first.
    std::uint64_t match(std::uint32_t quantity) {
        std::uint64_t paid = 0;
        while (quantity != 0 && !book_.empty()) {
            const auto best = std::prev(book_.end());
            order& first = best->second.front();
            const std::uint32_t taken = std::min(quantity, first.quantity);
            paid += std::uint64_t{taken} * best->first;
            quantity -= taken;
            first.quantity -= taken;
            if (first.quantity == 0) {
                places_.erase(first.number);
                best->second.pop_front();
                if (best->second.empty()) {
                    book_.erase(best);
                }
            }
        }
        return paid;
    }

    allocator_type allocator_;
    side book_;
    places places_;
};

// ---- the entities of a game: each frame some come, some go, and events are sent ------------------------------

struct entity_input : program_input {
    entity_input(program_size size, std::uint64_t seed_of_game)
        : entities(size == program_size::small ? 600 : 60'000), seed(seed_of_game) {
        operations = frames * entities; // updates of an entity
    }

    static constexpr std::size_t frames = 40;
    std::size_t entities;
    std::uint64_t seed;
};

template <template <class> class Alloc>
class entity_program {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    struct component {
        std::uint32_t kind;
        std::array<float, 5> state;
    };
    using inventory = std::map<std::uint32_t, std::uint32_t, std::less<>,
                               Alloc<std::pair<const std::uint32_t, std::uint32_t>>>;
    struct entity {
        entity(std::size_t name_bytes, const Alloc<std::byte>& allocator)
            : name(name_bytes, 'e', Alloc<char>(allocator)), components(Alloc<component>(allocator)),
              held(Alloc<std::pair<const std::uint32_t, std::uint32_t>>(allocator)) {}

        string name;
        std::vector<component, Alloc<component>> components;
        inventory held;
    };
    struct event {
        std::uint32_t target;
        string text;
    };
    using store =
        std::unordered_map<std::uint32_t, entity, std::hash<std::uint32_t>, std::equal_to<std::uint32_t>,
                           Alloc<std::pair<const std::uint32_t, entity>>>;

public:
    static constexpr std::string_view name = "entities";
    static constexpr bool reuses = true;
    using input = entity_input;
    using allocator_type = Alloc<std::byte>;

    explicit entity_program(const allocator_type& allocator)
        : allocator_(allocator), store_(Alloc<std::pair<const std::uint32_t, entity>>(allocator)),
          events_(Alloc<event>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        quick_random random(data.seed);
        while (newest_ != data.entities) {
            spawn(random);
        }
        std::uint64_t sum = 0;
        for (std::size_t frame = 0; frame != entity_input::frames; ++frame) {
            update(random);
            for (const event& e : events_) {
                sum += e.text.size() + e.target;
            }
            events_.clear();
            for (std::size_t i = 0; i != data.entities / 20; ++i) {
                store_.erase(static_cast<std::uint32_t>(random.below(newest_)));
            }
            while (store_.size() < data.entities) {
                spawn(random);
            }
        }
        return sum + store_.size();
    }

private:
    void spawn(quick_random& random) {
        entity spawned(4 + random.below(28), allocator_);
        for (std::uint64_t n = 1 + random.below(6); n != 0; --n) {
            spawned.components.push_back({static_cast<std::uint32_t>(n), {1, 2, 3, 4, 5}});
        }
        store_.emplace(static_cast<std::uint32_t>(newest_++), std::move(spawned));
    }

    void update(quick_random& random) {
        for (auto& [number, updated] : store_) {
            for (component& c : updated.components) {
                c.state[0] += c.state[1];
            }
            // By the entity's own number: the order of the store depends on nothing else either, but on its history.
            const std::uint32_t fate = (number * 2654435761U + static_cast<std::uint32_t>(frame_)) >> 27;
            if (fate == 0) {
                updated.held[static_cast<std::uint32_t>(frame_ % 16)] += number;
            } else if (fate == 1) {
                updated.held.clear();
            } else if (fate == 2) {
                updated.components.push_back({number, {}});
            } else if (fate < 6) {
                events_.push_back({number, string(10 + number % 50, 't', Alloc<char>(allocator_))});
            }
        }
        frame_ += 1 + random.below(3);
    }

    allocator_type allocator_;
    store store_;
    std::list<event, Alloc<event>> events_;
    std::uint64_t newest_ = 0;
    std::uint64_t frame_ = 0;
};

// ---- a k-d tree: points are inserted, the nearest ones are looked for, subtrees are rebuilt -------------------

struct spatial_input : program_input {
    spatial_input(program_size size, std::uint64_t seed)
        : points(draw_points(size == program_size::small ? 4000 : 300'000, seed, memory)),
          queries(draw_points(points.size() / (size == program_size::small ? 2 : 30), seed + 1, memory)) {
        operations = points.size() + queries.size(); // points inserted or looked for
    }

    std::pmr::vector<point> points;
    std::pmr::vector<point> queries;
};

template <template <class> class Alloc>
class spatial_program {
    struct node {
        point where;
        node* below = nullptr;
        node* above = nullptr;
    };

public:
    static constexpr std::string_view name = "k-d-tree";
    static constexpr bool reuses = false;
    using input = spatial_input;
    using allocator_type = Alloc<std::byte>;

    explicit spatial_program(const allocator_type& allocator) : allocator_(allocator) {}
    spatial_program(const spatial_program&) = delete;
    spatial_program& operator=(const spatial_program&) = delete;
    ~spatial_program() { destroy(root_); }

    [[nodiscard]] std::uint64_t run(const input& data) {
        for (const point& p : data.points) {
            insert(p);
        }
        checksum sum;
        for (std::size_t i = 0; i != data.queries.size(); ++i) {
            sum.add(count_near(root_, data.queries[i], 0));
            if (i % 2000 == 999) {
                rebuild(data.queries[i]);
            }
        }
        return sum.value();
    }

private:
    void insert(const point& p) {
        node** place = &root_;
        for (std::size_t axis = 0; *place != nullptr; axis = axis == 2 ? 0 : axis + 1) {
            place = p.at[axis] < (*place)->where.at[axis] ? &(*place)->below : &(*place)->above;
        }
        node* const created = std::allocator_traits<Alloc<node>>::allocate(allocator_, 1);
        *place = ::new (static_cast<void*>(created)) node{p};
    }

    void destroy(node* n) {
        if (n != nullptr) {
            destroy(n->below);
            destroy(n->above);
            std::allocator_traits<Alloc<node>>::deallocate(allocator_, n, 1);
        }
    }

    /// Returns: the points of the subtree within 1/64 of `p` in each coordinate.
    [[nodiscard]] static std::uint64_t count_near(const node* n, const point& p, std::size_t axis) {
        constexpr float reach = 0x1p-6F;
        if (n == nullptr) {
            return 0;
        }
        std::uint64_t count = 1;
        for (std::size_t i = 0; i != 3; ++i) {
            const float distance = n->where.at[i] - p.at[i];
            count &= static_cast<std::uint64_t>(distance < reach && distance > -reach);
        }
        const float distance = p.at[axis] - n->where.at[axis];
        const std::size_t next = axis == 2 ? 0 : axis + 1;
        if (distance < reach) {
            count += count_near(n->below, p, next);
        }
        if (distance > -reach) {
            count += count_near(n->above, p, next);
        }
        return count;
    }

    /// Effects: destroys the subtree eight levels below the root on the way to `p`, and inserts its points again.
    void rebuild(const point& p) {
        node** place = &root_;
        for (std::size_t level = 0; level != 8 && *place != nullptr; ++level) {
            place = p.at[level % 3] < (*place)->where.at[level % 3] ? &(*place)->below : &(*place)->above;
        }
        std::vector<point, Alloc<point>> points{Alloc<point>(allocator_)};
        collect(*place, points);
        destroy(*place);
        *place = nullptr;
        for (const point& again : points) {
            insert(again);
        }
    }

    static void collect(const node* n, std::vector<point, Alloc<point>>& points) {
        if (n != nullptr) {
            points.push_back(n->where);
            collect(n->above, points);
            collect(n->below, points);
        }
    }

    Alloc<node> allocator_;
    node* root_ = nullptr;
};

} // namespace bench
