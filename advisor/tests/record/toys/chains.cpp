// chains COUNT: that many strings, each of a chain of operator+.
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

[[gnu::noinline]] std::string greet(const std::string& name, const std::string& rest) {
    return "a greeting that is too long for the string itself, " + name + ", and " + rest +
           "!"; // line: chain
}

} // namespace

int main(int words, char** arguments) {
    const int count = words > 1 ? std::atoi(arguments[1]) : 1;
    const std::string rest(200, 'x');
    unsigned long sum = 0;
    for (int number = 0; number < count; ++number) {
        sum += greet("somebody with a long name", rest).size();
    }
    std::printf("%lu\n", sum);
}
