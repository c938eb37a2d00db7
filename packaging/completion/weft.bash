# bash completion of oshrun and the compiler wrappers. What options there are is asked of the program itself, once a shell.

_weft_options() {
  local name=_weft_options_of_${1//[^a-zA-Z0-9]/_}
  [[ -v $name ]] ||
    printf -v "$name" '%s ' "$("$1" --help 2>/dev/null | grep -oE '(^ +|, )--?[a-zA-Z][a-zA-Z:-]*' | tr -d ', ')"
  printf '%s' "${!name}"
}

_oshrun() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  case $before in
    --bind-to) mapfile -t COMPREPLY < <(compgen -W 'core socket numa none' -- "$word") ;;
    --map-by) mapfile -t COMPREPLY < <(compgen -W 'core socket numa node' -- "$word") ;;
    --stdin) mapfile -t COMPREPLY < <(compgen -W '0 all none' -- "$word") ;;
    -H | --hosts | --host | -host) mapfile -t COMPREPLY < <(compgen -A hostname -- "$word") ;;
    --wdir | -wdir | --output-dir) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    --status) mapfile -t COMPREPLY < <(compgen -W "$(pgrep -x oshrun)" -- "$word") ;;
    *)
      case $word in
        -*) mapfile -t COMPREPLY < <(compgen -W "$(_weft_options "${COMP_WORDS[0]}")" -- "$word") ;;
        */* | '') ;; # a file, by the default
        *) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
      esac
      ;;
  esac
}

_oshcc() {
  local word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  [[ $word != -* ]] || mapfile -t COMPREPLY < <(compgen -W "$(_weft_options "${COMP_WORDS[0]}")" -- "$word")
}

complete -o default -F _oshrun oshrun weftrun
complete -o default -F _oshcc oshcc oshc++ oshcxx oshfort weft-mpicc weft-mpicxx \
  weft-ompcc weft-omp++ weft-ompfort
# Where they are Weft's: another MPI's have options of their own.
for _weft_name in mpiexec mpirun; do
  [[ $(readlink -f "$(type -P "$_weft_name")") != */oshrun* ]] || complete -o default -F _oshrun "$_weft_name"
done
unset _weft_name
