/* What a function does to the keys of a type (map.h). Only what is proven monotone is a map; where engines differ in
   the last digits both results are allowed for, and where a result leaves its type every outcome is. */
#include "planner/map.h"
#include "planner/literal.h"

#include <math.h>

static lake_i128 most_of(const lake_type *type) {
    lake_end lo, hi;
    if (type->id == LAKE_DECIMAL)
        return lake_i128_pow10(type->precision > 38 ? 38 : type->precision) - 1;
    lake_type_range(type, &lo, &hi);
    return hi.key.i - 1;
}

void lake_curve_domain(const lake_type *type, lake_key *lo, lake_key *hi) {
    lake_end from, to;
    if (lake_type_kind(type) == LAKE_KEY_FLOAT) {
        lo->f = -INFINITY;
        hi->f = INFINITY;
        return;
    }
    hi->i = most_of(type);
    lake_type_range(type, &from, &to);
    lo->i = type->id == LAKE_DECIMAL ? -hi->i : from.key.i;
}

static bool is_integer(const lake_type *t) {
    return t->id == LAKE_INT || t->id == LAKE_LONG;
}
static bool is_float(const lake_type *t) {
    return t->id == LAKE_FLOAT || t->id == LAKE_DOUBLE;
}
static bool is_plain_time(const lake_type *t) {
    return t->id == LAKE_DATE || t->id == LAKE_TIMESTAMP || t->id == LAKE_TIMESTAMP_NS;
}

static void linear(lake_curve *m, lake_i128 factor, lake_i128 add) {
    lake_key lo, hi;
    lake_curve_domain(&m->to, &lo, &hi);
    m->op = LAKE_CURVE_LINEAR;
    m->factor = factor;
    m->add = add;
    m->falling = factor < 0;
    m->least = lo.i;
    m->most = hi.i;
}

static void rounded(lake_curve *m, lake_i128 factor) {
    linear(m, 1, 0);
    m->op = LAKE_CURVE_ROUND;
    m->factor = factor;
    m->doubtful = true;
}

/* SMALLINT, TINYINT */
static void narrowed(lake_curve *m) {
    if (m->to.id != LAKE_INT || !m->to.length)
        return;
    m->most = ((lake_i128)1 << (8 * m->to.length - 1)) - 1;
    m->least = -m->most - 1;
}

/* ---------------------------------------------------------------- casts */
static int digits_of(const lake_type *t) {
    return t->id == LAKE_DECIMAL ? t->precision : t->id == LAKE_INT ? 10 : 19;
}

static bool cast_number(lake_curve *m) {
    const lake_type *from = &m->from, *to = &m->to;
    int scale = from->id == LAKE_DECIMAL ? from->scale : 0;
    if (is_float(from) && !is_float(to)) {
        rounded(m, 1);
        return is_integer(to);
    }
    if (is_float(from)) { /* a float's values are doubles, too; the other way they are rounded */
        m->op = LAKE_CURVE_SAME;
        return to->id == LAKE_DOUBLE || (from->id == LAKE_FLOAT && to->id == LAKE_FLOAT);
    }
    if (is_float(to)) {
        m->op = to->id == LAKE_DOUBLE ? LAKE_CURVE_TO_DOUBLE : LAKE_CURVE_TO_FLOAT;
        m->add = scale;
        m->doubtful = to->id == LAKE_FLOAT || from->id == LAKE_DECIMAL;
        return true;
    }
    int to_scale = to->id == LAKE_DECIMAL ? to->scale : 0;
    if (to_scale < scale) { /* engines round differently */
        rounded(m, lake_i128_pow10(scale - to_scale));
        narrowed(m);
        return true;
    }
    linear(m, lake_i128_pow10(to_scale - scale), 0);
    narrowed(m);
    return true;
}

static bool cast_time(lake_curve *m) {
    int64_t a = lake_type_per_day(&m->from), b = lake_type_per_day(&m->to);
    if (a <= b) {
        linear(m, b / a, 0);
        return true;
    }
    m->op = LAKE_CURVE_FLOOR;
    m->factor = a;
    return b == 1; /* from nanoseconds to microseconds engines round differently */
}

