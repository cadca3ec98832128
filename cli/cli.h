/* What the files of the program share. The program uses the public headers of the library and nothing else of it.

   A command is a row of the table in main.c: names, help, options and a function. The function gets the parsed command
   line in `cli` and returns a status; main.c prints the error and turns the status into the exit status. */
#ifndef LAKE_CLI_H
#define LAKE_CLI_H

#include <stddef.h>
#include <stdint.h>

#include "lake/lake.h"

/* ---- options (options.c) */
typedef enum cli_kind {
    CLI_FLAG, /* int */
    CLI_TEXT, /* const char * */
    CLI_CHOICE, /* const char *, one of `value` ("text|json") */
    CLI_LIST, /* cli_list: may be repeated */
    CLI_INT, /* cli_int */
    CLI_SIZE, /* cli_int: bytes, with K, M, G or T behind */
    CLI_LATER /* known, but refused: not yet supported */
} cli_kind;

typedef struct cli_list {
    const char **items;
    size_t n;
} cli_list;

typedef struct cli_int {
    int given;
    int64_t value;
} cli_int;

typedef struct cli_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter; /* 0: none */
    cli_kind kind;
    size_t offset; /* of its value in the command's struct */
    const char *value; /* name of the value in help; choices of CLI_CHOICE */
    const char *help;
} cli_option;

typedef struct cli_globals {
    cli_int threads, cache_size;
    cli_list map;
    const char *progress, *color, *cache, *config, *error_format;
    int quiet, help, version;
    unsigned seen; /* bit i: option i of cli_global_options was given */
} cli_globals;

typedef struct cli cli;

typedef struct cli_command {
    const char *name;
    const char *args; /* "TABLE FILE…", for help */
    size_t min_args, max_args;
    const char *summary; /* half a line */
    const char *text; /* what else to know; wrapped by hand */
    const char *example; /* lines */
    const cli_option *options; /* NULL: none */
    size_t size; /* of the struct that options fill */
    lake_status (*run)(cli *c, lake_error *err);
} cli_command;

struct cli {
    cli_globals globals;
    const cli_command *command; /* NULL: none was named */
    void *options; /* zeroed, then filled by the command line; of command->size bytes */
    cli_list args;
    lake_session *session; /* cli_session opens it */
    const char *sql; /* the text that the offset of a usage error points into, or NULL */
    int answer_is_no; /* the command's answer: exit status 1 */
    int committed; /* the table has changed, whatever happens to the output */
};

extern const cli_option cli_global_options[];
extern const cli_command *const cli_commands[]; /* ended by NULL */

/* Fills c->globals, command, options and args from the arguments. */
lake_status cli_parse(cli *c, int argc, char **argv, lake_error *err);
/* Sets one option from text; `shown` names it in errors ("--threads", "LAKE_THREADS"). */
lake_status cli_option_set(const cli_option *option, void *base, const char *text, const char *shown, lake_error *err);
const cli_command *cli_command_find(const char *name);
/* "unknown command" with the nearest name, or the word that it comes later. */
lake_status cli_unknown_command(const char *name, lake_error *err);
/* The nearest of the names to `word` by edit distance, or NULL if none is near. Call with best NULL first. */
typedef struct cli_nearest {
    const char *name;
    size_t distance;
} cli_nearest;
void cli_nearest_try(cli_nearest *best, const char *word, const char *name);

/* ---- globals (config.c): the environment, then the config file, for what the command line left open */
lake_status cli_globals_complete(cli *c, lake_error *err);
/* Opens c->session by the globals, once. */
lake_status cli_session(cli *c, lake_error *err);
/* Opens the table that the first argument names, and the session if need be. */
lake_status cli_open_table(cli *c, lake_table **out, lake_error *err);

/* ---- help (help.c) */
void cli_help_all(void);
void cli_help_command(const cli_command *command);

