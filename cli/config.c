/* Globals from the environment (LAKE_THREADS, …) and from a config file, for what the command line left open; and the
   session that they ask for.

   A config file has lines `name = value` with the names of the global options; `map` may be repeated. They stand at the
   top or in a section [lakectl]; other sections are for catalogs. `#` and `;` begin comments. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

#define GLOBAL(name, letter, kind, field, value, help)                                                                 \
    { name, letter, kind, offsetof(cli_globals, field), value, help }
const cli_option cli_global_options[] = {
    GLOBAL("map", 0, CLI_LIST, map, "FROM=TO",
        "read and write locations that start with FROM at TO; may\nbe repeated (LAKE_MAP: with ; between), the longest "
        "match\nwins"),
    GLOBAL("threads", 0, CLI_INT, threads, "N", "threads (default: the CPUs this process may use)"),
    GLOBAL("progress", 0, CLI_CHOICE, progress, "auto|always|never",
        "a bar on stderr (auto: on a terminal, after a second)"),
    GLOBAL("quiet", 'q', CLI_FLAG, quiet, NULL, "no progress and no remarks on stderr, only errors"),
    GLOBAL("color", 0, CLI_CHOICE, color, "auto|always|never", "colour (auto: on a terminal, unless NO_COLOR is set)"),
    GLOBAL("cache", 0, CLI_TEXT, cache, "DIR|none",
        "keep there what manifests and footers say, from one\nprocess to the next (default none); see `help cache`"),
    GLOBAL("cache-size", 0, CLI_SIZE, cache_size, "SIZE", "of manifests in the cache (default 4G)"),
    GLOBAL("config", 0, CLI_TEXT, config, "FILE", "lines `name = value` for these options"),
    GLOBAL("error-format", 0, CLI_CHOICE, error_format, "text|json", "errors as one line, or as a JSON object"),
    GLOBAL("help", 'h', CLI_FLAG, help, NULL, "help, on a command if one is named"),
    GLOBAL("version", 0, CLI_FLAG, version, NULL, "the version"),
    {0},
};

enum { NOT_A_SETTING = 2 }; /* help and version, the last two */

static size_t count(void) {
    return sizeof cli_global_options / sizeof *cli_global_options - 1;
}

static int is_open(const cli_globals *g, size_t i) {
    return !(g->seen >> i & 1) || cli_global_options[i].kind == CLI_LIST;
}

/* Splits FROM=TO at its first equals sign. */
static lake_status split_map(const char *text, const char *shown, lake_location_map *out, lake_error *err) {
    char *copy = strcpy(cli_keep(strlen(text) + 1), text);
    char *equals = strchr(copy, '=');
    if (!equals || equals == copy || !equals[1])
        return cli_fail(err, LAKE_ERR_USAGE, "%s: '%s' is not FROM=TO", shown, text);
    *equals = 0;
    *out = (lake_location_map){copy, equals + 1};
    return LAKE_OK;
}

/* A flag outside the command line has a value. */
static lake_status set(cli_globals *g, size_t i, char *text, const char *shown, lake_error *err) {
    const cli_option *o = &cli_global_options[i];
    if (o->kind == CLI_FLAG) {
        static const char *const yes[] = {"1", "true", "yes", "on"}, *const no[] = {"", "0", "false", "no", "off"};
        for (size_t k = 0; k < sizeof yes / sizeof *yes; k++)
            if (strcasecmp(text, yes[k]) == 0)
                return cli_option_set(o, g, text, shown, err);
        for (size_t k = 0; k < sizeof no / sizeof *no; k++)
            if (strcasecmp(text, no[k]) == 0)
                return LAKE_OK;
        return cli_fail(err, LAKE_ERR_USAGE, "%s: is neither true nor false", shown);
    }
    lake_location_map map;
    lake_status status = *text && o->kind == CLI_LIST ? split_map(text, shown, &map, err) : LAKE_OK; /* all are maps */
    return status || !*text ? status : cli_option_set(o, g, text, shown, err);
}

/* LAKE_MAP holds several, with ; between. */
static lake_status set_list(cli_globals *g, size_t i, char *text, const char *shown, lake_error *err) {
    for (char *save = NULL, *item = strtok_r(text, ";", &save); item; item = strtok_r(NULL, ";", &save)) {
        lake_status status = set(g, i, item, shown, err);
        if (status)
            return status;
    }
    return LAKE_OK;
}

