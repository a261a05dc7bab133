import { describe, expect, it } from 'vitest';
import type { KubeTransport } from './transport.ts';
import { keptLists, watchEvent } from './watched-lists.ts';

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

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:00:01Z';
const managed = (...managedFields: object[]) => ({ metadata: { resourceVersion: '7', managedFields } });
const status = (time: string) => ({ manager: 'controller', subresource: 'status', time });
const spec = (time: string) => ({ manager: 'kubectl', time });

describe('a line of a watch', () => {
  it.each([
    { given: 'an object that came', type: 'ADDED', object: managed(status(LATE)), is: 'change' },
    { given: 'an object that went', type: 'DELETED', object: managed(status(LATE)), is: 'change' },
    { given: 'an edit', type: 'MODIFIED', object: managed(status(EARLY), spec(LATE)), is: 'change' },
    { given: 'a status', type: 'MODIFIED', object: managed(spec(EARLY), status(LATE)), is: 'status' },
    { given: 'two writes in a second', type: 'MODIFIED', object: managed(spec(LATE), status(LATE)), is: 'change' },
    { given: 'a change by no one', type: 'MODIFIED', object: { metadata: {} }, is: 'change' },
    { given: 'writes without a time', type: 'MODIFIED', object: managed({ subresource: 'status' }), is: 'change' },
    { given: 'a version that is gone', type: 'ERROR', object: { kind: 'Status', code: 410 }, is: 'fault' },
    { given: 'a bookmark, which nobody asked for', type: 'BOOKMARK', object: managed(), is: 'fault' },
    { given: 'a type of a later server', type: 'RENAMED', object: managed(), is: 'fault' },
  ])('with $given is a $is', ({ type, object, is }) => {
    expect(watchEvent(JSON.stringify({ type, object }))).toBe(is);
  });

  it.each(['', '{"type":"ADDED","obj', '[]', 'null', '{"kind":"DeploymentList","items":[]}', '<html>'])(
    'that is no event is a fault: %s',
    (line) => {
      expect(watchEvent(line)).toBe('fault');
    },
  );
});
