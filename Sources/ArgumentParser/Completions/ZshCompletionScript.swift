/// The zsh script: it asks the program and hands the answer to `_describe`.
enum ZshCompletionScript {
  static func text(program: String) -> String {
    #"""
    #compdef PROGRAM
    # zsh completion for PROGRAM, made by 'PROGRAM completions zsh'.
    # The program itself knows the candidates; here they are only handed on. Needs zsh 5.
    _PROGRAM() {
      local line last value
      local -a lines candidates globs
      lines=("${(@f)$(command PROGRAM __complete zsh $((CURRENT - 1)) -- \
        "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
      last=${lines[-1]}
      lines[-1]=()

      # _describe splits at the first ':' without a backslash and takes backslashes away.
      for line in "${lines[@]}"; do
        value=${line%%$'\t'*}
        value=${${value//\\/\\\\}//:/\\:}
        if [[ $line == *$'\t'* ]]; then value+=:${${line#*$'\t'}//\\/\\\\}; fi
        candidates+=("$value")
      done
      if (( $#candidates )); then _describe -V -t PROGRAM 'PROGRAM' candidates; fi

      case $last in
        :more) compadd -x 'more than can be listed: type another letter' ;;
        :directories) compset -P '--*='; _path_files -/ ;;
        :files) compset -P '--*='; _files ;;
        :files\ *)
          # The first twice, since zsh takes a single word in brackets for a glob qualifier.
          globs=(${=last#:files })
          compset -P '--*='
          _path_files -g "*(-/) (#i)*.(${globs[1]}|${(j:|:)globs})"
          ;;
      esac
    }
    if [[ $funcstack[1] == _PROGRAM ]]; then _PROGRAM "$@"; else compdef _PROGRAM PROGRAM; fi

    """#.substituting("PROGRAM", with: program)
  }
}
