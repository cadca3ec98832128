/* Signed 128-bit integers: keys of decimals, and of everything that is an integer. */
#ifndef LAKE_BASE_INT128_H
#define LAKE_BASE_INT128_H

#include <stdbool.h>
#include <stddef.h>

#include "lake/view.h"

typedef __int128 lake_i128;
typedef unsigned __int128 lake_u128;

#define LAKE_I128_MAX ((lake_i128)(~(lake_u128)0 >> 1))
#define LAKE_I128_MIN (-LAKE_I128_MAX - 1)

enum { LAKE_I128_TEXT = 48 };

/* Decimal digits with a sign into text (NUL-ended); returns the length. */
size_t lake_i128_print(lake_i128 v, char text[LAKE_I128_TEXT]);
/* The same with `scale` digits behind a point: 12345, 2 -> "123.45"; -5, 3 -> "-0.005". */
size_t lake_decimal_print(lake_i128 unscaled, int scale, char text[LAKE_I128_TEXT + 48]);

/* Big-endian two's complement. read: false if it is empty or needs more than 128 bits. write: the fewest bytes. */
bool lake_i128_from_be(lake_bytes b, lake_i128 *out);
size_t lake_i128_to_be(lake_i128 v, uint8_t out[16]);
/* Sign-extended to exactly n bytes (n <= 16 in use); false if it does not fit. */
bool lake_i128_to_be_fixed(lake_i128 v, uint8_t *out, size_t n);

/* Rounded down; b > 0. */
static inline lake_i128 lake_i128_floor_div(lake_i128 a, lake_i128 b) {
    return a / b - (a % b < 0);
}

/* 10^n for n in 0..38. */
lake_i128 lake_i128_pow10(int n);

#endif
