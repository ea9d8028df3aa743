#include "runner/workload/programs/input.hpp"

#include "runner/harness/quick_random.hpp"

#include <cmath>

namespace bench {

namespace {

std::string draw_word(quick_random& random, std::size_t least, std::size_t most) {
    std::string word(least + random.below(most - least + 1), ' ');
    for (char& letter : word) {
        letter = static_cast<char>('a' + random.below(26));
    }
    return word;
}

/// Returns: a length of which most are short, as of names and texts.
std::size_t draw_length(quick_random& random, std::size_t least, std::size_t most) {
    const std::uint64_t range = most - least + 1;
    return least + random.below(random.below(range) + 1);
}

void append_member(std::string& text, std::string_view key, std::string_view value) {
    text.append(text.back() == '{' ? "\"" : ",\"").append(key).append("\":").append(value);
}

std::string to_json_string(std::string_view word) {
    return "\"" + std::string(word) + "\"";
}

void append_expression(std::string& text, quick_random& random, unsigned depth) {
    const std::uint64_t kind = depth == 0 ? random.below(2) : random.below(8);
    switch (kind) {
    case 0:
        text += std::to_string(random.below(10));
        break;
    case 1:
        text += draw_word(random, 1, 24);
        break;
    case 2:
        text += '-';
        append_expression(text, random, depth - 1);
        break;
    case 3:
        text += draw_word(random, 2, 20) + '(';
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

word_stream draw_words(std::size_t vocabulary, std::size_t count, std::uint64_t seed) {
    quick_random random(seed);
    word_stream stream;
    for (std::size_t i = 0; i != vocabulary; ++i) {
        stream.vocabulary.push_back(draw_word(random, 3, draw_length(random, 3, 37) + 3));
    }
    // Zipf's law by inversion: the logarithm of the rank is uniform.
    const double most = std::log(static_cast<double>(vocabulary));
    for (std::size_t i = 0; i != count; ++i) {
        const double uniform = static_cast<double>(random.below(std::uint64_t{1} << 32)) * 0x1p-32;
        stream.words.push_back(static_cast<std::uint32_t>(std::exp(uniform * most)) - 1);
    }
    return stream;
}

std::string draw_json(std::size_t records, std::uint64_t seed) {
    quick_random random(seed);
    std::string text = "[";
    for (std::size_t i = 0; i != records; ++i) {
        text += i == 0 ? "{" : ",{";
        append_member(text, "id", std::to_string(random.below(1'000'000'000)));
        append_member(text, "screen_name", to_json_string(draw_word(random, 4, 20)));
        append_member(text, "description", to_json_string(draw_word(random, 8, draw_length(random, 8, 200))));
        append_member(text, "verified", random.below(4) == 0 ? "true" : "false");
        append_member(text, "balance", std::to_string(random.below(100'000)) + ".25");
        append_member(text, "referrer", "null");
        append_member(text, "address", "{");
        append_member(text, "street", to_json_string(draw_word(random, 10, 40)));
        append_member(text, "city", to_json_string(draw_word(random, 4, 18)));
        append_member(text, "postal_code", to_json_string(std::to_string(10'000 + random.below(89'999))));
        text += '}';
        append_member(text, "tags", "[");
        for (std::uint64_t n = random.below(6); n != 0; --n) {
            text += to_json_string(draw_word(random, 3, 24)) + (n == 1 ? "" : ",");
        }
        text += ']';
        append_member(text, "history", "[");
        for (std::uint64_t n = random.below(12); n != 0; --n) {
            text += std::to_string(random.below(1000)) + (n == 1 ? "" : ",");
        }
        text += "]}";
    }
    return text + "]";
}

std::string draw_source(std::size_t statements, std::uint64_t seed) {
    quick_random random(seed);
    std::string text;
    for (std::size_t i = 0; i != statements; ++i) {
        append_expression(text, random, 4);
        text += ';';
    }
    return text;
}

std::vector<std::string> draw_requests(std::size_t count, std::size_t fields, std::uint64_t seed) {
    quick_random random(seed);
    std::vector<std::string> requests;
    for (std::size_t i = 0; i != count; ++i) {
        std::string text = "POST";
        text += ' ';
        for (std::uint64_t n = 2 + random.below(4); n != 0; --n) {
            text += '/' + draw_word(random, 3, 20);
        }
        text += '\n';
        for (std::uint64_t n = 6 + random.below(6); n != 0; --n) {
            text += draw_word(random, 4, 20) + ": " + draw_word(random, 4, draw_length(random, 4, 90)) + '\n';
        }
        text += '\n';
        for (std::size_t n = fields; n != 0; --n) {
            text += draw_word(random, 3, 16) + '=' + draw_word(random, 1, draw_length(random, 1, 60));
            text += n == 1 ? "" : "&";
        }
        requests.push_back(std::move(text));
    }
    return requests;
}

std::vector<point> draw_points(std::size_t count, std::uint64_t seed) {
    quick_random random(seed);
    std::vector<point> points(count);
    for (point& p : points) {
        for (float& coordinate : p.at) {
            coordinate = static_cast<float>(random.below(1 << 20)) * 0x1p-20F;
        }
    }
    return points;
}

} // namespace bench
