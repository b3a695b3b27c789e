# Completion of coppice for bash.  The program itself knows what may follow.

_coppice() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word rest skipped i
  # bash takes "sim:hill" and "--db=x" for several words; they are one where no
  # blank is between.
  rest=${line#"${COMP_WORDS[0]}"}
  for ((i = 1; i <= COMP_CWORD; i++)); do
    skipped=${rest%%[![:blank:]]*}
    rest=${rest#"$skipped"}
    word=${COMP_WORDS[i]}
    [[ $rest == "$word"* ]] || word=$rest  # Up to where the cursor is.
    rest=${rest#"$word"}
    if [[ -z $skipped && ${#words[@]} -gt 0 ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  words=("${words[@]//\\/}")  # "my\ file" is "my file".

  # bash replaces only what follows the last of these.
  local typed=${words[-1]} kept= break before
  for break in : =; do
    [[ $COMP_WORDBREAKS == *$break* && $typed == *$break* ]] || continue
    before=${typed%"${typed##*$break}"}
    ((${#before} <= ${#kept})) || kept=$before
  done
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    word=${word#"$kept"}
    # Quoted as a file's name is, but for what a word may hold as it is.
    [[ $word == *[!a-zA-Z0-9_./:=~@%+,-]* ]] && printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion words -- "${words[@]}" \
    2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=,] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

complete -F _coppice coppice
