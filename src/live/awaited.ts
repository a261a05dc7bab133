/** What a command waits for, and why. */
export interface Awaited {
  /** `3 of 12 shards`. */
  readonly what: string;
  readonly causes: readonly AwaitedCause[];
  /** What is not as declared either, but does not keep the command waiting. */
  readonly aside?: readonly AwaitedCause[];
}

export interface AwaitedCause {
  readonly number: number;
  /** `lagging`, `for soak`. */
  readonly text: string;
  /** Why, or until when. It may differ from one observation to the next although nothing happened. */
  readonly detail?: string;
}

/** `waiting for 3 of 12 shards: 2 lagging (it is set to another image), 1 missing`; brief without what is in parentheses. */
export function awaitedText({ what, causes, aside = [] }: Awaited, which: 'brief' | 'detailed'): string {
  const each = (cause: AwaitedCause): string => causeText(cause, which);
  const why = causes.length === 0 ? '' : `: ${causes.map(each).join(', ')}`;
  const besides = aside.length === 0 ? '' : `; not waited for: ${aside.map(each).join(', ')}`;
  return `waiting for ${what}${why}${besides}`;
}

function causeText({ number, text, detail }: AwaitedCause, which: 'brief' | 'detailed'): string {
  return detail === undefined || which === 'brief' ? `${number} ${text}` : `${number} ${text} (${detail})`;
}
