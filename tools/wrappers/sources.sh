# Sources with directives of Weft (#pragma omni, !$omni) are compiled from copies in which these are calls; all others as
# they are.

directives='^[[:blank:]]*#[[:blank:]]*pragma[[:blank:]]+(omni|weft)[[:blank:]]'
directives="$directives|^[[:blank:]]*#[[:blank:]]*pragma[[:blank:]]+omp.*schedule[[:blank:]]*\\([[:blank:]]*affinity"
directives="$directives|^([c*]|[[:blank:]]*!)[\$](omni|weft)[[:blank:]]"
directives="$directives|^([c*]|[[:blank:]]*!)[\$]omp.*schedule[[:blank:]]*\\([[:blank:]]*affinity"

# form_of WORD: how it is read, or false: it is no source. $language: what -x says, $columns: what -ffixed-form and its kin do.
form_of() {
  case $1 in
    -* | '') return 1 ;;
  esac
  case $language,$1 in
    c,* | c++,* | ,*.c | ,*.C | ,*.cc | ,*.cp | ,*.cpp | ,*.cxx | ,*.c++ | ,*.CPP) form=c ;;
    f77*,* | ,*.f | ,*.F | ,*.for | ,*.FOR | ,*.ftn | ,*.FTN | ,*.fpp | ,*.FPP) form=${columns:-fixed} ;;
    f95*,* | ,*.f9[05] | ,*.F9[05] | ,*.f0[38] | ,*.F0[38]) form=${columns:-free} ;;
    *) return 1 ;;
  esac
}

has_directives() {
  [ -f "$1" ] && grep -qiE -e "$directives" -- "$1"
}

# Any of the arguments, or of those in a file of arguments.
asks_for_copies() {
  language=
  columns=
  value=
  for word do
    case $value,$word in
      -x,none) language=; value=; continue ;;
      -x,*) language=$word; value=; continue ;;
      -*,*) value=; continue ;;
      ,-x | ,-o | ,-MF | ,-MT | ,-MQ | ,-include) value=$word; continue ;;
      ,-x*) language=${word#-x}; continue ;;
      ,-M | ,-MM) return 1 ;;
    esac
    if form_of "$word" && has_directives "$word"; then
      return 0
    fi
    case $word in
      @*)
        # shellcheck disable=SC2046
        [ ! -f "${word#@}" ] || ! asks_for_copies $(cat "${word#@}") || return 0
        ;;
    esac
  done
  return 1
}

# copy_of FILE: sets $copy, and what the compiler is to be told so that nobody sees it.
copy_of() {
  copies=$((copies + 1))
  mkdir "$folder/$copies" || exit 1
  copy=$folder/$copies/${1##*/}
  "$prefix/@WRAPPER_TO_LIBEXEC@/weft-omp-source" "$form" "$1" "$copy" || exit 1
  case $1 in
    */*) before=${1%/*}/ ;;
    *) before= ;;
  esac
  mapped="-ffile-prefix-map=$folder/$copies/=$before"
  beside=-I${before:-.}
  [ "$form" != c ] || beside=-iquote${before:-.}
  printf '%s\n' "${1##*/}" >>"$folder/copied"
  # For the names in what the compiler writes.
  printf 's|%s/%s/|%s|g\n' "$folder" "$copies" "$(printf '%s' "$before" | sed 's/[\\&|]/\\&/g; s/ /\\\\ /g')" >>"$folder/names"
}

# Files of dependences are named by what is made, unless something else is said.
mend_dependences() {
  for word in "$list" "${made%.*}.d"; do
    [ ! -f "$word" ] || sed -i -f "$folder/names" "$word"
  done
  while IFS= read -r word; do
    for word in "${word%.*}.d" "${made:-a}-${word%.*}.d" "a-${word%.*}.d"; do
      [ ! -f "$word" ] || ! grep -q "$folder/" "$word" || sed -i -f "$folder/names" "$word"
    done
  done <"$folder/copied"
}

# Runs the compiler, which is the first of the arguments, and ends.
compile_copies() {
  folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-omp.XXXXXX") || exit 1
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 1' HUP INT TERM
  language=
  columns=
  copies=0
  value=
  made=
  list=
  preprocessed=
  count=$#
  while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $value,$argument in
      -o,*) made=$argument ;;
      -MF,*) list=$argument ;;
      -x,none) language= ;;
      -x,*) language=$argument ;;
      ,-x?*) language=${argument#-x} ;;
      ,-o?*) made=${argument#-o} ;;
      ,-Wp,-M*D,*) list=${argument##*,} ;;
      ,-E) preprocessed=yes ;;
      ,-ffree-form) columns=free ;;
      ,-ffixed-form) columns=fixed ;;
      ,@*) [ ! -f "${argument#@}" ] || copies_in_list "${argument#@}" ;;
    esac
    taken=$value
    value=
    case $taken,$argument in
      ,-o | ,-MF | ,-x | ,-MT | ,-MQ | ,-include) value=$argument ;;
    esac
    if [ -z "$taken" ] && form_of "$argument" && has_directives "$argument"; then
      copy_of "$argument"
      set -- "$@" "$mapped" "$beside" "$copy"
    else
      set -- "$@" "$argument"
    fi
  done
  if [ -n "$preprocessed" ] && [ -z "$made" ]; then
    "$@" >"$folder/out"
    code=$?
    sed -f "$folder/names" "$folder/out"
    exit "$code"
  fi
  "$@"
  code=$?
  [ -z "$preprocessed" ] || [ ! -f "$made" ] || sed -i -f "$folder/names" "$made"
  mend_dependences
  exit "$code"
}

# A file of arguments with sources in it becomes one that names copies: sets $argument.
copies_in_list() {
  cp "$1" "$folder/arguments" || exit 1
  # shellcheck disable=SC2013
  for word in $(cat "$1"); do
    if form_of "$word" && has_directives "$word"; then
      copy_of "$word"
      name=$(printf '%s' "$word" | sed 's/[][\\.*^$|]/\\&/g')
      sed -i "s|\\(^\\|[[:blank:]]\\)$name\\([[:blank:]]\\|\$\\)|\\1$mapped $beside $copy\\2|" "$folder/arguments"
      argument=@$folder/arguments
    fi
  done
}
