import type * as z from 'zod';

/** What a field means, and a value that it may have; the first value or `true` where that is obvious. */
export type FieldText = readonly [meaning: string, example?: unknown];
/** By the path of the field without positions: `managed.spec.cron`. */
export type FieldTexts = Readonly<Record<string, FieldText>>;

/** A kind of file that users write. */
export interface Kind {
  /** As in `echelon explain KIND`. */
  readonly name: string;
  readonly title: string;
  readonly meaning: string;
  /** Where such files are. */
  readonly place: string;
  /** What the reader accepts. */
  readonly shape: () => z.ZodType;
  readonly texts: FieldTexts;
  /** A whole file, where the fields that it requires show too little. */
  readonly example?: unknown;
  /** What the reader checks and a JSON Schema cannot. */
  readonly beyond: readonly string[];
}

/** The same texts one level deeper. */
export function under(parent: string, texts: FieldTexts): FieldTexts {
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${parent}.${path}`, text]));
}
