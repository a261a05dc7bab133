const BASH = `_echelon() {
  local IFS=$'\\n'
  COMPREPLY=($(echelon __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _echelon echelon
`;

const ZSH = `#compdef echelon
_echelon() {
  local -a candidates
  candidates=("\${(@f)$(echelon __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    compadd -- "\${candidates[@]}"
  else
    _files
  fi
}
compdef _echelon echelon
`;

const FISH = `function __echelon_complete
  set -l words (commandline -opc) (commandline -ct)
  echelon __complete -- $words[2..-1] 2>/dev/null
end
complete -c echelon -a '(__echelon_complete)'
`;

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
