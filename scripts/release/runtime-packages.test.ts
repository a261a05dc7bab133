import { describe, expect, it } from 'vitest';
import { runtimePackages } from './runtime-packages.ts';

describe('runtime packages', () => {
  it('are those of the lock file that are not only for development, sorted by path', () => {
    const packages = {
      '': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0' },
      'node_modules/tool': { version: '1.0.0', dev: true },
      'node_modules/b/node_modules/@scope/a': { version: '3.0.0' },
      'node_modules/alias': { name: 'a', version: '1.0.0', optional: true },
      'node_modules/shared': { version: '4.0.0', devOptional: true },
    };
    expect(runtimePackages({ packages })).toEqual([
      { path: 'node_modules/alias', ref: 'a@1.0.0', optional: true },
      { path: 'node_modules/b', ref: 'b@2.0.0', optional: false },
      { path: 'node_modules/b/node_modules/@scope/a', ref: '@scope/a@3.0.0', optional: false },
      { path: 'node_modules/shared', ref: 'shared@4.0.0', optional: false },
    ]);
  });
});
