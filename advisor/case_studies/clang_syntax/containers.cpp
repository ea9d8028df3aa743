// An input of clang++: containers and their instances.
#include <map>
#include <string>
#include <vector>

std::map<std::string, std::vector<int>> numbers() {
    return {{"one", {1}}, {"two", {1, 2}}};
}