static lake_status from_environment(cli_globals *g, lake_error *err) {
    unsigned seen = 0;
    for (size_t i = 0; i + NOT_A_SETTING < count(); i++) {
        char name[40] = "LAKE_";
        for (size_t k = 0; cli_global_options[i].name[k]; k++) {
            char letter = cli_global_options[i].name[k];
            name[5 + k] = letter == '-' ? '_' : (char)toupper(letter);
        }
        const char *value = getenv(name);
        if (!value || !is_open(g, i))
            continue;
        char *copy = strcpy(cli_keep(strlen(value) + 1), value);
        lake_status status = (cli_global_options[i].kind == CLI_LIST ? set_list : set)(g, i, copy, name, err);
        if (status)
            return status;
        seen |= 1u << i;
    }
    g->seen |= seen;
    return LAKE_OK;
}

static char *trim(char *s) {
    while (isspace((unsigned char)*s))
        s++;
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1]))
        s[--n] = 0;
    return s;
}

static lake_status config_line(cli_globals *g, const char *path, int line, char *text, lake_error *err) {
    char *equals = strchr(text, '=');
    if (!equals)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: line %d: is neither `name = value` nor [section]", path, line);
    *equals = 0;
    char *name = trim(text), *value = trim(equals + 1);
    cli_nearest best = {0};
    for (size_t i = 0; i + NOT_A_SETTING < count(); i++) {
        const char *known = cli_global_options[i].name;
        if (strcmp(known, "config") == 0)
            continue;
        cli_nearest_try(&best, name, known);
        char shown[300];
        snprintf(shown, sizeof shown, "%s: line %d: %s", path, line, known);
        if (strcmp(name, known) == 0)
            return is_open(g, i) ? set(g, i, value, shown, err) : LAKE_OK;
    }
    return cli_fail(err, LAKE_ERR_USAGE, "%s: line %d: %s: unknown name%s%s%s", path, line, name,
        best.name ? "; did you mean " : "", best.name ? best.name : "", best.name ? "?" : "");
}

static lake_status from_file(cli_globals *g, const char *path, lake_error *err) {
    char *text;
    size_t len;
    lake_status status = cli_read_file(path, &text, &len, err);
    if (status)
        return status;
    /* Values point into the text, so it stays until the end of the program. */
    int line = 0, ours = 1;
    for (char *next = text; next && *next && !status;) {
        char *end = strchr(next, '\n'), *s = next;
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        s = trim(s);
        line++;
        if (!*s || *s == '#' || *s == ';')
            continue;
        if (*s == '[')
            ours = strcmp(s, "[lakectl]") == 0;
        else if (ours)
            status = config_line(g, path, line, s, err);
    }
    return status;
}

lake_status cli_globals_complete(cli *c, lake_error *err) {
    cli_globals *g = &c->globals;
    lake_status status = from_environment(g, err);
    if (!status && g->config)
        status = from_file(g, g->config, err);
    if (status)
        return status;
    if (g->threads.given && (g->threads.value < 1 || g->threads.value > 1024))
        return cli_fail(err, LAKE_ERR_USAGE, "--threads: %lld is not between 1 and 1024", (long long)g->threads.value);
    if (g->cache && !*g->cache)
        return cli_fail(err, LAKE_ERR_USAGE, "--cache: the name of the folder is empty");
    if (g->cache_size.given && g->cache_size.value < 1)
        return cli_fail(err, LAKE_ERR_USAGE, "--cache-size: is below 1");
    return LAKE_OK;
}

lake_status cli_session(cli *c, lake_error *err) {
    if (c->session)
        return LAKE_OK;
    const cli_globals *g = &c->globals;
    lake_session_options options = LAKE_SESSION_OPTIONS_INIT;
    lake_location_map *maps = cli_keep(g->map.n * sizeof *maps);
    size_t n = 0;
    for (size_t i = 0; i < g->map.n; i++) {
        lake_status status = split_map(g->map.items[i], "--map", &maps[n], err);
        if (status)
            return status;
        /* The command line comes before the environment, that before the config file. */
        int again = 0;
        for (size_t k = 0; k < n; k++)
            again |= strcmp(maps[k].from, maps[n].from) == 0;
        n += !again;
    }
    options.cache = g->cache && strcmp(g->cache, "none") != 0 ? g->cache : NULL;
    options.cache_size = options.cache && g->cache_size.given ? (uint64_t)g->cache_size.value : 0;
    options.maps = maps;
    options.nmaps = n;
    options.threads = g->threads.given ? (unsigned)g->threads.value : 0;
    options.progress = cli_progress_report;
    return lake_session_open(&options, &c->session, err);
}

lake_status cli_open_table(cli *c, lake_table **out, lake_error *err) {
    lake_status status = cli_session(c, err);
    return status ? status : lake_table_open(c->session, c->args.items[0], out, err);
}
