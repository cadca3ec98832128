/* COALESCE, NULLIF and CASE that give values: asking each result on its own is the same as asking the one that was
   chosen only if the results have one type already. Where an engine converts (a date to text, a long to a double), it
   compares otherwise. */
#include "planner/node.h"

typedef enum family { UNTYPED, EXACT, SINGLE, DOUBLED, TIME_LINE, ZONED, OTHER } family;

static family family_of(const lake_type *t) {
    switch (t->id) {
    case LAKE_INT:
    case LAKE_LONG:
    case LAKE_DECIMAL: return EXACT;
    case LAKE_FLOAT: return SINGLE;
    case LAKE_DOUBLE: return DOUBLED;
    case LAKE_DATE:
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMP_NS: return TIME_LINE;
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMPTZ_NS: return ZONED;
    default: return OTHER;
    }
}

static bool has_exponent(lake_str text) {
    for (size_t i = 0; i < text.len; i++)
        if ((text.ptr[i] | 32) == 'e')
            return true;
    return false;
}

static bool literal_meets(const lake_literal *v, const lake_type *type) {
    family f = family_of(type);
    switch (v->kind) {
    case LAKE_LITERAL_NULL: return true;
    case LAKE_LITERAL_NUMBER: return f == SINGLE || f == DOUBLED || (f == EXACT && !has_exponent(v->text));
    case LAKE_LITERAL_STRING: return type->id == LAKE_STRING;
    case LAKE_LITERAL_BOOL: return type->id == LAKE_BOOLEAN;
    case LAKE_LITERAL_DATE:
    case LAKE_LITERAL_TIMESTAMP: return f == TIME_LINE || f == ZONED;
    case LAKE_LITERAL_TIME: return type->id == LAKE_TIME;
    case LAKE_LITERAL_UUID: return type->id == LAKE_UUID;
    case LAKE_LITERAL_HEX: return type->id == LAKE_BINARY || type->id == LAKE_FIXED;
    default: return false;
    }
}

/* Digits before and behind the point; all results together must fit into a decimal. */
static void digits(const lake_type *t, int *whole, int *part) {
    int scale = t->id == LAKE_DECIMAL ? t->scale : 0;
    int before = t->id == LAKE_DECIMAL ? t->precision - scale : t->id == LAKE_INT ? 10 : 19;
    *whole = before > *whole ? before : *whole;
    *part = scale > *part ? scale : *part;
}

lake_status lake_choice_meets(lake_binder *b, const lake_tree *t, bool *out) {
    lake_type first = {.id = LAKE_UNKNOWN};
    int whole = 0, part = 0;
    *out = true;
    for (size_t i = 0; i < t->ncolumns && *out; i++) {
        const lake_column_ref *ref = &t->columns[i];
        const lake_field *field;
        lake_curve *maps;
        size_t nmaps;
        lake_str reason = {0};
        LAKE_TRY(lake_resolve(b, ref, &field));
        lake_type type = field->type;
        if (ref->transform.ptr) {
            lake_transform transform = lake_transform_parse(ref->transform);
            type = lake_transform_result(&transform, &field->type);
        }
        if (ref->napplies)
            LAKE_TRY(lake_curves_make(b, ref, &type, &maps, &nmaps, &reason));
        if (reason.ptr)
            continue; /* it says nothing anyway */
        if (first.id == LAKE_UNKNOWN)
            first = type;
        family f = family_of(&type);
        *out = f == family_of(&first) && (f != OTHER || type.id == first.id);
        if (f == EXACT)
            digits(&type, &whole, &part);
        for (size_t k = 0; k < t->nliterals; k++)
            *out = *out && literal_meets(&t->literals[k], &type);
    }
    *out = *out && whole + part <= 38;
    return LAKE_OK;
}
