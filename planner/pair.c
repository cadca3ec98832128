/* Two columns compared: by the intervals of both, after what is applied to them. The two are taken as independent, so
   the outcomes are those of any two values that their facts admit. */
#include "planner/node.h"

#include <math.h>

/* ---------------------------------------------------------------- binding */
/* What both sides can be turned into so that their keys compare as the values do. */
static bool common_type(const lake_type *a, const lake_type *b, lake_type *out) {
    bool an = a->id == LAKE_INT || a->id == LAKE_LONG || a->id == LAKE_DECIMAL,
         bn = b->id == LAKE_INT || b->id == LAKE_LONG || b->id == LAKE_DECIMAL;
    bool af = lake_type_kind(a) == LAKE_KEY_FLOAT, bf = lake_type_kind(b) == LAKE_KEY_FLOAT;
    int as = a->id == LAKE_DECIMAL ? a->scale : 0, bs = b->id == LAKE_DECIMAL ? b->scale : 0;
    *out = *a;
    if (an && bn) {
        *out = (lake_type){.id = LAKE_DECIMAL, .precision = 38, .scale = as > bs ? as : bs};
        return true;
    }
    if ((an || af) && (bn || bf)) { /* an integer against a float: engines take either width */
        *out = (lake_type){.id = a->id == LAKE_FLOAT || b->id == LAKE_FLOAT ? LAKE_FLOAT : LAKE_DOUBLE};
        return true;
    }
    int64_t ad = lake_type_per_day(a), bd = lake_type_per_day(b);
    bool az = a->id == LAKE_TIMESTAMPTZ || a->id == LAKE_TIMESTAMPTZ_NS,
         bz = b->id == LAKE_TIMESTAMPTZ || b->id == LAKE_TIMESTAMPTZ_NS;
    if (ad && bd) {
        *out = ad > bd ? *a : *b;
        return az == bz && (!az || ad == bd);
    }
    return a->id == b->id && lake_type_kind(a) != LAKE_KEY_NONE;
}

static lake_status add_cast(
    lake_binder *b, lake_operand *o, const lake_type *type, const lake_type *to, lake_str *reason) {
    lake_apply cast = {.op = LAKE_APPLY_CAST, .type = *to};
    bool same = type->id == to->id || lake_type_kind(to) == LAKE_KEY_BYTES ||
        (lake_type_kind(type) == LAKE_KEY_FLOAT && lake_type_kind(to) == LAKE_KEY_FLOAT);
    if (same && type->id != LAKE_DECIMAL)
        return LAKE_OK;
    return lake_curve_make(b->arena, &cast, type, &o->curves[o->n++], reason, b->err);
}

static lake_status operand(lake_binder *b, const lake_column_ref *ref, const lake_field *field, lake_operand *o,
    lake_type *type, lake_str *reason) {
    lake_curve *curves;
    size_t n;
    *type = field->type;
    if (ref->transform.ptr) {
        *reason = LAKE_STR("two columns compared, one of them transformed");
        return LAKE_OK;
    }
    LAKE_TRY(lake_curves_make(b, ref, type, &curves, &n, reason));
    o->curves = LAKE_ARENA_ARRAY(b->arena, lake_curve, n + 1);
    if (!o->curves)
        return lake_fail_memory(b->err);
    for (size_t i = 0; i < n; i++) {
        o->curves[o->n++] = curves[i];
        if (curves[i].op >= LAKE_CURVE_PART)
            *reason = LAKE_STR("two columns compared, one of them through a function");
    }
    o->kind = lake_type_kind(&field->type);
    o->type = &field->type;
    return LAKE_OK;
}

lake_status lake_pair_make(
    lake_binder *b, const lake_tree *t, const lake_field *const fields[2], lake_pair **out, lake_str *reason) {
    lake_pair *pair = LAKE_ARENA_NEW(b->arena, lake_pair);
    lake_type types[2], common;
    *out = NULL;
    if (!pair)
        return lake_fail_memory(b->err);
    pair->compare = t->compare;
    pair->nan_largest = b->options->nan_largest;
    pair->null_safe = t->null_safe;
    pair->null_unsure = t->null_unsure;
    for (int i = 0; i < 2 && !reason->ptr; i++)
        LAKE_TRY(operand(b, &t->columns[i], fields[i], &pair->sides[i], &types[i], reason));
    if (!reason->ptr && !common_type(&types[0], &types[1], &common))
        *reason = LAKE_STR("two columns of types that do not meet");
    for (int i = 0; i < 2 && !reason->ptr; i++)
        LAKE_TRY(add_cast(b, &pair->sides[i], &types[i], &common, reason));
    pair->kind = lake_type_kind(&common);
    if (!reason->ptr)
        *out = pair;
    return LAKE_OK;
}

