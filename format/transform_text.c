/* Transforms as people write them, and their results in paths: "ts_hour=2025-03-27-14". */
#include "format/transform_internal.h"
#include "format/value_internal.h"

static lake_str trim(lake_str s) {
    while (s.len && (*s.ptr == ' ' || *s.ptr == '\t')) {
        s.ptr++;
        s.len--;
    }
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
        s.len--;
    return s;
}

/* ---- calls */

/* The first `c` outside double quotes; NULL if there is none. */
static const char *find_plain(lake_str s, char c) {
    bool quoted = false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            quoted = !quoted;
        else if (s.ptr[i] == c && !quoted)
            return s.ptr + i;
    }
    return NULL;
}

static lake_status fail_call(lake_error *err, lake_str text, const char *why) {
    return lake_fail(err, LAKE_ERR_USAGE, "transform '%.*s': %s", LAKE_ARG(text), why);
}

/* "16, id" (and "id, 16") or, when the width is known already, "id". */
static bool split_arguments(lake_str inside, bool wants_width, int32_t *width, lake_str *column) {
    const char *comma = find_plain(inside, ',');
    if (!comma || !wants_width) {
        *column = trim(inside);
        return !comma && !wants_width && column->len > 0;
    }
    lake_str first = trim((lake_str){inside.ptr, (size_t)(comma - inside.ptr)});
    lake_str second = trim((lake_str){comma + 1, (size_t)(inside.ptr + inside.len - comma - 1)});
    bool in_order = lake_transform_width(first, width);
    *column = in_order ? second : first;
    return column->len > 0 && !find_plain(second, ',') && (in_order || lake_transform_width(second, width));
}

static lake_str canonical(lake_arena *arena, const lake_transform *t) {
    static const char *const names[] = {
        "identity", "bucket", "truncate", "year", "month", "day", "hour", "void", "unknown"};
    return t->n ? lake_arena_printf(arena, "%s[%d]", names[t->id], t->n) : lake_str_of(names[t->id]);
}

lake_status lake_transform_parse_call(
    lake_arena *arena, lake_str text, lake_transform *out, lake_str *column, lake_error *err) {
    text = trim(text);
    *out = (lake_transform){.id = LAKE_TRANSFORM_IDENTITY};
    const char *open = find_plain(text, '(');
    if (!open) {
        *column = text;
        if (!text.len || find_plain(text, ')') || find_plain(text, ','))
            return fail_call(err, text, "expected a column or transform(column)");
    } else {
        if (text.ptr[text.len - 1] != ')')
            return fail_call(err, text, "a closing parenthesis is missing at the end");
        lake_str name = trim((lake_str){text.ptr, (size_t)(open - text.ptr)});
        lake_str inside = {open + 1, (size_t)(text.ptr + text.len - 1 - (open + 1))};
        bool has_width, wants_width;
        out->id = lake_transform_named(name, &has_width);
        wants_width = out->id != LAKE_TRANSFORM_UNKNOWN && has_width;
        if (out->id == LAKE_TRANSFORM_UNKNOWN) {
            *out = lake_transform_parse(name);
            wants_width = false;
        }
        if (out->id == LAKE_TRANSFORM_UNKNOWN)
            return fail_call(err, text, "there is no such transform");
        if (!split_arguments(inside, wants_width, &out->n, column))
            return fail_call(
                err, text, wants_width ? "expected a width from 1 to 2147483647 and a column" : "expected one column");
        if (find_plain(*column, '(') || find_plain(*column, ')'))
            return fail_call(err, text, "transforms do not nest");
    }
    out->text = canonical(arena, out);
    return out->text.ptr ? LAKE_OK : lake_fail_memory(err);
}

/* ---- results for people */

static void print_year(lake_buffer *out, int64_t year) {
    if (year < 0)
        lake_buffer_char(out, '-');
    lake_buffer_printf(out, "%04lld", (long long)(year < 0 ? -year : year));
}

static void print_day(lake_buffer *out, int64_t days) {
    lake_civil c = lake_civil_from_days(days);
    print_year(out, c.year);
    lake_buffer_printf(out, "-%02d-%02d", c.month, c.day);
}

void lake_transform_print(lake_buffer *out, const lake_transform *t, const lake_type *source, lake_key result) {
    lake_type type = lake_transform_result(t, source);
    int64_t v = type.id == LAKE_INT || type.id == LAKE_DATE ? (int64_t)result.i : 0;
    switch (t->id) {
    case LAKE_TRANSFORM_YEAR: print_year(out, 1970 + v); return;
    case LAKE_TRANSFORM_MONTH:
        print_year(out, 1970 + lake_floor_div(v, 12));
        lake_buffer_printf(out, "-%02d", (int)(v - lake_floor_div(v, 12) * 12) + 1);
        return;
    case LAKE_TRANSFORM_DAY: print_day(out, v); return;
    case LAKE_TRANSFORM_HOUR:
        print_day(out, lake_floor_div(v, 24));
        lake_buffer_printf(out, "-%02d", (int)(v - lake_floor_div(v, 24) * 24));
        return;
    default: lake_value_print(out, &type, result); return;
    }
}

/* Reads [+-]YYYY, then up to `parts` groups "-NN" into group[]; *n: how many there were. */
static bool read_groups(lake_str s, int64_t *year, int group[3], int parts, int *n) {
    const char *p = s.ptr, *end = p + s.len;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    const char *first = p;
    int64_t y = 0;
    for (; p < end && *p >= '0' && *p <= '9' && p - first <= 9; p++)
        y = y * 10 + (*p - '0');
    if (p - first < 4 || p - first > 9)
        return false;
    *year = minus ? -y : y;
    for (*n = 0; p < end; (*n)++, p += 3) {
        if (*n == parts || end - p < 3 || p[0] != '-' || p[1] < '0' || p[1] > '9' || p[2] < '0' || p[2] > '9')
            return false;
        group[*n] = (p[1] - '0') * 10 + (p[2] - '0');
    }
    return true;
}

