// news N: calls operator new and operator delete N times each.
#include <cstdlib>

int main(int, char** words) {
    for (long each = std::atol(words[1]); each > 0; --each) {
        int* volatile block = new int(1);
        delete block;
    }
}
