import type { Datafile } from '../snapshot.ts';

/** A datafile with the schema from its content. */
export function datafile(path: string, content: Readonly<Record<string, unknown>>): Datafile {
  const schema = content['$schema'];
  return typeof schema === 'string' ? { path, schema, content } : { path, content };
}
