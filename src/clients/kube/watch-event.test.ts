import { describe, expect, it } from 'vitest';
import { watchEvent } from './watch-event.ts';

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
