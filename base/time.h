/* The proleptic Gregorian calendar, any year that fits; no time zones but offsets; no libc time state. */
#ifndef LAKE_BASE_TIME_H
#define LAKE_BASE_TIME_H

#include <stdint.h>

typedef struct lake_civil {
    int64_t year; /* astronomical: 0 is 1 BC */
    int month, day; /* from 1 */
} lake_civil;

/* Rounded down; b > 0. */
static inline int64_t lake_floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Days since 1970-01-01. */
int64_t lake_days_from_civil(int64_t year, int month, int day);
lake_civil lake_civil_from_days(int64_t days);
int lake_days_in_month(int64_t year, int month);

/* The wall clock, milliseconds since 1970; a monotonic clock, nanoseconds. */
int64_t lake_now_ms(void);
int64_t lake_monotonic_ns(void);

#endif
