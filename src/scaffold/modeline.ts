/** Where an instance keeps the JSON Schemas of its files, for editors. */
export const SCHEMA_FOLDER = '.echelon/schemas';

/** The comment by which editors find the JSON Schema of a file that is this many folders deep. */
export function modeline(kind: string, depth: number): string[] {
  return [`# yaml-language-server: $schema=${'../'.repeat(depth)}${SCHEMA_FOLDER}/${kind}.json`];
}
