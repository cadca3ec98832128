/* The lexical half of JSON reading: checks every token of a document and rewrites its numbers as marked strings, so
   that a parser which would round them keeps their text. Internal to wire/. */
#ifndef LAKE_WIRE_JSON_SCAN_H
#define LAKE_WIRE_JSON_SCAN_H

#include "base/base.h"

enum {
    LAKE_JSON_MARK = 0x7f, /* MARK digits: a number; MARK MARK text: a string that itself begins with MARK */
    LAKE_JSON_MAX_DEPTH = 1000,
    LAKE_JSON_MAX_TEXT = 1 << 30 /* bytes of one document */
};

typedef struct lake_json_fault {
    size_t offset; /* of the byte at fault */
    const char *what; /* static text */
    lake_status status;
} lake_json_fault;

/* Appends the rewritten document to `out`. False: a token breaks the grammar, the text is no UTF-8, or brackets nest
   too deep. Which token may follow which is left to the parser. */
bool lake_json_scan(lake_str text, lake_buffer *out, lake_json_fault *fault);

/* The token of `text` that ends at, or holds, the byte before `position` of the rewritten document. */
lake_str lake_json_scan_locate(lake_str text, size_t position);

#endif
