import { describe, expect, it } from 'vitest';
import { parseStateLocation } from './state-store.ts';

describe('a state location', () => {
  it.each([
    { text: 'state', place: { kind: 'folder', folder: '/here/state' } },
    { text: 'file:state', place: { kind: 'folder', folder: '/here/state' } },
    { text: 'file:///var/state', place: { kind: 'folder', folder: '/var/state' } },
    { text: 's3://b', place: { kind: 's3', bucket: 'b', prefix: 'state' } },
    { text: 's3:b/p', place: { kind: 's3', bucket: 'b', prefix: 'p' } },
    {
      text: 's3://b/p/q/?region=r&endpoint=http://127.0.0.1:1&pathStyle=true',
      place: { kind: 's3', bucket: 'b', prefix: 'p/q', region: 'r', endpoint: 'http://127.0.0.1:1', pathStyle: true },
    },
    { text: 'configmap:rollouts', place: { kind: 'configmap', name: 'rollouts' } },
    { text: 'configmap:echelon/rollouts', place: { kind: 'configmap', namespace: 'echelon', name: 'rollouts' } },
  ])('$text', ({ text, place }) => {
    expect(parseStateLocation(text, '/here')).toEqual(place);
  });

  it.each(['s3://', 's3:', 'file:', 'configmap:', 'configmap:/a', 'configmap:a/', 'configmap:a/b/c', 'configmap:A_b'])(
    'is refused: %s',
    (text) => {
      expect(() => parseStateLocation(text, '/here')).toThrow(`${text} is not a valid state location`);
    },
  );
});
