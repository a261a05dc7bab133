type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value, to spread into an object whose optional fields are absent rather than undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as Defined<T>;
}
