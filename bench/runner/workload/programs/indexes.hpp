/// Programs around tables of strings: an interner, a cache with a limit, and a text index. texts.hpp has the form of a
/// program.
#pragma once

#include "runner/harness/checksum.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/workload/programs/input.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace bench {

/// Hashes a string of any allocator by its characters. Not noexcept, so that libstdc++ stores the hash in each node, as it does
/// for std::string.
struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

struct text_equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
};

// ---- an interner: each word of a text once; rare words are dropped, and the text is read again --------------

struct interner_input : program_input {
    interner_input(program_size size, std::uint64_t seed)
        : stream(draw_words(size == program_size::small ? 2500 : 300'000,
                            size == program_size::small ? 20'000 : 600'000, seed, memory)) {
        operations = 2 * stream.words.size(); // words read
    }

    word_stream stream;
};

template <template <class> class Alloc>
class interner_program {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    using table = std::unordered_set<string, text_hash, text_equal, Alloc<string>>;
    template <class T>
    using vector = std::vector<T, Alloc<T>>;

public:
    static constexpr std::string_view name = "interner";
    static constexpr bool reuses = false;
    using input = interner_input;
    using allocator_type = Alloc<std::byte>;

    explicit interner_program(const allocator_type& allocator)
        : allocator_(allocator), words_(Alloc<string>(allocator)), text_(Alloc<const string*>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        checksum sum;
        read(data.stream, sum);
        text_.clear();
        for (auto word = words_.begin(); word != words_.end();) {
            word = word->size() % 3 == 0 ? words_.erase(word) : std::next(word);
        }
        read(data.stream, sum);
        return sum.value();
    }

private:
    void read(const word_stream& stream, checksum& sum) {
        for (std::size_t i = 0; i != stream.words.size(); ++i) {
            const std::string_view word = stream.at(i);
            auto found = words_.find(word);
            if (found == words_.end()) {
                found = words_.emplace(string(word, Alloc<char>(allocator_))).first;
            }
            text_.push_back(&*found);
        }
        for (const string* const word : text_) {
            sum.add(word->size());
        }
    }

    allocator_type allocator_;
    table words_;
    vector<const string*> text_;
};

// ---- a cache of values: the least recently used one makes room ----------------------------------------------

struct cache_input : program_input {
    cache_input(program_size size, std::uint64_t seed)
        : capacity(size == program_size::small ? 1000 : 80'000),
          keys(draw_words(4 * capacity, 10 * capacity, seed, memory)) {
        operations = keys.words.size(); // look-ups
    }

    std::size_t capacity;
    word_stream keys;
};

template <template <class> class Alloc>
class cache_program {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    struct entry {
        string key;
        string value;
    };
    using entries = std::list<entry, Alloc<entry>>;
    using index = std::unordered_map<std::string_view, typename entries::iterator, text_hash, text_equal,
                                     Alloc<std::pair<const std::string_view, typename entries::iterator>>>;

public:
    static constexpr std::string_view name = "cache";
    static constexpr bool reuses = true;
    using input = cache_input;
    using allocator_type = Alloc<std::byte>;

    explicit cache_program(const allocator_type& allocator)
        : allocator_(allocator), entries_(Alloc<entry>(allocator)),
          index_(Alloc<std::pair<const std::string_view, typename entries::iterator>>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        checksum sum;
        for (std::size_t i = 0; i != data.keys.words.size(); ++i) {
            sum.add(look_up(data.keys.at(i), data.capacity, i));
        }
        return sum.value();
    }

private:
    std::uint64_t look_up(std::string_view key, std::size_t capacity, std::size_t time) {
        const auto found = index_.find(key);
        if (found != index_.end()) {
            entries_.splice(entries_.begin(), entries_, found->second);
            string& value = entries_.front().value;
            if (time % 8 == 0) { // a new version, often longer
                value = string(value.size() + 24, 'v', Alloc<char>(allocator_));
            }
            return value.size();
        }
        if (index_.size() == capacity) {
            index_.erase(entries_.back().key);
            entries_.pop_back();
        }
        // Most values are short, as in a cache of sessions or rows.
        const std::size_t hash = text_hash()(key);
        const std::size_t bytes = 16 + hash % (hash % 16 == 0 ? 1000 : 200);
        entries_.push_front(
            {string(key, Alloc<char>(allocator_)), string(bytes, 'v', Alloc<char>(allocator_))});
        index_.emplace(entries_.front().key, entries_.begin());
        return bytes;
    }

