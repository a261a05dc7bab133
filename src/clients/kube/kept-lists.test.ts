import { expect, it } from 'vitest';
import { keptLists } from './kept-lists.ts';
import type { KubeTransport } from './transport.ts';

const MIB = 1024 * 1024;

/** Deployments with so long a note each, whose watch never ends. */
function cluster(notes: readonly string[]): KubeTransport {
  const items = notes.map((note, at) => ({ metadata: { name: `d${at}`, namespace: 'ns', annotations: { note } } }));
  return {
    name: 'c',
    request: async () => ({ status: 200, body: { metadata: { resourceVersion: '1' }, items: structuredClone(items) } }),
    watch: async () => ({ status: 200, parts: forever() }),
    close: () => {},
  };
}

async function* forever(): AsyncGenerator<Uint8Array> {
  await new Promise(() => {});
}

it.each([
  { given: 'one object below the limit', notes: [63], kept: true },
  { given: 'one object above it', notes: [64], kept: false },
  { given: 'different objects that are above it together', notes: [31, 32, 33], kept: false },
  { given: 'objects that are below it because they share what is long', notes: [31, 31, 31], kept: true },
])('a list with $given is kept: $kept', async ({ notes, kept }) => {
  const reports: string[] = [];
  const texts = notes.map((size) => String(size).repeat((size * MIB) / 2));
  const lists = keptLists(cluster(texts), { onList: ({ what }) => reports.push(what) });
  const where = { namespace: 'ns' };
  for (const pass of [1, 2, 3])
    expect(await lists.list('Deployment', where, { pass, renew: false })).toHaveLength(notes.length);
  lists.close();
  expect(reports).toEqual(kept ? ['listed', 'reused', 'reused'] : ['listed', 'listed', 'listed']);
});
