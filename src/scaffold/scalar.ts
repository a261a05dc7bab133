/** What YAML reads as something else than text. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/;
const PLAIN = /^[a-z][-a-z0-9]*$/;

/** A text as a YAML value: quoted only where it must be. */
export function scalar(text: string): string {
  return PLAIN.test(text) && !WORD.test(text) ? text : JSON.stringify(text);
}
