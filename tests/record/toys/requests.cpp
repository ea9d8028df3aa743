// Handles requests; each makes many small blocks, and frees all of them.
#include <cstdlib>
#include <map>
#include <string>

[[gnu::noinline]] static std::size_t handle(int request) {
    std::map<std::string, std::string> fields;
    for (int field = 0; field != 20; ++field) {
        fields.emplace("the name of a field, number " + std::to_string(field),
                       "the value of a field, number " + std::to_string(request));
    }
    return fields.size();
}

int main(int, char** words) {
    std::size_t fields = 0;
    for (int request = 0; request != std::atoi(words[1]); ++request) {
        fields += handle(request);
    }
    return fields == 0;
}
