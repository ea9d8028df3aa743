#include "runner/workload/programs/input.hpp"

#include "runner/harness/quick_random.hpp"

#include <cmath>

namespace bench {

namespace {

void append_word(std::pmr::string& text, quick_random& random, std::size_t least, std::size_t most) {
    for (std::size_t letters = least + random.below(most - least + 1); letters != 0; --letters) {
        text += static_cast<char>('a' + random.below(26));
    }
}

/// Returns: a length of which most are short, as of names and texts.
std::size_t draw_length(quick_random& random, std::size_t least, std::size_t most) {
    const std::uint64_t range = most - least + 1;
    return least + random.below(random.below(range) + 1);
}

void append_key(std::pmr::string& text, std::string_view key) {
    text.append(text.back() == '{' ? "\"" : ",\"").append(key).append("\":");
}

void append_quoted_word(std::pmr::string& text, quick_random& random, std::size_t least, std::size_t most) {
    text += '"';
    append_word(text, random, least, most);
    text += '"';
}

/// A number of at most nine digits, which std::to_string keeps in the string itself.
void append_number(std::pmr::string& text, std::uint64_t number) {
    text += std::to_string(number);
}

void append_expression(std::pmr::string& text, quick_random& random, unsigned depth) {
    const std::uint64_t kind = depth == 0 ? random.below(2) : random.below(8);
    switch (kind) {
    case 0:
        append_number(text, random.below(10));
        break;
    case 1:
        append_word(text, random, 1, 24);
        break;
    case 2:
        text += '-';
        append_expression(text, random, depth - 1);
        break;
    case 3:
        append_word(text, random, 2, 20);
        text += '(';
        for (std::uint64_t i = random.below(4) + 1; i != 0; --i) {
            append_expression(text, random, depth - 1);
            text += i == 1 ? ')' : ',';
        }
        break;
    default:
        text += '(';
        append_expression(text, random, depth - 1);
        text += "+-*"[random.below(3)];
        append_expression(text, random, depth - 1);
        text += ')';
        break;
    }
}

} // namespace

word_stream draw_words(std::size_t vocabulary, std::size_t count, std::uint64_t seed,
                       std::pmr::memory_resource& memory) {
    quick_random random(seed);
    word_stream stream{std::pmr::vector<std::pmr::string>(&memory), std::pmr::vector<std::uint32_t>(&memory)};
    stream.vocabulary.reserve(vocabulary);
    for (std::size_t i = 0; i != vocabulary; ++i) {
        append_word(stream.vocabulary.emplace_back(), random, 3, draw_length(random, 3, 37) + 3);
    }
    // Zipf's law by inversion: the logarithm of the rank is uniform.
    const double most = std::log(static_cast<double>(vocabulary));
    stream.words.reserve(count);
    for (std::size_t i = 0; i != count; ++i) {
        const double uniform = static_cast<double>(random.below(std::uint64_t{1} << 32)) * 0x1p-32;
        stream.words.push_back(static_cast<std::uint32_t>(std::exp(uniform * most)) - 1);
    }
    return stream;
}

std::pmr::string draw_json(std::size_t records, std::uint64_t seed, std::pmr::memory_resource& memory) {
    quick_random random(seed);
    std::pmr::string text("[", &memory);
    for (std::size_t i = 0; i != records; ++i) {
        text += i == 0 ? "{" : ",{";
        append_key(text, "id");
        append_number(text, random.below(1'000'000'000));
        append_key(text, "screen_name");
        append_quoted_word(text, random, 4, 20);
        append_key(text, "description");
        append_quoted_word(text, random, 8, draw_length(random, 8, 200));
        append_key(text, "verified");
        text += random.below(4) == 0 ? "true" : "false";
        append_key(text, "balance");
        append_number(text, random.below(100'000));
        text += ".25";
        append_key(text, "referrer");
        text += "null";
        append_key(text, "address");
        text += '{';
        append_key(text, "street");
        append_quoted_word(text, random, 10, 40);
        append_key(text, "city");
        append_quoted_word(text, random, 4, 18);
        append_key(text, "postal_code");
        text += '"';
        append_number(text, 10'000 + random.below(89'999));
        text += "\"}";
        append_key(text, "tags");
        text += '[';
        for (std::uint64_t n = random.below(6); n != 0; --n) {
            append_quoted_word(text, random, 3, 24);
            text += n == 1 ? "" : ",";
        }
        text += ']';
        append_key(text, "history");
        text += '[';
        for (std::uint64_t n = random.below(12); n != 0; --n) {
            append_number(text, random.below(1000));
            text += n == 1 ? "" : ",";
        }
        text += "]}";
    }
    text += ']';
    return text;
}

std::pmr::string draw_source(std::size_t statements, std::uint64_t seed, std::pmr::memory_resource& memory) {
    quick_random random(seed);
    std::pmr::string text(&memory);
    for (std::size_t i = 0; i != statements; ++i) {
        append_expression(text, random, 4);
        text += ';';
    }
    return text;
}

std::pmr::vector<std::pmr::string> draw_requests(std::size_t count, std::size_t fields, std::uint64_t seed,
                                                 std::pmr::memory_resource& memory) {
    quick_random random(seed);
    std::pmr::vector<std::pmr::string> requests(&memory);
    requests.reserve(count);
    for (std::size_t i = 0; i != count; ++i) {
        std::pmr::string& text = requests.emplace_back("POST ");
        for (std::uint64_t n = 2 + random.below(4); n != 0; --n) {
            text += '/';
            append_word(text, random, 3, 20);
        }
        text += '\n';
        for (std::uint64_t n = 6 + random.below(6); n != 0; --n) {
            append_word(text, random, 4, 20);
            text += ": ";
            append_word(text, random, 4, draw_length(random, 4, 90));
            text += '\n';
        }
        text += '\n';
        for (std::size_t n = fields; n != 0; --n) {
            append_word(text, random, 3, 16);
            text += '=';
            append_word(text, random, 1, draw_length(random, 1, 60));
            text += n == 1 ? "" : "&";
        }
    }
    return requests;
}

std::pmr::vector<point> draw_points(std::size_t count, std::uint64_t seed,
                                    std::pmr::memory_resource& memory) {
    quick_random random(seed);
    std::pmr::vector<point> points(count, &memory);
    for (point& p : points) {
        for (float& coordinate : p.at) {
            coordinate = static_cast<float>(random.below(1 << 20)) * 0x1p-20F;
        }
    }
    return points;
}

} // namespace bench
