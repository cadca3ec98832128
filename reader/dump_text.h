/* JSON that is made piece by piece goes out laid out (dump_text.c). */
#ifndef LAKE_READER_DUMP_TEXT_H
#define LAKE_READER_DUMP_TEXT_H

#include "wire/json.h"

typedef struct lake_dump_out {
    const lake_sink *sink;
    int indent; /* 0: one line */
    lake_buffer piece; /* compact JSON that is being made: put here, then call lake_dump_flush */
    lake_buffer text; /* laid out, not yet written */
    int depth;
    bool in_string, escaped, opened; /* opened: just after [ or { */
} lake_dump_out;

void lake_dump_begin(lake_dump_out *out, const lake_sink *sink, int indent);
/* Takes what is in `piece`, which may end anywhere, and writes what has become much. */
LAKE_CHECK_RESULT lake_status lake_dump_flush(lake_dump_out *out, lake_error *err);
/* The same, and writes all with a newline. */
LAKE_CHECK_RESULT lake_status lake_dump_end(lake_dump_out *out, lake_error *err);
void lake_dump_clear(lake_dump_out *out);

/* Members of the object that `piece` is in. */
void lake_dump_key(lake_dump_out *out, const char *name);
void lake_dump_long(lake_dump_out *out, const char *name, int64_t v);
void lake_dump_str(lake_dump_out *out, const char *name, lake_str v); /* nothing if absent */
void lake_dump_hex(lake_dump_out *out, const char *name, lake_bytes v); /* nothing if absent */

#endif