/* ---------------------------------------------------------------- evaluating */
typedef struct range {
    lake_end lo, hi; /* both inside; LOW and TOP: no end */
} range;

/* The last key before an end; of bytes the end itself, unless it is the next key of another. */
static lake_end before(lake_key_kind kind, lake_end e) {
    if (e.at != LAKE_END_KEY)
        return e;
    if (kind == LAKE_KEY_INT)
        e.key.i--;
    else if (kind == LAKE_KEY_FLOAT)
        e.key.f = nextafter(e.key.f, -INFINITY);
    else if (e.key.b.len && e.key.b.ptr[e.key.b.len - 1] == 0)
        e.key.b.len--;
    return e;
}

/* False: some result may leave its type. */
static bool image(const lake_operand *o, const lake_span *span, range *out) {
    *out = (range){span->lo, before(o->kind, span->hi)};
    if (!o->n)
        return true;
    lake_key least, most, lo = out->lo.key, hi = out->hi.key;
    lake_curve_domain(o->type, &least, &most);
    if (out->lo.at != LAKE_END_KEY || lake_key_cmp(o->kind, lo, least) < 0)
        lo = least;
    if (out->hi.at != LAKE_END_KEY || lake_key_cmp(o->kind, hi, most) > 0)
        hi = most;
    for (size_t i = 0; i < o->n; i++) {
        const lake_curve *c = &o->curves[i];
        lake_key a, b;
        if (lake_curve_value(c, c->falling ? hi : lo, false, &a) || lake_curve_value(c, c->falling ? lo : hi, true, &b))
            return false;
        lo = a;
        hi = b;
        if (lake_type_kind(&c->from) == LAKE_KEY_INT && lake_type_kind(&c->to) == LAKE_KEY_FLOAT) {
            lo.f = nextafter(lo.f, -INFINITY); /* compared exactly, or as rounded */
            hi.f = nextafter(hi.f, INFINITY);
        }
    }
    *out = (range){lake_end_key(lo), lake_end_key(hi)};
    return true;
}

static lake_outcomes truth(bool possible, bool otherwise) {
    return (lake_outcomes)((possible ? LAKE_T : 0) | (otherwise ? LAKE_F : 0));
}

static lake_outcomes of_ranges(const lake_pair *p, const range *a, const range *b) {
    bool less = lake_end_below(p->kind, &a->lo, &b->hi), more = lake_end_below(p->kind, &b->lo, &a->hi);
    bool equal = !lake_end_below(p->kind, &b->hi, &a->lo) && !lake_end_below(p->kind, &a->hi, &b->lo);
    switch (p->compare) {
    case LAKE_EQ: return truth(equal, less || more);
    case LAKE_LT: return truth(less, more || equal);
    case LAKE_LT_EQ: return truth(less || equal, more);
    case LAKE_GT: return truth(more, less || equal);
    default: return truth(more || equal, less);
    }
}

/* What null and NaN give on either side. */
static lake_outcomes of_states(const lake_pair *p, const lake_facts *a, const lake_facts *b) {
    bool a_nan = a->nan && p->sides[0].kind == LAKE_KEY_FLOAT, b_nan = b->nan && p->sides[1].kind == LAKE_KEY_FLOAT;
    bool both = a->null && b->null, one = (a->null && (b->value || b_nan)) || (b->null && (a->value || a_nan));
    bool nans = a_nan && b_nan, nan = (a_nan && b->value) || (b_nan && a->value);
    lake_outcomes out = 0;
    if (p->null_safe) {
        out |= both ? LAKE_T : 0;
        out |= one || nan ? LAKE_F : 0;
        return (lake_outcomes)(out | (nans ? (p->nan_largest ? LAKE_T : LAKE_T | LAKE_F) : 0));
    }
    if (both || one)
        out |= LAKE_U;
    if (p->null_unsure)
        out |= (both ? LAKE_T : 0) | (one ? LAKE_F : 0);
    if (nans || nan)
        out |= p->nan_largest ? LAKE_T | LAKE_F : LAKE_F;
    return out;
}

lake_outcomes lake_pair_outcomes(const lake_pair *p, const lake_facts *a, const lake_facts *b) {
    lake_outcomes out = of_states(p, a, b);
    for (int i = 0; a->value && b->value && i < a->nspans; i++)
        for (int k = 0; k < b->nspans; k++) {
            range x, y;
            if (!image(&p->sides[0], &a->spans[i], &x) || !image(&p->sides[1], &b->spans[k], &y))
                return LAKE_ANY;
            out |= of_ranges(p, &x, &y);
        }
    return out;
}
