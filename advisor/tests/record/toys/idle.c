/* Computes for a while, and allocates nothing. */
int main(void) {
    volatile double value = 1;
    for (long turn = 0; turn != 20000000; ++turn)
        value = value * 1.0000001;
    return value < 0;
}
