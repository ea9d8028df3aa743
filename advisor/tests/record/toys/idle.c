/* Computes for a while, and allocates nothing. */
#ifndef TURNS
#define TURNS 20000000
#endif
int main(void) {
    volatile double value = 1;
    for (long turn = 0; turn != TURNS; ++turn)
        value = value * 1.0000001;
    return value < 0;
}