/* ---- errors (errors.c) */
lake_status cli_fail(lake_error *err, lake_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with errno's text behind. */
lake_status cli_fail_os(lake_error *err, lake_status status, int os_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Names the file that a text came from, if the message is about it: begins with `what`. */
void cli_error_in(lake_error *err, const char *what, const char *file);
/* A message that begins with `old` begins with `name` instead; 0: it does not. */
int cli_error_rename(lake_error *err, const char *old, const char *name);
void cli_error_print(const cli *c, const lake_error *err);
/* One line on standard error that is no error. */
void cli_remark(const char *text);
int cli_exit_status(lake_status status);

/* ---- output (output.c): standard output through one buffer; the first failure is kept and told by cli_out_flush */
extern const lake_sink cli_stdout;
/* The same for what has been done already: an interrupt comes too late, and a failed write is told by cli_out_flush. */
extern const lake_sink cli_report;
void cli_out(const char *text);
void cli_out_bytes(const void *data, size_t len);
void cli_outf(const char *format, ...) __attribute__((format(printf, 1, 2)));
lake_status cli_out_flush(lake_error *err);
/* Did the reader of standard output go away? */
int cli_out_broken_pipe(void);

/* ---- small helpers (text.c) */
/* Never NULL: the program ends with exit status 3 when memory runs out. */
void *cli_alloc(size_t size);
void *cli_realloc(void *old, size_t size);
/* The same, zeroed, for what lives until the end of the program: nobody frees it but cli_kept_free. */
void *cli_keep(size_t size);
void cli_kept_free(void);
/* A growing text. */
typedef struct cli_text {
    char *ptr;
    size_t len, room;
} cli_text;
void cli_text_add(cli_text *t, const void *data, size_t len);
void cli_text_addf(cli_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds UTF-8 for people: control characters and broken UTF-8 become \xNN, so that no file name drives a terminal. */
void cli_text_add_shown(cli_text *t, const char *data, size_t len);
/* Adds a JSON string with its quotes. */
void cli_text_add_json(cli_text *t, const char *data, size_t len);
/* Adds a JSON value as people read it: strings without quotes, null as "-", an object as
   a=1, b=x. */
void cli_text_add_json_shown(cli_text *t, const char *json, size_t len);
/* The value of a member of a JSON object, as JSON; null if it has none. */
lake_str cli_json_member(lake_str object, const char *name);
void cli_text_free(cli_text *t);
/* Columns on a terminal. */
size_t cli_width(const char *text, size_t len);
/* "1.5 MiB", "12,345", "1.25 ms" into a buffer of 32 bytes, which is returned. */
const char *cli_show_size(char *buffer, int64_t bytes);
const char *cli_show_count(char *buffer, int64_t count);
const char *cli_show_ns(char *buffer, int64_t ns);

/* ---- tables of text (text_table.c) */
typedef struct cli_table cli_table;
/* CLI_PATH: the folder that all cells of the column share is printed once, above the table; for one column only.
   CLI_OPTIONAL: the column is left out if it has no value but "-". At most 64 columns. */
enum { CLI_LEFT = 0, CLI_RIGHT = 1, CLI_SHRINK_MIDDLE = 2, CLI_SHRINK_END = 4, CLI_PATH = 8, CLI_OPTIONAL = 16 };
/* heads: names; flags: of the above, for each column. Both must outlive the table. */
cli_table *cli_table_new(size_t width, const char *const *heads, const int *flags);
/* The next cell, from left to right and top to bottom; copied. */
void cli_table_cell(cli_table *t, const char *text, size_t len);
void cli_table_print(cli_table *t);
void cli_table_free(cli_table *t);
/* Columns of the terminal, or of COLUMNS; 0: no limit. */
size_t cli_terminal_width(void);
/* Switches colour on for standard output by --color, NO_COLOR and whether it is a terminal. */
void cli_color_init(const cli_globals *globals);
/* "\x1b[1m" or "". */
const char *cli_color(const char *code);

/* ---- progress and interruption (progress.c) */
void cli_progress_init(const cli_globals *globals);
int cli_progress_report(void *user, const char *what, uint64_t done, uint64_t total);
/* Takes the bar away, before other output. */
void cli_progress_clear(void);
/* The first SIGINT or SIGTERM sets a flag, the second ends the program. */
void cli_signals_init(void);
int cli_interrupted(void);

/* ---- inputs (inputs.c) */
/* Reads a whole local file ("-": standard input) as text, NUL-ended, that is kept until the end. */
lake_status cli_read_file(const char *path, char **text, size_t *len, lake_error *err);
/* The same of an Iceberg schema; MALFORMED if it is a Parquet file. */
lake_status cli_read_schema(const char *path, char **text, size_t *len, lake_error *err);
/* The text itself, or the content of FILE for "@FILE"; if `or_file`, also of an existing file of that name. */
lake_status cli_text_or_file(const char *text, int or_file, char **out, lake_error *err);
/* Appends arguments to files; "-" and "@LIST" stand for the lines (or NUL-ended items) of a list. */
lake_status cli_file_arguments(const cli_list *args, size_t first, cli_list *files, lake_error *err);
void cli_list_add(cli_list *list, const char *item);
/* The names in the text of --columns: split at commas outside of double quotes; a quoted name keeps its quotes off, two
   quotes inside stand for one. */
lake_status cli_split_columns(const char *text, cli_list *out, lake_error *err);

/* ---- choice of a snapshot (snapshot.c): --snapshot, --ref, --as-of */
typedef struct cli_snapshot {
    cli_int id;
    const char *ref, *as_of;
} cli_snapshot;
#define CLI_SNAPSHOT_OPTIONS(type, field)                                                                              \
    {"snapshot", 0, CLI_INT, offsetof(type, field.id), "ID", "the snapshot with this id"},                             \
        {"ref", 0, CLI_TEXT, offsetof(type, field.ref), "NAME", "the snapshot of this branch or tag"}, {               \
        "as-of", 0, CLI_TEXT, offsetof(type, field.as_of), "TIME",                                                     \
            "the snapshot that was current then: ISO 8601 (UTC\nwithout a zone) or milliseconds since 1970"            \
    }
lake_status cli_snapshot_choice(const cli_snapshot *given, lake_snapshot_choice *out, lake_error *err);

#endif
