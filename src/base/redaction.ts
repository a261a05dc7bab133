/** What stands where a secret stood. */
const HIDDEN = '***';
/** Hiding anything shorter would hide most of the text, and say by that what it is. */
const SHORTEST_SECRET = 4;
/** Of a key over many lines, such as PEM, each line of this length is a secret by itself. */
const SHORTEST_LINE = 16;
/** Cut out of a longer base64 text, fewer letters than these occur by chance. */
const SHORTEST_BASE64 = 8;

/** The secrets that this process knows. Text that may be shown passes through `redact`, which leaves none of them. */
export class Secrets {
  readonly #forms = new Set<string>();

  /**
   * From now on this value is hidden, also escaped in JSON or an address, or inside base64 (as in Basic authorization).
   * False when it is too short to be hidden: an empty variable, a flag.
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

  /** The text with every secret replaced; overlapping ones leave nothing of either. */
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

/** What base64 makes of the secret wherever it begins in the text: the letters that depend on nothing else. */
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