static lake_status cast(lake_arena *arena, lake_curve *m, lake_str *reason, lake_error *err) {
    lake_type_id from = m->from.id, to = m->to.id;
    bool numbers = (is_integer(&m->from) || is_float(&m->from) || from == LAKE_DECIMAL) &&
        (is_integer(&m->to) || is_float(&m->to) || to == LAKE_DECIMAL);
    bool ok = false;
    if (numbers) {
        ok = cast_number(m);
    } else if (is_plain_time(&m->from) && is_plain_time(&m->to)) {
        ok = cast_time(m);
    } else if (from == to && lake_type_kind(&m->from) == LAKE_KEY_INT) {
        linear(m, 1, 0);
        ok = true;
    } else if (from == LAKE_BOOLEAN && is_integer(&m->to)) {
        linear(m, 1, 0);
        ok = true;
    } else if (is_integer(&m->from) && to == LAKE_STRING) {
        m->op = LAKE_CURVE_DIGITS;
        ok = true;
    }
    if (ok)
        return LAKE_OK;
    bool zone =
        from == LAKE_TIMESTAMPTZ || from == LAKE_TIMESTAMPTZ_NS || to == LAKE_TIMESTAMPTZ || to == LAKE_TIMESTAMPTZ_NS;
    lake_buffer name;
    lake_buffer_init(&name);
    lake_type_print(&name, &m->from);
    *reason = zone && lake_type_per_day(&m->from)
        ? LAKE_STR("a cast that depends on the session's time zone")
        : lake_arena_printf(arena, "a cast of %.*s that keeps no order", LAKE_ARG(lake_buffer_view(&name)));
    lake_buffer_clear(&name);
    return reason->ptr ? LAKE_OK : lake_fail_memory(err);
}

/* ---------------------------------------------------------------- arithmetic */
/* The literal as an integer at the least scale that holds it. False: it needs too many digits. */
static bool exact_number(const lake_literal *v, lake_i128 *out, int *scale, int *digits) {
    lake_end at, after;
    for (*scale = 0; *scale <= 38; ++*scale) {
        if (!lake_number_point(v->text, v->negative, *scale, &at, &after) || at.at != LAKE_END_KEY)
            return false;
        if (after.at == LAKE_END_KEY && at.key.i != after.key.i)
            break;
    }
    *out = at.key.i;
    *digits = 0;
    lake_i128 size = *out < 0 ? -*out : *out;
    while (*digits < 39 && size >= lake_i128_pow10(*digits > 38 ? 38 : *digits))
        ++*digits;
    return *scale <= 38 && *digits <= 38;
}

static bool has_exponent(lake_str text) {
    return memchr(text.ptr, 'e', text.len) || memchr(text.ptr, 'E', text.len);
}

static bool float_arithmetic(lake_curve *m, const lake_apply *a, const lake_literal *v) {
    double d;
    if (!lake_double_parse(v->text, false, &d) || !isfinite(d))
        return false;
    m->number = v->negative ? -d : d;
    m->doubtful = m->from.id == LAKE_FLOAT;
    m->to = m->from;
    double used = m->doubtful ? (double)(float)m->number : m->number; /* not 0 and not infinite, in either width */
    switch (a->op) {
    case LAKE_APPLY_ADD: m->op = LAKE_CURVE_FLOAT_ADD; return isfinite(used);
    case LAKE_APPLY_SUBTRACT_FROM:
        m->op = LAKE_CURVE_FLOAT_FROM;
        m->falling = true;
        return isfinite(used);
    default:
        m->op = a->op == LAKE_APPLY_DIVIDE ? LAKE_CURVE_FLOAT_DIVIDE : LAKE_CURVE_FLOAT_TIMES;
        m->falling = m->number < 0;
        return isfinite(used) && used != 0;
    }
}

/* The type of the result: integers stay what they are as long as the literal fits; else decimals, as wide as SQL says.
 */
static bool exact_arithmetic(lake_curve *m, const lake_apply *a, const lake_literal *v) {
    lake_i128 c;
    int scale, digits, own = m->from.id == LAKE_DECIMAL ? m->from.scale : 0;
    if (has_exponent(v->text) || !exact_number(v, &c, &scale, &digits))
        return false;
    bool times = a->op == LAKE_APPLY_MULTIPLY;
    m->to = m->from;
    if (c == 0 && !times) {
        scale = 0; /* -x is 0 - x */
    } else if (m->from.id == LAKE_DECIMAL || scale > 0) {
        int whole = digits_of(&m->from) - own > digits - scale ? digits_of(&m->from) - own : digits - scale;
        int to_scale = times ? own + scale : own > scale ? own : scale;
        int precision = times ? digits_of(&m->from) + digits + 1 : whole + to_scale + 1;
        if (precision > 38 || to_scale > 38)
            return false; /* there engines cut digits off */
        m->to = (lake_type){.id = LAKE_DECIMAL, .precision = 38, .scale = to_scale};
    } else if (m->from.id == LAKE_INT && (c > INT32_MAX || c < INT32_MIN)) {
        m->to = (lake_type){.id = LAKE_LONG};
    }
    int to_scale = m->to.id == LAKE_DECIMAL ? m->to.scale : 0;
    if (times) {
        linear(m, c, 0);
        return c != 0;
    }
    lake_i128 add;
    if (__builtin_mul_overflow(c, lake_i128_pow10(to_scale - scale), &add))
        return false;
    linear(m, lake_i128_pow10(to_scale - own) * (a->op == LAKE_APPLY_SUBTRACT_FROM ? -1 : 1), add);
    return true;
}

