/* Help, made from the tables of commands and options, so that it lists what exists and nothing else. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

static void print_options(const cli_option *o) {
    for (; o->name; o++) {
        if (o->kind == CLI_LATER)
            continue;
        char left[80];
        int n = snprintf(left, sizeof left, "  %c%c%s--%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
            o->letter ? ", " : "  ", o->name);
        if (o->kind != CLI_FLAG)
            n += snprintf(left + n, sizeof left - (size_t)n, " %s", o->value);
        size_t width = cli_width(left, (size_t)n);
        if (width > 30)
            cli_outf("%s\n%32s", left, "");
        else
            cli_outf("%s%*s", left, (int)(32 - width), "");
        for (const char *s = o->help; *s;) {
            size_t len = strcspn(s, "\n");
            cli_outf("%.*s\n", (int)len, s);
            s += len;
            if (*s == '\n') {
                cli_outf("%32s", "");
                s++;
            }
        }
    }
}

void cli_help_all(void) {
    cli_out("usage: lakectl [GLOBAL OPTIONS] COMMAND [OPTIONS] ARGUMENTS\n\n"
            "Exact statistics, manifests and pruned plans for Apache Iceberg tables.\n\ncommands:\n");
    for (size_t i = 0; cli_commands[i]; i++)
        cli_outf("  %-20s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    cli_out("\nglobal options (also as LAKE_THREADS, LAKE_MAP, … in the environment, and in the file of --config):\n");
    print_options(cli_global_options);
    cli_out(
        "\nA TABLE is a *.metadata.json (or .metadata.json.gz) file, by path or URI, or the directory of a table.\n"
        "Exit status: 0 done, 1 the answer is no, 2 usage, 3 not found or input/output, 4 malformed or unsupported\n"
        "data, 5 commit conflict, 130 interrupted. `lakectl help COMMAND` tells more.\n");
}

void cli_help_command(const cli_command *m) {
    cli_outf("usage: lakectl %s %s\n\n%s\n", m->name, m->args, m->text);
    if (m->options && m->options->name) {
        cli_out("\noptions:\n");
        print_options(m->options);
    }
    cli_outf("\nexample:\n%s\n`lakectl help` lists the global options.\n", m->example);
}

static lake_status run(cli *c, lake_error *err) {
    if (c->args.n == 0) {
        cli_help_all();
        return LAKE_OK;
    }
    const cli_command *m = cli_command_find(c->args.items[0]);
    if (!m)
        return cli_unknown_command(c->args.items[0], err);
    cli_help_command(m);
    return LAKE_OK;
}

const cli_command cli_cmd_help = {
    .name = "help",
    .args = "[COMMAND]",
    .max_args = 1,
    .summary = "this list, or help on a command",
    .text = "Lists the commands and global options, or tells about one command.",
    .example = "  lakectl help plan\n",
    .run = run,
};
