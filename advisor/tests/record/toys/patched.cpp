// patched COUNT: lines for which `mallard advise` writes a patch.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define APART __attribute__((noinline))

namespace {

struct point {
    double x, y, z;
};

APART std::size_t points(int count) {
    std::vector<point> points;
    for (int number = 0; number < count; ++number) {
        points.push_back({double(number), 0, 0}); // line: points
    }
    return points.size();
}

APART std::size_t text(int count) {
    std::string line;
    for (int number = 0; number < count; ++number) {
        line += static_cast<char>('a' + number % 26); // line: text
    }
    return line.size();
}

/// The loop makes a buffer each time.
APART std::size_t rounds(int count) {
    std::size_t sum = 0;
    for (int number = 0; number < count; ++number) {
        std::vector<unsigned char> buffer(1000); // line: rounds
        buffer[number % 1000] = 1;
        sum += buffer[number % 900] + buffer.size();
    }
    return sum;
}

/// Each call makes a buffer, also the one inside of a call.
APART std::size_t frame(int number, int depth) {
    std::string pixels(2000, '.'); // line: frame
    pixels[number % 2000] = '#';
    std::size_t sum = depth > 0 ? frame(number + 1, depth - 1) : 0;
    for (const char pixel : pixels) {
        sum += pixel == '#';
    }
    return sum;
}

} // namespace

int main(int words, char** arguments) {
    const int count = words > 1 ? std::atoi(arguments[1]) : 0;
    std::size_t sum = rounds(count);
    for (int number = 0; number < count; ++number) {
        sum += points(60) + text(200) + frame(number, number == 7);
    }
    std::printf("%zu\n", sum);
}
