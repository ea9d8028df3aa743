// An input of clang++: algorithms and function objects.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

int sum_of_even(std::vector<int> values) {
    std::sort(values.begin(), values.end(), std::greater<>());
    return std::accumulate(values.begin(), values.end(), 0,
                           [](int sum, int value) { return value % 2 == 0 ? sum + value : sum; });
}
