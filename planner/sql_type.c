/* Names of types in CAST and `::`, in the spellings of the engines people use. */
#include "planner/sql_parse.h"

/* What a name means. UNKNOWN: nothing follows from a cast to it. */
static const struct {
    const char *word;
    lake_type_id id;
    int bytes; /* of an integer that is narrower than INT */
} types[] = {{"BOOLEAN", LAKE_BOOLEAN, 0}, {"BOOL", LAKE_BOOLEAN, 0}, {"TINYINT", LAKE_INT, 1},
    {"SMALLINT", LAKE_INT, 2}, {"INT2", LAKE_INT, 2}, {"INT", LAKE_INT, 0}, {"INTEGER", LAKE_INT, 0},
    {"INT4", LAKE_INT, 0}, {"BIGINT", LAKE_LONG, 0}, {"LONG", LAKE_LONG, 0}, {"INT8", LAKE_LONG, 0},
    {"REAL", LAKE_FLOAT, 0}, {"FLOAT", LAKE_FLOAT, 0}, {"FLOAT4", LAKE_FLOAT, 0}, {"FLOAT8", LAKE_DOUBLE, 0},
    {"DOUBLE", LAKE_DOUBLE, 0}, {"DECIMAL", LAKE_DECIMAL, 0}, {"NUMERIC", LAKE_DECIMAL, 0}, {"DEC", LAKE_DECIMAL, 0},
    {"DATE", LAKE_DATE, 0}, {"TIME", LAKE_TIME, 0}, {"TIMESTAMP", LAKE_TIMESTAMP, 0}, {"DATETIME", LAKE_TIMESTAMP, 0},
    {"TIMESTAMP_NTZ", LAKE_TIMESTAMP, 0}, {"TIMESTAMP_NS", LAKE_TIMESTAMP_NS, 0}, {"TIMESTAMPTZ", LAKE_TIMESTAMPTZ, 0},
    {"TIMESTAMP_LTZ", LAKE_TIMESTAMPTZ, 0}, {"UUID", LAKE_UUID, 0}, {"STRING", LAKE_STRING, 0},
    {"TEXT", LAKE_STRING, 0}, {"VARCHAR", LAKE_STRING, 0}};

static int small_number(const lake_sql_token *t) {
    int n = 0;
    if (t->kind != LAKE_SQL_NUMBER || t->text.len > 3)
        return -1;
    for (size_t i = 0; i < t->text.len; i++) {
        if (t->text.ptr[i] < '0' || t->text.ptr[i] > '9')
            return -1;
        n = n * 10 + (t->text.ptr[i] - '0');
    }
    return n;
}

/* (n), (n, m): how many there are; others count as -1. */
static int arguments(lake_sql_parser *p, int n[2]) {
    int count = 0;
    if (!lake_sql_word(p, "("))
        return 0;
    while (p->token.kind == LAKE_SQL_NUMBER || p->token.kind == LAKE_SQL_WORD || lake_sql_is(&p->token, ",")) {
        if (!lake_sql_is(&p->token, ",") && count < 3) {
            if (count < 2)
                n[count] = small_number(&p->token);
            count++;
        }
        lake_sql_next(p);
    }
    lake_sql_expect(p, ")");
    return count;
}

static void finish_type(lake_type *t, const int n[2], int count) {
    if (t->id == LAKE_DECIMAL) { /* without digits its meaning differs from engine to engine */
        t->precision = count ? n[0] : 0;
        t->scale = count > 1 ? n[1] : 0;
        if (count < 1 || count > 2 || t->precision < 1 || t->precision > 38 || t->scale < 0 || t->scale > t->precision)
            t->id = LAKE_UNKNOWN;
    } else if (count && !(count == 1 && n[0] == 6 && lake_type_per_day(t) > 1)) {
        t->id = LAKE_UNKNOWN;
    }
}

void lake_sql_type(lake_sql_parser *p, lake_type *out) {
    int n[2] = {-1, -1};
    *out = (lake_type){.id = LAKE_UNKNOWN};
    if (p->token.kind != LAKE_SQL_WORD && p->token.kind != LAKE_SQL_QUOTED) {
        lake_sql_unexpected(p, "a type");
        return;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (lake_sql_is(&p->token, types[i].word)) {
            out->id = types[i].id;
            out->length = types[i].bytes;
        }
    lake_sql_next(p);
    lake_sql_word(p, "PRECISION");
    lake_sql_word(p, "VARYING");
    int count = arguments(p, n);
    if (lake_sql_is(&p->token, "WITH") || lake_sql_is(&p->token, "WITHOUT")) {
        bool with = lake_sql_is(&p->token, "WITH");
        lake_sql_next(p);
        lake_sql_expect(p, "TIME");
        lake_sql_expect(p, "ZONE");
        if (out->id == LAKE_TIMESTAMP && with)
            out->id = LAKE_TIMESTAMPTZ;
        else if (with)
            out->id = LAKE_UNKNOWN;
    }
    finish_type(out, n, count);
}
