import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellWords } from '../../src/base/index.ts';
import { loadYamlDocuments } from '../../src/instance/index.ts';
import { type ChartObject, ofKind, podOf } from '../support/install-chart.ts';
import { testHelm } from '../support/render-chart.ts';
import { REPO } from '../support/shared.ts';

const GUIDE = readFileSync(join(REPO, 'docs/guide/installing.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...GUIDE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, text = '']) => (kind === language ? [text] : []));
/** Commands of the guide that make objects, one line each. */
const COMMANDS = blocks('sh')
  .flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'))
  .filter((line) => /^helm (?:install|upgrade) /.test(line));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-guide-'));
  symlinkSync(join(REPO, 'charts'), join(folder, 'charts'));
  writeFileSync(join(folder, 'config.toml'), '[graphql]\nserver = "https://qontract.example.com/graphql"\n');
  writeFileSync(join(folder, 'values.yaml'), blocks('yaml')[0] ?? '');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a command of the guide installs; one that reuses values has those of the first. */
async function rendered(command: string): Promise<ChartObject[]> {
  const [, , ...words] = shellWords(command.replace(' --reuse-values', firstValues()), 'the guide');
  const args = ['template', ...words.filter((word) => word !== '--install')];
  const { stdout } = await promisify(execFile)(await testHelm(), args, { cwd: folder, env: { HOME: folder } });
  return loadYamlDocuments(stdout) as ChartObject[];
}

const firstValues = (): string => (COMMANDS[0] ?? '').slice((COMMANDS[0] ?? '').indexOf(' --set'));

describe('the installation guide', () => {
  it('begins with helm install', () => {
    expect(blocks('sh')[0]).toMatch(/^helm install echelon charts\/echelon /);
    expect(COMMANDS).toHaveLength(3);
  });

  it.each(COMMANDS)('has a command that helm renders: %s', async (command) => {
    const objects = await rendered(command);
    const { containers } = podOf(objects, 'echelon-manager');
    expect(containers[0].image).toMatch(/^my\/echelon:\d/);
    const dryRun = containers[0].env.find(({ name }) => name === 'MANAGER_DRY_RUN')?.value;
    expect(dryRun).toBe(command.startsWith('helm install ') ? '--dry-run' : '--no-dry-run');
    expect(ofKind(objects, 'Deployment')).toHaveLength(command.includes('values.yaml') ? 4 : 1);
  });

  it('names only values that exist', () => {
    const values = load(readFileSync(join(REPO, 'charts/echelon/values.yaml'), 'utf8')) as Record<string, unknown>;
    const named = [...GUIDE.matchAll(/`([a-z][A-Za-z]+(?:\.[A-Za-z]+)+)`/g)].map(([, path = '']) => path);
    const isFile = (path: string): boolean => /\.(?:toml|yml|yaml)$/.test(path);
    const exists = (path: string): boolean =>
      path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values) !==
      undefined;
    const paths = named.filter((path) => !isFile(path) && Object.hasOwn(values, path.split('.')[0] ?? ''));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });
});
