/* lakectl: the program. */
#include <stdio.h>

int main(void) {
    puts("lakectl");
    return 0;
}
