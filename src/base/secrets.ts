import { markdownPlain } from './text/markdown.ts';

/** Replaces a secret. */
const HIDDEN = '***';
/** Redacting anything shorter would redact most of the text, and so reveal the secret. */
const SHORTEST_SECRET = 4;
/** Each line this long of a multi-line key, such as PEM, is a secret of its own. */
const SHORTEST_LINE = 16;
/** Shorter pieces of base64 occur by chance. */
const SHORTEST_BASE64 = 8;

/** A shorter piece of a secret stays where a text was cut through it. */
const SHORTEST_PIECE = 8;
/** Anything longer is a document; its lines are secrets of their own. */
const LONGEST_PIECED = 64 * 1024;
/** The rest of a text is not read for a quotation. */
const LONGEST_READ = 1024 * 1024;

/** Stands where a text was cut. */
const CUT = '…';
/** The marks of a cut, of Echelon and of others. */
const CUTS = /…|\.\.\./g;
const SPACES = /\s+|^|$/g;

export interface Quotation {
  /** In UTF-16 units, without the mark of the cut. */
  readonly longest: number;
  /** Removes what is not worth showing; gets the text without secrets, and before it is cut. */
  readonly tidy?: (text: string) => string;
}

/** Secrets that must not be shown: those of this process, or those that one client sends. */
export class Secrets {
  readonly #forms = new Set<string>();
  /** All forms in which pieces are searched for, joined when the first is. */
  #searched: string | undefined;

  constructor(values: Iterable<string | undefined> = []) {
    for (const value of values) this.add(value);
  }

  /**
   * Redacts this value from now on, also escaped in JSON, HTML, Markdown or a URL, or inside base64 (as in Basic
   * authorization). Of an Authorization header also the token or password alone. False when it is too short to be redacted: an
   * empty variable, a flag.
   */
  add(value: string | undefined): boolean {
    const secret = value?.trim() ?? '';
    if (secret.length < SHORTEST_SECRET) return false;
    for (const form of formsOf(secret)) this.#forms.add(form);
    this.#searched = undefined;
    for (const line of secret.split(/\r?\n/)) {
      if (line.trim().length >= SHORTEST_LINE && line !== secret) this.add(line);
    }
    for (const part of credentialsIn(secret)) this.add(part);
    return true;
  }

