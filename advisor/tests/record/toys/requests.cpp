// requests N [keep]: handles requests. Each allocates many small blocks and frees all of them, or all except for a text, which is
// kept for eight requests.
#include <cstdlib>
#include <map>
#include <string>

static bool keeps = false;
static std::string kept[8];

#ifdef KEEPS_INLINE
[[gnu::always_inline]] inline
#else
[[gnu::noinline]]
#endif
    static void
    keep(int request) {
    kept[request % 8] = "the text of a request that is kept, number " + std::to_string(request);
}

[[gnu::noinline]] static std::size_t handle(int request) {
    std::map<std::string, std::string> fields;
    for (int field = 0; field != 20; ++field) {
        fields.emplace("the name of a field, number " + std::to_string(field),
                       "the value of a field, number " + std::to_string(request));
    }
    if (keeps) {
        keep(request);
    }
    return fields.size();
}

int main(int count, char** words) {
    keeps = count > 2;
    std::size_t fields = 0;
    for (int request = 0; request != std::atoi(words[1]); ++request) {
        fields += handle(request);
    }
    return fields == 0;
}