static bool arithmetic(lake_curve *m, const lake_apply *a, lake_str *reason) {
    const lake_literal *v = &a->literal;
    bool ok = false;
    if (is_float(&m->from))
        ok = float_arithmetic(m, a, v);
    else if (a->op == LAKE_APPLY_DIVIDE)
        *reason = LAKE_STR("a division that engines round differently");
    else if (is_integer(&m->from) || m->from.id == LAKE_DECIMAL)
        ok = exact_arithmetic(m, a, v);
    else if (m->from.id == LAKE_DATE && a->op == LAKE_APPLY_ADD && !memchr(v->text.ptr, '.', v->text.len))
        ok = exact_arithmetic(m, a, v) && m->to.id == LAKE_DATE; /* days */
    if (!ok && !reason->ptr)
        *reason = LAKE_STR("arithmetic");
    return ok;
}

/* ---------------------------------------------------------------- calendars */
static lake_i128 length_of(lake_unit unit, int64_t second) {
    switch (unit) {
    case LAKE_UNIT_MICROSECOND: return second / 1000000;
    case LAKE_UNIT_MILLISECOND: return second / 1000;
    case LAKE_UNIT_SECOND: return second;
    case LAKE_UNIT_MINUTE: return (lake_i128)second * 60;
    case LAKE_UNIT_HOUR: return (lake_i128)second * 3600;
    case LAKE_UNIT_DAY: return (lake_i128)second * 86400;
    case LAKE_UNIT_WEEK: return (lake_i128)second * 86400 * 7;
    default: return 0;
    }
}

static bool calendar(lake_curve *m, const lake_apply *a, lake_str *reason) {
    if (!is_plain_time(&m->from)) {
        bool zoned = m->from.id == LAKE_TIMESTAMPTZ || m->from.id == LAKE_TIMESTAMPTZ_NS;
        *reason = zoned ? LAKE_STR("depends on the session's time zone") : LAKE_STR("opaque function");
        return false;
    }
    m->unit = a->unit;
    m->op = a->op == LAKE_APPLY_PART ? LAKE_CURVE_PART
        : a->unit >= LAKE_UNIT_MONTH ? LAKE_CURVE_CIVIL
                                     : LAKE_CURVE_FLOOR;
    m->to = m->from.id == LAKE_DATE ? (lake_type){.id = LAKE_TIMESTAMP} : m->from;
    if (m->op == LAKE_CURVE_PART)
        m->to = (lake_type){.id = LAKE_LONG};
    return true;
}

static bool interval(lake_curve *m, const lake_apply *a, lake_str *reason) {
    bool zone = m->from.id == LAKE_TIMESTAMPTZ || m->from.id == LAKE_TIMESTAMPTZ_NS;
    int64_t per_day = lake_type_per_day(&m->from);
    if (!per_day || (zone && a->op != LAKE_APPLY_NANOS)) {
        *reason = zone ? LAKE_STR("depends on the session's time zone") : LAKE_STR("arithmetic");
        return false;
    }
    bool moment = a->op == LAKE_APPLY_NANOS && per_day == 1;
    m->to = moment ? (lake_type){.id = LAKE_TIMESTAMP} : m->from;
    int64_t unit = lake_type_per_day(&m->to), nanos = 86400000000000 / unit;
    lake_i128 add = a->n;
    if (a->op == LAKE_APPLY_NANOS && add % nanos) {
        *reason = LAKE_STR("an interval finer than the column");
        return false;
    }
    bool far = add > ((lake_i128)1 << 100) || add < -((lake_i128)1 << 100);
    if (far || (a->op == LAKE_APPLY_MONTHS && (add > 10000000 || add < -10000000))) {
        *reason = LAKE_STR("an interval beyond all dates");
        return false;
    }
    linear(m, moment ? unit : 1, a->op == LAKE_APPLY_NANOS ? add / nanos : add * (a->op == LAKE_APPLY_DAYS ? unit : 1));
    if (a->op == LAKE_APPLY_MONTHS) {
        m->op = LAKE_CURVE_MONTHS;
        m->doubtful = unit > 1;
    }
    return true;
}

