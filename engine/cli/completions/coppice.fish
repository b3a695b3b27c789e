# Completion of coppice for fish.  The program itself knows what may follow.

function __coppice_words
    set -l typed (commandline -opc)
    set -l program $typed[1]
    set -e typed[1]
    $program completion words -- $typed (commandline -ct) 2>/dev/null
end

complete -c coppice -f -a '(__coppice_words)'
