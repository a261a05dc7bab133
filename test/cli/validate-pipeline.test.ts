import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';
import { hasShared, SCHEMAS } from '../support/shared.ts';
import { FILE } from './defects/defect.ts';

let copy: InstanceCopy;
beforeEach(() => {
  copy = copyInstance();
});
afterEach(() => copy.dispose());

async function problems(): Promise<unknown> {
  const schemas = hasShared ? ['--schemas', SCHEMAS] : [];
  const { code, stdout } = await runCli(['validate', '--data', copy.root, '-o', 'json', ...schemas]);
  return { code, problems: JSON.parse(stdout).problems };
}

it('validate warns about resources that a server cannot serve, though their schema accepts them', async () => {
  const at = copy.replace(
    FILE.reporter,
    copy.text(FILE.reporter).match(/ {6}requests:\n(?: {8}.*\n)+/)?.[0] ?? 'no requests',
    '',
  );
  const found = expect.objectContaining({
    file: FILE.reporter,
    line: at.line - 1,
    column: 5,
    rule: 'resources-not-served',
    severity: 'warning',
    hint: 'add requests',
  });
  expect(await problems()).toEqual({ code: 0, problems: [found] });
});

it('validate warns about a date that stops the bundler, though its schema accepts it', async () => {
  const at = copy.replace(FILE.reporter, 'description: ', 'description: 2024-01-31 # ', '2024');
  const found = expect.objectContaining({
    ...at,
    rule: 'unquoted-date',
    severity: 'warning',
    hint: "quote it: '2024-01-31'",
  });
  expect(await problems()).toEqual({ code: 0, problems: [found] });
});