/* ---------------------------------------------------------------- other functions */
static bool whole_number(lake_curve *m, bool up) {
    m->to = m->from;
    if (is_integer(&m->from)) {
        linear(m, 1, 0);
    } else if (m->from.id == LAKE_DECIMAL && !up) {
        m->to = (lake_type){.id = LAKE_DECIMAL, .precision = 38};
        m->op = LAKE_CURVE_FLOOR;
        m->factor = lake_i128_pow10(m->from.scale);
    } else {
        m->op = up ? LAKE_CURVE_FLOAT_CEIL : LAKE_CURVE_FLOAT_FLOOR;
        return is_float(&m->from);
    }
    return true;
}

static bool function(lake_curve *m, const lake_apply *a) {
    static const lake_curve_op of_text[] = {
        LAKE_CURVE_CASE, LAKE_CURVE_CASE, LAKE_CURVE_LEFT, LAKE_CURVE_APPEND, LAKE_CURVE_PREPEND};
    m->to = m->from;
    if (a->op == LAKE_APPLY_FLOOR || a->op == LAKE_APPLY_CEIL)
        return whole_number(m, a->op == LAKE_APPLY_CEIL);
    if (a->op == LAKE_APPLY_ABS) {
        if (!is_float(&m->from))
            linear(m, -1, 0);
        m->op = LAKE_CURVE_ABS;
        return is_integer(&m->from) || is_float(&m->from) || m->from.id == LAKE_DECIMAL;
    }
    m->op = of_text[a->op - LAKE_APPLY_LOWER];
    m->factor = a->op == LAKE_APPLY_LEFT ? a->n : a->op == LAKE_APPLY_UPPER ? 1 : -1;
    m->text = a->literal.text;
    return m->from.id == LAKE_STRING;
}

lake_status lake_curve_make(
    lake_arena *arena, const lake_apply *a, const lake_type *from, lake_curve *out, lake_str *reason, lake_error *err) {
    *out = (lake_curve){.from = *from, .to = a->type};
    *reason = (lake_str){0};
    switch (a->op) {
    case LAKE_APPLY_CAST: return cast(arena, out, reason, err);
    case LAKE_APPLY_TRUNC:
    case LAKE_APPLY_PART: (void)calendar(out, a, reason); return LAKE_OK;
    case LAKE_APPLY_MONTHS:
    case LAKE_APPLY_DAYS:
    case LAKE_APPLY_NANOS: (void)interval(out, a, reason); return LAKE_OK;
    case LAKE_APPLY_ABS:
    case LAKE_APPLY_FLOOR:
    case LAKE_APPLY_CEIL:
    case LAKE_APPLY_LOWER:
    case LAKE_APPLY_UPPER:
    case LAKE_APPLY_LEFT:
    case LAKE_APPLY_APPEND:
    case LAKE_APPLY_PREPEND:
        if (!function(out, a))
            *reason = LAKE_STR("opaque function");
        return LAKE_OK;
    default: (void)arithmetic(out, a, reason); return LAKE_OK;
    }
}

/* ---------------------------------------------------------------- values */
static int within(const lake_curve *m, lake_i128 v, lake_key *out) {
    out->i = v;
    return v < m->least ? -1 : v > m->most ? 1 : 0;
}

static int linear_value(const lake_curve *m, lake_key k, lake_key *out) {
    lake_i128 v;
    if (__builtin_mul_overflow(k.i, m->factor, &v))
        return (k.i < 0) == (m->factor < 0) ? 1 : -1;
    if (__builtin_add_overflow(v, m->add, &v))
        return m->add > 0 ? 1 : -1;
    return within(m, v, out);
}

/* Of times: the least that this key and later ones have, or the greatest that it and earlier ones have. */
static int months_value(const lake_curve *m, lake_key k, bool upper, lake_key *out) {
    lake_i128 per_day = lake_type_per_day(&m->from);
    int64_t day = (int64_t)lake_i128_floor_div(k.i, per_day), n = (int64_t)m->add, to = lake_add_months(day, n);
    lake_i128 v = to * per_day, clock = k.i - day * per_day;
    if (lake_add_months(upper ? day - 1 : day + 1, n) == to)
        clock = upper ? per_day - 1 : 0;
    return within(m, v + clock, out);
}

