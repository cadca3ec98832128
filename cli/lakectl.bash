# Completion of lakectl for bash: source this file. It asks `lakectl help`, so it knows what the installed version knows.
_lakectl() {
    local word=${COMP_WORDS[COMP_CWORD]} command="" w
    for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $w == -* ]] || { command=$w && break; }
    done
    COMPREPLY=()
    if [[ $word == -* ]]; then
        w=$({ lakectl help "$command" && lakectl help; } 2>/dev/null | sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p')
        mapfile -t COMPREPLY < <(compgen -W "$w" -- "$word")
    elif [[ -z $command || $command == help ]]; then
        w=$(lakectl help 2>/dev/null | sed -nE '/^commands:/,/^$/s/^  ([a-z-]+) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$w" -- "$word")
    fi
}
complete -o default -F _lakectl lakectl
