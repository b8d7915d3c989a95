# bash completion for tote, made by 'tote completions bash'.
# The program itself knows the candidates; here they are only quoted. Needs bash 4.2.
_tote() {
  local IFS=$' \t\n' left=${COMP_LINE:0:COMP_POINT} word=${COMP_WORDS[COMP_CWORD]-}
  local raw breaks='' cut='' quote='' char line value last='' ext
  local -a lines=()
  COMPREPLY=()
  while IFS= read -r line; do lines+=("$line"); done < <(
    command tote __complete bash line -- "$left" 2>/dev/null)
  if ((${#lines[@]} == 0)); then return 0; fi
  last=${lines[${#lines[@]} - 1]}
  unset "lines[${#lines[@]} - 1]"

  # bash replaces only what follows the last ':' or '=' of an unquoted word: cut the rest off.
  case $word in
    \"*) quote='"' ;;
    \'*) quote="'" ;;
    *)
      raw=${left##*[!\\][[:space:]]}
      for char in : = @; do
        if [[ $COMP_WORDBREAKS == *"$char"* ]]; then breaks+=$char; fi
      done
      if [[ $breaks && $raw == *["$breaks"]* ]]; then
        cut=${raw%"${raw##*["$breaks"]}"}
      fi
      ;;
  esac

  for line in "${lines[@]+"${lines[@]}"}"; do
    value=${line%%$'\t'*}
    case $quote in
      \') value=${value//\'/\'\\\'\'} ;;
      \") value=${value//\\/\\\\} value=${value//\"/\\\"}
        value=${value//\$/\\\$} value=${value//\`/\\\`} ;;
      *) printf -v value %q "$value" && value=${value#"$cut"} ;;
    esac
    COMPREPLY+=("$value")
  done

  case $last in
    :directories) compopt -o dirnames ;;
    :files) compopt -o default ;;
    :files\ *)
      raw=${word#["\"'"]}
      if [[ $raw == [:=@] ]]; then raw=''; fi
      if [[ ! $quote ]]; then raw=${raw//\\/}; fi
      compopt -o filenames
      while IFS= read -r line; do
        if [[ -d $line ]]; then COMPREPLY+=("$line") && continue; fi
        for ext in ${last#:files }; do
          if [[ ${line,,} == *."$ext" ]]; then COMPREPLY+=("$line"); fi
        done
      done < <(compgen -f -- "$raw")
      ;;
  esac
  return 0
}
complete -F _tote tote