/* date_trunc: the first instant of the period; of dates, too, in microseconds. */
static int trunc_value(const lake_curve *m, lake_key k, lake_key *out) {
    lake_i128 day = lake_type_per_day(&m->from), result = lake_type_per_day(&m->to), v;
    if (m->op == LAKE_CURVE_CIVIL) {
        v = lake_unit_floor(m->unit, (int64_t)lake_i128_floor_div(k.i, day)) * result;
    } else {
        lake_i128 unit = length_of(m->unit, (int64_t)(result / 86400)), shift = 0;
        if (m->unit == LAKE_UNIT_WEEK)
            shift = 3 * result; /* 1970-01-01 was a Thursday */
        v = lake_i128_floor_div(k.i * (result / day) + shift, unit) * unit - shift;
    }
    out->i = v;
    return v < INT64_MIN ? -1 : v > INT64_MAX ? 1 : 0;
}

static int round_value(const lake_curve *m, lake_key k, bool upper, lake_key *out) {
    if (lake_type_kind(&m->from) == LAKE_KEY_FLOAT) {
        double v = upper ? ceil(k.f) : floor(k.f);
        return v > 1e30 ? 1 : v < -1e30 ? -1 : within(m, (lake_i128)v, out);
    }
    lake_i128 down = lake_i128_floor_div(k.i, m->factor);
    return within(m, down + (upper && down * m->factor != k.i), out);
}

static int finite_value(double v, lake_key *out) {
    out->f = v;
    return isfinite(v) ? 0 : v > 0 ? 1 : -1;
}

static double choose(double a, double b, bool upper) {
    return (a < b) == upper ? b : a;
}

static double float_of(const lake_curve *m, double k) {
    switch (m->op) {
    case LAKE_CURVE_FLOAT_ADD: return k + m->number;
    case LAKE_CURVE_FLOAT_FROM: return m->number - k;
    case LAKE_CURVE_FLOAT_TIMES: return k * m->number;
    default: return k / m->number;
    }
}

/* The same with 32 bits, in which the constant is rounded first. */
static double single_of(const lake_curve *m, double k) {
    float x = (float)k, c = (float)m->number;
    switch (m->op) {
    case LAKE_CURVE_FLOAT_ADD: return (double)(x + c);
    case LAKE_CURVE_FLOAT_FROM: return (double)(c - x);
    case LAKE_CURVE_FLOAT_TIMES: return (double)(x * c);
    default: return (double)(x / c);
    }
}

static double to_double(const lake_curve *m, lake_i128 k, bool upper) {
    double v = (double)k;
    if (m->from.id == LAKE_DECIMAL) { /* divided in one step or in two: a little more or less */
        v /= (double)lake_i128_pow10((int)m->add);
        for (int i = 0; i < 2; i++)
            v = nextafter(v, upper ? INFINITY : -INFINITY);
    }
    return m->op == LAKE_CURVE_TO_FLOAT ? choose(v, (double)(float)v, upper) : v;
}

int lake_curve_value(const lake_curve *m, lake_key k, bool upper, lake_key *out) {
    switch (m->op) {
    case LAKE_CURVE_LINEAR: return linear_value(m, k, out);
    case LAKE_CURVE_CIVIL: return trunc_value(m, k, out);
    case LAKE_CURVE_MONTHS: return months_value(m, k, upper, out);
    case LAKE_CURVE_FLOOR:
        if (m->unit)
            return trunc_value(m, k, out);
        out->i = lake_i128_floor_div(k.i, m->factor);
        return 0;
    case LAKE_CURVE_ROUND: return round_value(m, k, upper, out);
    case LAKE_CURVE_FLOAT_FLOOR:
    case LAKE_CURVE_FLOAT_CEIL: /* an engine's result may be an integer */
        out->f = m->op == LAKE_CURVE_FLOAT_FLOOR ? floor(k.f) : ceil(k.f);
        return out->f > 9e18 ? 1 : out->f < -9e18 ? -1 : 0;
    case LAKE_CURVE_SAME: *out = k; return 0;
    case LAKE_CURVE_TO_DOUBLE:
    case LAKE_CURVE_TO_FLOAT: return finite_value(to_double(m, k.i, upper), out);
    default:
        return finite_value(m->doubtful ? choose(float_of(m, k.f), single_of(m, k.f), upper) : float_of(m, k.f), out);
    }
}
