/** How labels are read: strictly, or as the existing scheduler reads them, blanks and repetitions included. */
export interface Reading {
  readonly strict: boolean;
}

/** What stands between commas, as it stands there; nothing at all is the empty list. */
export function splitCsv(text: string, { strict }: Reading): readonly string[] {
  const isEmpty = strict ? text.trim() === '' : text === '';
  return isEmpty ? [] : text.split(',');
}

/** Trimmed, each once, without blanks; `hasBlank` tells that there were some, as after a comma at the end. */
export function cleanMembers(given: readonly string[]): { members: readonly string[]; hasBlank: boolean } {
  const trimmed = given.map((member) => member.trim());
  return { members: [...new Set(trimmed.filter((member) => member !== ''))], hasBlank: trimmed.includes('') };
}
