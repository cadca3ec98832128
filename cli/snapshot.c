/* --snapshot, --ref and --as-of: which snapshot of a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* Reads exactly `n` digits. */
static int digits(const char **s, int n, int *out) {
    *out = 0;
    for (int i = 0; i < n; i++, (*s)++) {
        if (**s < '0' || **s > '9')
            return 0;
        *out = *out * 10 + (**s - '0');
    }
    return 1;
}

static int take(const char **s, char c) {
    if (**s != c)
        return 0;
    (*s)++;
    return 1;
}

/* Z, +HH, +HHMM or +HH:MM; none is UTC. */
static int zone(const char **s, int *minutes) {
    int h, m = 0, sign = **s == '-' ? -1 : 1;
    *minutes = 0;
    if (!**s || take(s, 'Z') || take(s, 'z'))
        return 1;
    if (!take(s, '+') && !take(s, '-'))
        return 0;
    if (!digits(s, 2, &h) || h > 23)
        return 0;
    if (**s) {
        take(s, ':');
        if (!digits(s, 2, &m) || m > 59)
            return 0;
    }
    *minutes = sign * (h * 60 + m);
    return 1;
}

static int days_in_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && (year % 4 == 0) && (year % 100 != 0 || year % 400 == 0));
}

/* YYYY-MM-DD[(T or blank)HH:MM[:SS[.fraction]][zone]] as milliseconds since 1970; the fraction beyond milliseconds is
 * cut. */
static int iso_time(const char *s, int64_t *ms) {
    struct tm t = {0};
    int fraction = 0, offset = 0, scale = 100;
    if (!digits(&s, 4, &t.tm_year) || !take(&s, '-') || !digits(&s, 2, &t.tm_mon) || !take(&s, '-') ||
        !digits(&s, 2, &t.tm_mday))
        return 0;
    if (t.tm_mon < 1 || t.tm_mon > 12 || t.tm_mday < 1 || t.tm_mday > days_in_month(t.tm_year, t.tm_mon))
        return 0;
    if (take(&s, 'T') || take(&s, 't') || take(&s, ' ')) {
        if (!digits(&s, 2, &t.tm_hour) || t.tm_hour > 23 || !take(&s, ':') || !digits(&s, 2, &t.tm_min) ||
            t.tm_min > 59)
            return 0;
        if (take(&s, ':') && (!digits(&s, 2, &t.tm_sec) || t.tm_sec > 59))
            return 0;
        if (take(&s, '.') || take(&s, ',')) {
            if (*s < '0' || *s > '9')
                return 0;
            for (; *s >= '0' && *s <= '9'; s++, scale /= 10)
                fraction += (*s - '0') * scale;
        }
        if (!zone(&s, &offset))
            return 0;
    }
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    *ms = ((int64_t)timegm(&t) - offset * 60) * 1000 + fraction;
    return !*s;
}

static lake_status parse_time(const char *text, int64_t *ms, lake_error *err) {
    size_t digits_only = strspn(text + (text[0] == '-'), "0123456789") + (text[0] == '-');
    if (text[digits_only] == 0 && digits_only > (size_t)(text[0] == '-')) {
        if (strlen(text) - (text[0] == '-') < 10)
            return cli_fail(err, LAKE_ERR_USAGE,
                "--as-of: %s is no time: a year alone is none, and milliseconds since 1970 have more digits; write "
                "2025-03-27 or 2025-03-27T10:30:00",
                text);
        cli_option o = {"as-of", 0, CLI_INT, 0, NULL, NULL};
        cli_int v;
        lake_status status = cli_option_set(&o, &v, text, "--as-of", err);
        *ms = status ? 0 : v.value;
        return status;
    }
    if (!iso_time(text, ms))
        return cli_fail(err, LAKE_ERR_USAGE,
            "--as-of: '%s' is no time: write 2025-03-27, 2025-03-27T10:30:00, 2025-03-27T10:30:00+01:00 or "
            "milliseconds since 1970",
            text);
    return LAKE_OK;
}

lake_status cli_snapshot_choice(const cli_snapshot *given, lake_snapshot_choice *out, lake_error *err) {
    *out = (lake_snapshot_choice)LAKE_SNAPSHOT_CHOICE_INIT;
    if (given->id.given + !!given->ref + !!given->as_of > 1)
        return cli_fail(err, LAKE_ERR_USAGE, "only one of --snapshot, --ref and --as-of can be given");
    out->has_snapshot_id = given->id.given;
    out->snapshot_id = given->id.value;
    out->ref = given->ref;
    if (!given->as_of)
        return LAKE_OK;
    out->has_as_of = 1;
    return parse_time(given->as_of, &out->as_of_ms, err);
}
