/* UTF-8. */
#ifndef LAKE_BASE_UTF8_H
#define LAKE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lake/view.h"

/* Strict: no surrogates, no overlong forms, at most U+10FFFF. */
bool lake_utf8_valid(lake_bytes b);
/* Decodes the code point at p (p < end). Returns its length, or 0 if it is not valid UTF-8. */
size_t lake_utf8_decode(const uint8_t *p, const uint8_t *end, uint32_t *cp);
/* Encodes; returns 1..4, or 0 for a surrogate or a value beyond U+10FFFF. */
size_t lake_utf8_encode(uint32_t cp, uint8_t out[4]);
/* The length in bytes of the first n code points (or of all, if there are fewer). A stray byte counts as one. */
size_t lake_utf8_head(lake_bytes b, size_t n);
/* Number of code points. */
size_t lake_utf8_count(lake_bytes b);

#endif
