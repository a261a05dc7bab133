import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chosenParts } from './chosen-parts.ts';

const KNOWN = { usual: ['start', 'size'], long: ['growth'] };

describe('the parts that ONLY names', () => {
  it.each([
    { only: '', parts: ['start', 'size'] },
    { only: ' , ', parts: ['start', 'size'] },
    { only: 'growth', parts: ['growth'] },
    { only: 'size, growth,', parts: ['size', 'growth'] },
    { only: 'size,size', parts: ['size'] },
  ])('of $only are $parts', ({ only, parts }) => {
    expect(chosenParts(only, KNOWN)).toEqual({ parts });
  });

  it.each([
    { only: 'nope', says: '1 unknown part in ONLY: "nope"' },
    { only: 'size,sise,growth,Start', says: '2 unknown parts in ONLY: "sise", "Start"' },
    { only: 'constructor', says: '1 unknown part in ONLY: "constructor"' },
    { only: 'a\nb', says: '1 unknown part in ONLY: "a\\nb"' },
  ])('are all reported when $only has an unknown one', ({ only, says }) => {
    expect(chosenParts(only, KNOWN)).toEqual({ fault: `${says}; use one or more of: start, size, growth` });
  });

  it('are checked before anything is measured: one line, exit 2', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'bench.ts')], {
      encoding: 'utf8',
      env: { ...process.env, ECHELON_BENCH: 'size,nope' },
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: 1 unknown part in ONLY: "nope"; use one or more of: instance, .*, growth\n$/);
  });
});
