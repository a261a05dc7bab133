import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../test/support/run-cli.ts';
import { REPO } from '../test/support/shared.ts';
import { fieldFiles } from './field-reference.ts';

it.each([...fieldFiles()])('%s is what npm run fields writes', (path, text) => {
  expect(readFileSync(join(REPO, path), 'utf8')).toBe(text);
});

it('there is no schema of a kind that does not exist', () => {
  const written = readdirSync(join(REPO, 'schemas')).map((name) => `schemas/${name}`);
  expect(written.sort()).toEqual([...fieldFiles().keys()].filter((path) => path.startsWith('schemas/')).sort());
});

it('echelon schema prints the file of the package', async () => {
  const { stdout } = await runCli(['schema', 'integration']);
  expect(stdout).toBe(readFileSync(join(REPO, 'schemas/integration.json'), 'utf8'));
});
