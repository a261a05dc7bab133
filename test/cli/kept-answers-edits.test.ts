import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holdsAsync } from '../support/property.ts';
import { runCli } from '../support/run-cli.ts';

const PATHS = [
  ...['data/a.yml', 'data/b.yml', 'data/c.json', 'data/d.yaml', 'data/notes.txt', 'data/.hidden.yml', '.env'],
  ...['resources/r.txt', 'resources/echelon/manager.yml', 'resources/echelon/rollouts.yml'],
  ...['schemas/x-1.yml', 'schemas/common-1.json'],
];

const TEXTS: readonly (string | Buffer)[] = [
  '',
  '$schema: /x-1.yml\nname: a\n',
  '\uFEFF$schema: /x-1.yml\nname: a\n',
  '$schema: /x-1.yml\nname: a\nname: b\n',
  '$schema: /x-1.yml\nref: { $ref: /a.yml }\nother: { $ref: /b.yml }\nresource: /r.txt\n',
  '$schema: /openshift/cluster-1.yml\nname: one\nserverUrl: https://api.one.example.com:6443\n',
  '$schema: /openshift/cluster-1.yml\nname: two\nserverUrl: https://api.one.example.com:6443\nday: 2024-01-01\n',
  '$schema: /openshift/namespace-1.yml\nname: ns\ncluster: { $ref: /a.yml }\n',
  '$schema: /app-sre/integration-1.yml\nname: i\nmanaged:\n- namespace: { $ref: /b.yml }\n  spec: { resources: 1 }\n',
  '{"$schema": "/x-1.yml", "name": "a"}',
  'a: [1, 2\n',
  'type: object\nadditionalProperties: false\nproperties: { name: { type: string } }\n',
  'properties: { name: { $ref: "/common-1.json#/definitions/name" }, ref: { $ref: "/common-1.json#/definitions/crossref", $schemaRef: /x-1.yml } }\n',
  '{"definitions": {"name": {"type": "string"}, "crossref": {"type": "object"}}}',
  '{"definitions": {"name": {"maxLength": 0}, "crossref": {"type": "object"}}}',
  'tracks: []\n',
  'export A=b\n',
  Buffer.from([0xff, 0xfe, 0x00]),
];

type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly text: string | Buffer }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'touch'; readonly path: string }
  | { readonly kind: 'copy'; readonly path: string; readonly to: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'spoil'; readonly how: 'cut' | 'flip' | 'swap'; readonly file: number };

const path = fc.constantFrom(...PATHS);
const write = fc.record({ kind: fc.constant('write' as const), path, text: fc.constantFrom(...TEXTS) });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: write },
  fc.record({ kind: fc.constant('remove' as const), path }),
  fc.record({ kind: fc.constant('touch' as const), path }),
  fc.record({ kind: fc.constant('copy' as const), path, to: path }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
  fc.record({ kind: fc.constant('spoil' as const), how: fc.constantFrom('cut', 'flip', 'swap'), file: fc.nat() }),
);

const COMMANDS = [
  ['validate', '-o', 'json'],
  ['validate', '-o', 'json', '--schemas', 'schemas'],
  ['get', 'clusters', '-o', 'json'],
];

/** Edits of files that are not there do nothing. */
function apply(root: string, step: Edit): void {
  if (step.kind === 'spoil') {
    spoil(join(root, 'cache/answers'), step);
    return;
  }
  const place = join(root, step.path);
  try {
    if (step.kind === 'write') writeFileSync(place, step.text);
    else if (step.kind === 'remove') rmSync(place);
    else if (step.kind === 'touch') utimesSync(place, 1, 1);
    else if (step.kind === 'copy') cpSync(place, join(root, step.to));
    else renameSync(place, join(root, step.to));
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: expect.stringMatching(/ENOENT|ERR_FS_CP_EINVAL|EINVAL/) });
  }
}

/** What others, or a full disk, could make of a kept file. */
function spoil(folder: string, { how, file }: Extract<Edit, { kind: 'spoil' }>): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const place = files[file % files.length] ?? '';
  const bytes = readFileSync(place);
  if (how === 'cut') truncateSync(place, bytes.length >> 1);
  else if (how === 'swap') cpSync(files[(file + 1) % files.length] ?? '', place);
  else
    writeFileSync(
      place,
      bytes.fill((bytes[file % bytes.length] ?? 0) ^ 1, file % bytes.length, (file % bytes.length) + 1),
    );
}

it('with or without kept answers the same is found, after any edits and after going back', async () => {
  await holdsAsync(
    fc.asyncProperty(
      fc.array(write, { maxLength: 8 }),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      async (start, edits) => {
        const root = mkdtempSync(join(tmpdir(), 'echelon-edits-'));
        try {
          for (const place of ['data', 'resources/echelon', 'schemas'])
            mkdirSync(join(root, place), { recursive: true });
          const env = { ECHELON_CACHE: join(root, 'cache') };
          const check = async () => {
            for (const command of COMMANDS) {
              const [kept, computed] = [
                await runCli(command, { cwd: root, env: { ...env, ECHELON_DATA: root }, build: 'one' }),
                await runCli([...command, '--no-cache'], { cwd: root, env: { ECHELON_DATA: root }, build: 'one' }),
              ];
              expect(kept).toEqual(computed);
            }
          };
          for (const step of start) apply(root, step);
          await check();
          for (const step of edits) {
            cpSync(root, `${root}-before`, { recursive: true, filter: (from) => !from.includes('/cache') });
            apply(root, step);
            await check();
            // Back and forth once: what was kept before the edit is asked for again.
            for (const place of ['data', 'resources', 'schemas', '.env'])
              rmSync(join(root, place), { recursive: true, force: true });
            cpSync(`${root}-before`, root, { recursive: true });
            rmSync(`${root}-before`, { recursive: true });
            await check();
            apply(root, step);
            await check();
          }
        } finally {
          rmSync(root, { recursive: true });
          rmSync(`${root}-before`, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: Number(process.env['ECHELON_EDITS'] ?? 5) },
  );
});
