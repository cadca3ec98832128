/* Shared by the files of format/ that read and print values. */
#ifndef LAKE_FORMAT_VALUE_INTERNAL_H
#define LAKE_FORMAT_VALUE_INTERNAL_H

#include "format/value.h"

/* "f79c3e09-677c-4bbd-a479-3f349cb785e7" */
void lake_uuid_print(lake_buffer *out, const uint8_t uuid[16]);

/* An ISO date; years beyond 9999 get a '+', those before 0 a '-'. */
void lake_date_print(lake_buffer *out, int64_t days);
/* "22:31:08.123456" of units of 10^-digits seconds since midnight. */
void lake_clock_print(lake_buffer *out, int64_t units, int digits);

#endif
