/** Trusted markup; everything else is escaped when it is inserted. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Markup = Html | string | number | undefined | false | readonly Markup[];

/** Markup with inserted values. Any value other than `Html` is escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly Markup[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += markupOf(value) + (strings[index + 1] ?? '');
  return new Html(text);
}

function markupOf(value: Markup): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control and direction characters, which could hide or reorder text. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu;

/** Safe in text and in quoted attributes. */
export function escaped(text: string): string {
  return text.replace(INVISIBLE, '\ufffd').replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}