    allocator_type allocator_;
    entries entries_;
    index index_;
};

// ---- a text index: the documents of each word; queries, and documents that go --------------------------------

struct index_input : program_input {
    index_input(program_size size, std::uint64_t seed)
        : documents(size == program_size::small ? 200 : 10'000),
          stream(draw_words(documents * 8, documents * words_a_document, seed, memory)) {
        operations = 2 * stream.words.size(); // words read
    }

    static constexpr std::size_t words_a_document = 60;
    static constexpr std::uint32_t dropped_words = 100;
    std::size_t documents;
    word_stream stream;
};

template <template <class> class Alloc>
class index_program {
    using string = std::basic_string<char, std::char_traits<char>, Alloc<char>>;
    template <class T>
    using vector = std::vector<T, Alloc<T>>;
    using postings = vector<std::uint32_t>;

public:
    static constexpr std::string_view name = "index";
    static constexpr bool reuses = false;
    using input = index_input;
    using allocator_type = Alloc<std::byte>;

    explicit index_program(const allocator_type& allocator)
        : allocator_(allocator), index_(Alloc<std::pair<const string, postings>>(allocator)) {}

    [[nodiscard]] std::uint64_t run(const input& data) {
        const auto document = [](std::size_t i) {
            return static_cast<std::uint32_t>(i / index_input::words_a_document);
        };
        for (std::size_t i = 0; i != data.stream.words.size(); ++i) {
            add(data.stream.at(i), document(i));
        }
        checksum sum;
        // Queries of two words that are not the most frequent ones, as a search drops those.
        for (std::size_t i = 1; i < data.stream.words.size(); i += 7) {
            if (std::min(data.stream.words[i - 1], data.stream.words[i]) >= index_input::dropped_words) {
                sum.add(both(data.stream.at(i - 1), data.stream.at(i)).size());
            }
        }
        // Every third document is removed, and comes back under a new number.
        for (std::size_t i = 0; i != data.stream.words.size(); ++i) {
            if (document(i) % 3 == 0) {
                remove(data.stream.at(i), document(i));
            }
        }
        for (std::size_t i = 0; i != data.stream.words.size(); ++i) {
            if (document(i) % 3 == 0) {
                add(data.stream.at(i), document(i) + static_cast<std::uint32_t>(data.documents));
            }
        }
        for (const auto& [word, found] : index_) {
            sum.add(word.size() + found.back());
        }
        return sum.value();
    }

private:
    void add(std::string_view word, std::uint32_t document) {
        auto entry = index_.find(word);
        if (entry == index_.end()) {
            entry = index_
                        .emplace(string(word, Alloc<char>(allocator_)),
                                 postings(Alloc<std::uint32_t>(allocator_)))
                        .first;
        }
        if (entry->second.empty() || entry->second.back() != document) {
            entry->second.push_back(document);
        }
    }

    void remove(std::string_view word, std::uint32_t document) {
        const auto entry = index_.find(word);
        if (entry == index_.end()) {
            return;
        }
        const auto found = std::ranges::lower_bound(entry->second, document);
        if (found != entry->second.end() && *found == document) {
            entry->second.erase(found);
        }
        if (entry->second.empty()) {
            index_.erase(entry);
        }
    }

    postings both(std::string_view a, std::string_view b) {
        postings common{Alloc<std::uint32_t>(allocator_)};
        std::ranges::set_intersection(index_.find(a)->second, index_.find(b)->second,
                                      std::back_inserter(common));
        return common;
    }

    allocator_type allocator_;
    std::map<string, postings, std::less<>, Alloc<std::pair<const string, postings>>> index_;
};

} // namespace bench