static bool read_time(lake_transform_id id, lake_str s, int64_t *out) {
    int64_t year;
    int g[3] = {1, 1, 0}, n, wanted = (int)(id - LAKE_TRANSFORM_YEAR);
    lake_json plain = {.kind = LAKE_JSON_NUMBER, .text = s};
    if (!read_groups(s, &year, g, 3, &n))
        return s.len && lake_json_i64(&plain, out) && (id != LAKE_TRANSFORM_YEAR || s.len - (*s.ptr == '-') < 4);
    if (n == 0 && wanted > 0 && *s.ptr != '+') /* no dash behind the first number: the plain number */
        return lake_json_i64(&plain, out);
    if (n != wanted || g[0] < 1 || g[0] > 12 || g[1] < 1 || g[1] > lake_days_in_month(year, g[0]) || g[2] > 23)
        return false;
    int64_t days = lake_days_from_civil(year, g[0], g[1]);
    *out = id == LAKE_TRANSFORM_YEAR ? year - 1970
        : id == LAKE_TRANSFORM_MONTH ? (year - 1970) * 12 + g[0] - 1
        : id == LAKE_TRANSFORM_DAY   ? days
                                     : days * 24 + g[2];
    return true;
}

static lake_status fail_human(const lake_transform *t, const lake_type *type, lake_str text, lake_error *err) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_type_print(&name, type);
    if (text.len > 100)
        text.len = lake_utf8_head(lake_bytes_of(text), 60);
    lake_status s = lake_fail(err, LAKE_ERR_MALFORMED, "'%.*s' is no result of %.*s (type %.*s)", LAKE_ARG(text),
        LAKE_ARG(t->text), LAKE_ARG(lake_buffer_view(&name)));
    lake_buffer_clear(&name);
    return s;
}

/* A timestamp may have a space for the T, no time, and any zone if the type has one. */
static bool read_loose_timestamp(const lake_type *type, lake_str text, lake_i128 *out) {
    lake_instant i;
    bool zoned = type->id == LAKE_TIMESTAMPTZ || type->id == LAKE_TIMESTAMPTZ_NS;
    int64_t nanos_per_unit = 86400 * INT64_C(1000000000) / lake_type_per_day(type);
    if (!lake_instant_parse(text, &i) || (i.has_zone && !zoned) || i.beyond_nanos || i.nanos % nanos_per_unit)
        return false;
    *out = (lake_i128)i.seconds * (1000000000 / nanos_per_unit) + i.nanos / nanos_per_unit;
    return *out >= INT64_MIN && *out <= INT64_MAX;
}

static lake_status read_own_type(
    lake_arena *arena, const lake_transform *t, const lake_type *type, lake_str text, lake_key *out, lake_error *err) {
    lake_json v = {.kind = LAKE_JSON_STRING, .text = text};
    if (lake_type_per_day(type) > 1)
        return read_loose_timestamp(type, text, &out->i) ? LAKE_OK : fail_human(t, type, text, err);
    if (type->id == LAKE_BOOLEAN)
        v.kind = lake_str_is(text, "true") ? LAKE_JSON_TRUE
            : lake_str_is(text, "false")   ? LAKE_JSON_FALSE
                                           : LAKE_JSON_STRING;
    else if (type->id == LAKE_INT || type->id == LAKE_LONG)
        v.kind = LAKE_JSON_NUMBER;
    else if (lake_type_kind(type) == LAKE_KEY_FLOAT)
        v.kind = text.len && strchr("-.0123456789", *text.ptr) && !lake_str_is(text, "-Infinity") ? LAKE_JSON_NUMBER
                                                                                                  : LAKE_JSON_STRING;
    lake_bound_state state;
    lake_status s = lake_value_from_json(arena, type, &v, &state, out, NULL);
    if (s == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    return s == LAKE_OK && state == LAKE_BOUND_KEY ? LAKE_OK : fail_human(t, type, text, err);
}

lake_status lake_transform_read_human(lake_arena *arena, const lake_transform *t, const lake_type *source,
    lake_str text, lake_key *out, lake_error *err) {
    lake_type type = lake_transform_result(t, source);
    int64_t n;
    if (!lake_transform_accepts(t, source) || t->id == LAKE_TRANSFORM_VOID)
        return lake_fail(
            err, LAKE_ERR_UNSUPPORTED, "no value can be given for transform '%.*s' on this type", LAKE_ARG(t->text));
    if (t->id >= LAKE_TRANSFORM_YEAR && t->id <= LAKE_TRANSFORM_HOUR) {
        if (!read_time(t->id, text, &n) || n < INT32_MIN || n > INT32_MAX)
            return fail_human(t, &type, text, err);
        out->i = n;
        return LAKE_OK;
    }
    LAKE_TRY(read_own_type(arena, t, &type, text, out, err));
    lake_bound_state state;
    lake_key again;
    bool possible = t->id != LAKE_TRANSFORM_BUCKET || (out->i >= 0 && out->i < t->n);
    if (t->id == LAKE_TRANSFORM_TRUNCATE)
        possible = lake_transform_apply(arena, t, source, *out, &state, &again, NULL) == LAKE_OK &&
            lake_key_cmp(lake_type_kind(&type), *out, again) == 0;
    return possible ? LAKE_OK : fail_human(t, &type, text, err);
}
