/** Replaces a secret. */
const HIDDEN = '***';
/** Redacting anything shorter would redact most of the text, and so reveal the secret. */
const SHORTEST_SECRET = 4;
/** Each line this long of a multi-line key, such as PEM, is a secret of its own. */
const SHORTEST_LINE = 16;
/** Shorter pieces of base64 occur by chance. */
const SHORTEST_BASE64 = 8;

/** The secrets known to this process. All text for output passes through `redact`, which removes them. */
export class Secrets {
  readonly #forms = new Set<string>();

  /**
   * Redacts this value from now on, also escaped in JSON or a URL, or inside base64 (as in Basic authorization).
   * False when it is too short to be redacted: an empty variable, a flag.
   */
  add(value: string | undefined): boolean {
    const secret = value?.trim() ?? '';
    if (secret.length < SHORTEST_SECRET) return false;
    for (const form of formsOf(secret)) this.#forms.add(form);
    for (const line of secret.split(/\r?\n/)) {
      if (line.trim().length >= SHORTEST_LINE && line !== secret) this.add(line);
    }
    return true;
  }

  /** The text with every secret replaced; of overlapping secrets nothing remains. */
  redact(text: string): string {
    let shown = '';
    let from = 0;
    for (const { start, end } of joined(this.#found(text))) {
      shown += `${text.slice(from, start)}${HIDDEN}`;
      from = end;
    }
    return from === 0 ? text : shown + text.slice(from);
  }

  #found(text: string): Span[] {
    const spans: Span[] = [];
    for (const form of this.#forms) {
      for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
        spans.push({ start, end: start + form.length });
      }
    }
    return spans;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function joined(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || span.start > last.end) apart.push(span);
    else apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return apart;
}

function formsOf(secret: string): string[] {
  const inJson = quoted(secret);
  return [secret, inJson, quoted(inJson), encodeURIComponent(secret.toWellFormed()), ...base64Forms(secret)];
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The base64 characters of the secret at each of the three alignments that depend on the secret alone. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = before === 0 ? 0 : before + 1;
    const last = Math.floor((bytes.length * 4) / 3);
    const own = (letters: string): string => letters.slice(first, last);
    const forms = [own(bytes.toString('base64')), own(bytes.toString('base64url'))];
    return forms.filter((form) => form.length >= SHORTEST_BASE64);
  });
}

const SECRET_NAME = /TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_KEY|AUTHORIZATION/i;
/** Shorter values of such variables are switches and numbers more often than secrets. */
const SHORTEST_GUESS = 8;

/** Values that the names of their variables call secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && value.length >= SHORTEST_GUESS ? [value] : [],
  );
}

/** Tokens that their own form gives away, whoever printed them; what is before the secret is kept. */
const SHAPES: readonly RegExp[] = [
  /()\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?/g,
  /()\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hv[sb]\.[\w-]{20,}|xox[abprs]-[\w-]{10,}|sha256~[\w-]{20,})/g,
  /(\b(?:bearer|basic) )[\w+/=.~-]{8,}/gi,
  /(:\/\/[^\s/:@'"]*:)[^\s/@'"]+(?=@)/g,
  /(\bpassw(?:or)?d['"]?[:=] ?['"]?)[^\s'",}]+/gi,
];

/** The text without tokens and passwords that are recognised by their form alone, in linear time. */
export function redactShapes(text: string): string {
  return SHAPES.reduce((shown, shape) => shown.replace(shape, `$1${HIDDEN}`), text);
}
