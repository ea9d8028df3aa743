/// The system of Benchmark II: subsystems that exchange elements and are visited.
///
///     system:     [ * | * | * | ... ]     k = links / list_length pointers
///                   |
///     subsystem:  [ its allocator | std::list<int> ]   made by `new`, one after the other
///                                     |
///     links:      [ ]-[ ]-[ ]- ...    from the subsystem's allocator
///
/// This code is compiled once for each type of list. For the abstract base it is compiled in locality_abstract.cpp,
/// where the compiler knows no resource.
#pragma once

#include "runner/harness/escape.hpp"
#include "runner/harness/quick_random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// The system's view of a subsystem. The derived class holds the allocator, in front of it.
template <class List>
struct subsystem {
    template <class... Args>
    explicit subsystem(const Args&... args) : list(args...) {}

    List list;
};

/// Creates and destroys the subsystems of a strategy.
template <class List>
struct subsystem_life {
    subsystem<List>* (*make)();
    void (*destroy)(subsystem<List>*);
    std::size_t bytes; ///< the size of a subsystem, without its links
};

template <class List>
class locality_system {
public:
    /// Requires: `links` is a multiple of `list_length`.
    locality_system(const subsystem_life<List>& life, std::size_t links, std::size_t list_length)
        : life_(life), list_length_(list_length) {
        all_.assign(links / list_length, nullptr); // touches its pages before the memory is measured
    }

    locality_system(const locality_system&) = delete;
    locality_system& operator=(const locality_system&) = delete;

    ~locality_system() {
        for (subsystem<List>* s : all_) {
            if (s != nullptr) {
                life_.destroy(s);
            }
        }
    }

    /// Effects: creates the subsystems with their links.
    void build() {
        for (subsystem<List>*& s : all_) {
            s = life_.make();
            fill(s->list);
        }
    }

    /// Effects: runs one pass of shuffling. Every list is visited `list_length` times. A visit pops the front of the
    /// list, unless it is empty, and pushes its value onto the back of a random list.
    /// Returns: the number of pairs of a pop and a push.
    std::size_t shuffle(quick_random& destination) {
        std::size_t pairs = 0;
        for (std::size_t round = 0; round != list_length_; ++round) {
            for (subsystem<List>* s : all_) {
                if (s->list.empty()) {
                    continue;
                }
                const int value = s->list.front();
                s->list.pop_front();
                all_[destination.below(all_.size())]->list.push_back(value);
                ++pairs;
            }
        }
        return pairs;
    }

    /// Effects: visits every list in turn, with `traversals` traversals of each.
    /// Returns: the number of accesses.
    std::size_t access_all(std::size_t traversals) {
        std::size_t accesses = 0;
        for (subsystem<List>* s : all_) {
            accesses += visit(s->list, traversals);
        }
        return accesses;
    }

    /// Effects: visits lists in turn until `least_accesses` accesses were made, beginning after the list that was
    /// visited last. A visit finds the cache as a visit of the whole system would.
    /// Returns: the number of accesses, at least `least_accesses`.
    std::size_t access_some(std::size_t traversals, std::size_t least_accesses) {
        std::size_t accesses = 0;
        while (accesses < least_accesses) {
            accesses += visit(all_[next_]->list, traversals);
            next_ = next_ + 1 == all_.size() ? 0 : next_ + 1;
        }
        return accesses;
    }

    void clear() {
        for (subsystem<List>* s : all_) {
            s->list.clear();
        }
    }

    /// Effects: fills every list with its initial number of links.
    /// Requires: all lists are empty.
    void refill() {
        for (subsystem<List>* s : all_) {
            fill(s->list);
        }
    }

    /// Returns: a checksum of the lists' lengths and values, in order.
    [[nodiscard]] std::uint64_t checksum() const {
        constexpr std::uint64_t prime = 1099511628211ULL; // FNV-1a
        std::uint64_t sum = 14695981039346656037ULL;
        for (const subsystem<List>* s : all_) {
            sum = (sum ^ s->list.size()) * prime;
            for (const int value : s->list) {
                sum = (sum ^ static_cast<std::uint64_t>(value)) * prime;
            }
        }
        return sum;
    }

    [[nodiscard]] std::size_t subsystems() const noexcept { return all_.size(); }
    [[nodiscard]] const List& list(std::size_t i) const noexcept { return all_[i]->list; }

private:
    void fill(List& list) const {
        for (std::size_t i = 0; i != list_length_; ++i) {
            list.push_back(static_cast<int>(i));
        }
    }

    static std::size_t visit(List& list, std::size_t traversals) {
        for (std::size_t i = 0; i != traversals; ++i) {
            for (int& value : list) {
                ++value;
            }
            escape(&list);
        }
        return list.size() * traversals;
    }

    subsystem_life<List> life_;
    std::size_t list_length_;
    std::vector<subsystem<List>*> all_;
    std::size_t next_ = 0;
};

} // namespace bench
