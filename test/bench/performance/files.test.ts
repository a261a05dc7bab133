import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPO } from '../part.ts';
import { chartFiles, performanceFiles, RESULTS_FILE, readResults } from './files.ts';

describe('docs/reference/performance.md', () => {
  const results = readResults(RESULTS_FILE);
  const files = results === undefined ? new Map<string, string>() : performanceFiles(results);

  it.each([...files])('%s is what npm run performance writes', (path, text) => {
    expect(readFileSync(join(REPO, path), 'utf8')).toBe(text);
  });

  it('has all charts that there are', () => {
    expect([...files.keys()].filter((path) => path.endsWith('.svg')).sort()).toEqual(chartFiles().sort());
  });
});
