/** What steers a terminal or a viewer instead of being shown: control characters, line separators, bidi overrides and isolates. */
const STEERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const STEERS_IN_TEXT = /(?!\n|\t|\r\n)[\p{Cc}\u2028\u2029]/gu;

/** Untrusted text as one line that steers nothing: `\n` and `\u001b` are shown as such. */
export function escapeControls(text: string): string {
  return text.replaceAll(STEERS, escaped);
}

/** The same for a text of several lines, which keeps line ends and tabs. Leaves bidi controls, which are part of documents. */
export function escapeControlsInText(text: string): string {
  return text.replaceAll(STEERS_IN_TEXT, escaped);
}

/** As in JSON, where it means the same character. */
function escaped(control: string): string {
  return control === '\n' ? '\\n' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
