/** How labels are read: strictly, or as the existing scheduler reads them, blanks and duplicates included. */
export interface Reading {
  readonly strict: boolean;
}

/** The text between commas, unchanged; an empty text is the empty list. */
export function splitCsv(text: string, { strict }: Reading): readonly string[] {
  const isEmpty = strict ? text.trim() === '' : text === '';
  return isEmpty ? [] : text.split(',');
}

/** Trimmed, each once, without blanks; `hasBlank` is set if there were any, as after a trailing comma. */
export function cleanMembers(given: readonly string[]): { members: readonly string[]; hasBlank: boolean } {
  const trimmed = given.map((member) => member.trim());
  return { members: [...new Set(trimmed.filter((member) => member !== ''))], hasBlank: trimmed.includes('') };
}
