/** A mapping as data has it. */
export type Json = Readonly<Record<string, unknown>>;

/** A mapping, and not a list or null, which the language calls objects too. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