  /**
   * The text with every secret replaced; of overlapping secrets nothing remains. Where somebody cut the text before and
   * marked it with `…`, a piece of a secret is replaced too.
   */
  redact(text: string): string {
    return without(text, [...this.#found(text), ...this.#pieces(text, cutsIn(text))]);
  }

  /**
   * What a server or a program said, fit for a message: without secrets, on one line, cut. The only way to cut such a text: its
   * secrets are removed before, and so are pieces of a secret at the ends of its lines, where the other side may have cut it.
   */
  quote(text: string, { longest, tidy }: Quotation): string {
    const read = text.length > LONGEST_READ ? `${text.slice(0, LONGEST_READ)}${CUT}` : text;
    const pieces = [...this.#pieces(read, cutsIn(read)), ...this.#pieces(read, lineEndsIn(read))];
    const told = without(read, [...this.#found(read), ...pieces, ...shapesIn(read)]);
    const line = (tidy?.(told) ?? told).replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
    return line.length <= longest ? line : `${line.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}${CUT}`;
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

  /** Pieces of secrets that end where one of these gaps begins, or begin where it ends. */
  #pieces(text: string, gaps: Iterable<Span>): Span[] {
    if (this.#forms.size === 0) return [];
    const spans: Span[] = [];
    for (const { start, end } of gaps) {
      const before = this.#longestPiece(text, start - SHORTEST_PIECE, -1);
      const after = this.#longestPiece(text, end, 1);
      if (before > 0) spans.push({ start: start - before, end: start });
      if (after > 0) spans.push({ start: end, end: end + after });
    }
    return spans;
  }

  /** Length of the longest piece of a secret that includes the run at this place and goes on in one direction; 0 for none. */
  #longestPiece(text: string, place: number, step: 1 | -1): number {
    const run = place < 0 ? '' : text.slice(place, place + SHORTEST_PIECE);
    if (run.length < SHORTEST_PIECE) return 0;
    this.#searched ??= [...this.#forms].filter(({ length }) => length <= LONGEST_PIECED).join('\0');
    const forms = this.#searched;
    const next = step === 1 ? SHORTEST_PIECE : -1;
    let longest = 0;
    for (let at = forms.indexOf(run); at !== -1; at = forms.indexOf(run, at + 1)) {
      let more = 0;
      while (isSame(forms, at + next + more * step, text, place + next + more * step)) more += 1;
      longest = Math.max(longest, SHORTEST_PIECE + more);
    }
    return longest;
  }
}

/** Whether two texts have the same character there; neither has one outside of it. */
function isSame(one: string, at: number, other: string, there: number): boolean {
  return one[at] !== undefined && one[at] === other[there];
}

function* cutsIn(text: string): Iterable<Span> {
  for (const { 0: mark, index } of text.matchAll(CUTS)) yield { start: index, end: index + mark.length };
}

/** Blanks with a line break in them, and those at both ends of the text. */
function* lineEndsIn(text: string): Iterable<Span> {
  for (const { 0: blank, index: start } of text.matchAll(SPACES)) {
    const end = start + blank.length;
    if (start === 0 || end === text.length || /[\r\n]/.test(blank)) yield { start, end };
  }
}

/** The text with each of these spans hidden. */
function without(text: string, spans: readonly Span[]): string {
  let shown = '';
  let from = 0;
  for (const { start, end } of joined(spans)) {
    shown += `${text.slice(from, start)}${HIDDEN}`;
    from = end;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** The token of an Authorization header, and the password of a Basic one. */
function credentialsIn(header: string): string[] {
  const [, scheme = '', token] = /^(Bearer|Basic|AccessToken)\s+(\S+)$/i.exec(header) ?? [];
  if (token === undefined) return [];
  const login = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString() : '';
  return login.includes(':') ? [token, login.slice(login.indexOf(':') + 1)] : [token];
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
  const inUrl = [encodeURIComponent(secret.toWellFormed()), new URLSearchParams([['', secret]]).toString().slice(1)];
  return [
    ...[secret, inJson, quoted(inJson), inJson.replaceAll(/[<>&]/g, asUnicode)],
    ...[inMarkup(secret, '#39'), inMarkup(secret, 'apos'), inMarkdown(secret)],
    ...inUrl.flatMap((form) => [form, form.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())]),
    ...base64Forms(secret),
  ];
}

/** A character as Go's JSON escapes it. */
function asUnicode(letter: string): string {
  return `\\u00${letter.charCodeAt(0).toString(16)}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };

/** An apostrophe has one name in HTML and another in XML. */
function inMarkup(text: string, apostrophe: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&${ENTITIES[letter] ?? apostrophe};`);
}

/** In parts, since a long cell is cut. */
function inMarkdown(text: string): string {
  return (text.match(/.{1,200}/gs) ?? []).map(markdownPlain).join('');
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
  /(\b(?:bearer|basic|accesstoken) )[\w+/=.~-]{8,}/gi,
  /(:\/\/[^\s/:@'"]*:)[^\s/@'"]+(?=@)/g,
  /(\bpassw(?:or)?d['"]?[:=] ?['"]?)[^\s'",}]+/gi,
];

/** The text without tokens and passwords that are recognised by their form alone, in linear time. */
export function redactShapes(text: string): string {
  return without(text, shapesIn(text));
}

function shapesIn(text: string): Span[] {
  return SHAPES.flatMap((shape) =>
    [...text.matchAll(shape)].map(({ 0: found, 1: before = '', index }) => ({
      start: index + before.length,
      end: index + found.length,
    })),
  );
}
