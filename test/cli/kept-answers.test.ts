import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileCache } from '../../src/clients/file-cache/index.ts';
import { runCli } from '../support/run-cli.ts';
import { REPO } from '../support/shared.ts';

const ECHELON = join(REPO, 'bin/echelon');

const NAMESPACE = '$schema: /openshift/namespace-1.yml\nname: ns\ncluster: { $ref: /cluster.yml }\n';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-answers-'));
  put('instance/data/ns.yml', NAMESPACE);
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** What a user of an installed package sees. */
const run = (args: readonly string[] = ['validate'], build = 'one') =>
  runCli([...args, '--data', join(folder, 'instance')], { build, env: { ECHELON_CACHE: join(folder, 'cache') } });

/** But for what was listed, which a machine that takes its time keeps too. */
const keptFiles = (): string[] =>
  readdirSync(join(folder, 'cache/answers'))
    .filter((name) => !name.startsWith('tree-'))
    .map((name) => join(folder, 'cache/answers', name));

/** Changes every kept answer into one that is recognized. */
function mark(): void {
  const store = fileCache(join(folder, 'cache/answers'));
  for (const file of keptFiles().filter((name) => name.endsWith('.json'))) {
    const { key, text } = store.get(basename(file, '.json')) as { key: string; text: string };
    const changed = text.replaceAll('/cluster.yml', '/MARK.yml');
    const digest = createHash('sha256').update(changed).digest('hex');
    store.set(key, { key, digest, text: changed });
  }
}

describe('an answer is kept', () => {
  it('and given again about the same bytes, whatever the times of the files', async () => {
    await run();
    mark();
    utimesSync(join(folder, 'instance/data/ns.yml'), 1, 1);
    expect((await run()).stdout).toContain('MARK');
  });

  it.each([
    { given: 'another byte', change: () => put('instance/data/ns.yml', `${NAMESPACE} `) },
    { given: 'another file', change: () => put('instance/data/other.json', '{}') },
    {
      given: 'another resource',
      change: () => put('instance/resources/r', ''),
    },
    { given: 'an empty folder for resources', change: () => mkdirSync(join(folder, 'instance/resources')) },
    { given: 'a .env', change: () => put('instance/.env', '') },
    { given: 'the same bytes in two files', change: () => put('instance/data/copy.yml', NAMESPACE) },
    {
      given: 'the file under another name',
      change: () => renameSync(join(folder, 'instance/data/ns.yml'), join(folder, 'instance/data/ns2.yml')),
    },
  ])('but not with $given', async ({ change }) => {
    await run();
    mark();
    change();
    expect((await run()).stdout).not.toContain('MARK');
  });

  it.each([
    { given: 'another flag', args: ['validate', '--chart', '.'] },
    { given: 'no cache', args: ['validate', '--no-cache'] },
    { given: 'a capabilities file', args: ['validate', '--capabilities', '/dev/null'] },
  ])('but not with $given', async ({ args }) => {
    await run();
    mark();
    expect((await run(args)).stdout).not.toContain('MARK');
  });

  it('but not with other code', async () => {
    await run();
    mark();
    expect((await run(['validate'], 'two')).stdout).not.toContain('MARK');
  });

  it.each([
    { option: '--schemas', place: 'schemas/a-1.yml', texts: ['type: object\n', 'type: array\n'] },
    { option: '--capabilities', place: 'schemas/capabilities.yml', texts: ['a: []\n', 'b: []\n'] },
    { option: '--rollouts', place: 'schemas/rollouts.yml', texts: ['tracks: []\n', 'tracks: 1\n'] },
  ])(
    'but not with other content of what $option names',
    async ({ option, place, texts: [before = '', after = ''] }) => {
      const args = ['validate', option, join(folder, option === '--schemas' ? 'schemas' : place)];
      put(place, before);
      await run(args);
      mark();
      expect((await run(args)).stdout).toContain('MARK');
      put(place, after);
      expect((await run(args)).stdout).not.toContain('MARK');
    },
  );

  it('but not an error', async () => {
    const missing = ['get', 'integrations', 'missing'];
    expect(await run(missing)).toEqual(await run(missing));
    expect(await run(missing)).toMatchObject({ code: 1, stderr: expect.stringContaining('INTEGRATION_UNKNOWN') });
  });

  it('and never by a checkout, whose code may have changed', async () => {
    const env = { ECHELON_CACHE: join(folder, 'cache') };
    await runCli(['validate', '--data', join(folder, 'instance')], { env });
    expect(() => keptFiles()).toThrow('ENOENT');
  });
});

it('a folder whose path is too long is reported as without a cache', async () => {
  const deep = Array<string>(12).fill('d'.repeat(200)).join('/');
  const [upper, lower] = [join(folder, 'instance/data', deep), join(folder, 'lower')];
  mkdirSync(upper, { recursive: true });
  mkdirSync(join(lower, deep), { recursive: true });
  renameSync(lower, join(upper, 'lower'));
  const [kept, computed] = [await run(), await run(['validate', '--no-cache'])];
  renameSync(join(upper, 'lower'), lower);
  expect(kept).toEqual(computed);
  expect(kept.stdout).toContain('cannot read the folder: ENAMETOOLONG');
});

it('what a pipe gives is left to the command', () => {
  const line = 'echo "my-integration: [SHARDS]" | "$0" validate --data "$1" --capabilities /dev/stdin';
  const { stderr, stdout } = spawnSync('sh', ['-c', line, ECHELON, join(folder, 'instance')], { encoding: 'utf8' });
  expect({ stderr, stdout }).toEqual({ stderr: '', stdout: expect.stringContaining('2 errors') });
});

describe('what was parsed is kept', () => {
  /** Changes kept values into some that are recognized. */
  const markParsed = (): void => {
    for (const file of keptFiles().filter((name) => name.endsWith('.bin'))) {
      const bytes = readFileSync(file);
      const body = Buffer.from(
        bytes.subarray(32).toString('latin1').replaceAll('/cluster.yml', '/markers.yml'),
        'latin1',
      );
      writeFileSync(file, Buffer.concat([createHash('sha256').update(body).digest(), body]));
    }
  };

  it('and used again of files that did not change, when another one did', async () => {
    await run();
    markParsed();
    put('instance/data/other.yml', 'a: 1\n');
    expect((await run()).stdout).toContain('/markers.yml');
    put('instance/data/ns.yml', `${NAMESPACE}description: d\n`);
    expect((await run()).stdout).not.toContain('/markers.yml');
  });

  it.each([
    { given: 'other code', args: ['validate'], build: 'two' },
    { given: 'no cache', args: ['validate', '--no-cache'], build: 'one' },
  ])('but not used with $given', async ({ args, build }) => {
    await run();
    markParsed();
    put('instance/data/other.yml', 'a: 1\n');
    expect((await run(args, build)).stdout).not.toContain('/markers.yml');
  });

  it('beside the rest when it is little, and with it when it is much', async () => {
    const contents = () =>
      Object.fromEntries(
        keptFiles().flatMap((file) => (file.endsWith('.bin') ? [[file, readFileSync(file, 'latin1')]] : [])),
      );
    await run();
    const [first = {}] = [contents()];
    put('instance/data/other.yml', 'name: other\n');
    await run();
    const second = contents();
    expect(second).toMatchObject(first);
    expect(Object.keys(second).length).toBe(Object.keys(first).length + 1);
    for (let file = 0; file < 30; file += 1) put(`instance/data/f${file}.yml`, `name: ${file}\n`);
    await run();
    expect(Object.keys(contents())).toEqual(Object.keys(second));
    expect(contents()).not.toMatchObject(first);
  });

  it('exactly as it was parsed', async () => {
    const odd =
      'a: .nan\nb: -0.0\nc: 2024-01-01\n__proto__: { x: 1 }\nd: &d [.inf, 0o17, 017, ~]\ne: *d\n1: one\n"0": zero\n';
    put('instance/data/odd.yml', `$schema: /x-1.yml\n${odd}`);
    await run();
    put('instance/data/other.yml', 'a: 1\n');
    const args = ['validate', '-o', 'json', '--schemas', join(folder, 'schemas')];
    put('schemas/x-1.yml', 'type: object\nadditionalProperties: { type: integer }\n');
    expect(await run(args)).toEqual(await run([...args, '--no-cache']));
  });
});

describe('what schemas say about a file is kept', () => {
  const WRONG = '$schema: /thing-1.yml\nname: 5\n';
  const COMMON = '{"definitions": {"name": {"type": "string"}}}';
  const THING = 'properties:\n  name: { $ref: "/common-1.json#/definitions/name" }\n';
  const args = () => ['validate', '--schemas', join(folder, 'schemas')];

  beforeEach(() => {
    put('schemas/common-1.json', COMMON);
    put('schemas/thing-1.yml', THING);
    put('instance/data/wrong.yml', WRONG);
  });

  /** Changes every kept verdict to the better, which is recognized by what is no longer reported. */
  const markVerdicts = (): void => {
    for (const file of keptFiles().filter((name) => name.endsWith('.bin'))) {
      const { key, values } = deserialize(readFileSync(file).subarray(32)) as {
        key: string;
        values: Map<string, object>;
      };
      for (const [name, value] of values) if ('fits' in value) values.set(name, { ...value, fits: true });
      const body = serialize({ key, values });
      writeFileSync(file, Buffer.concat([createHash('sha256').update(body).digest(), body]));
    }
  };
  const MESSAGE = 'name must be text';

  it('and used again when another file changed', async () => {
    expect((await run(args())).stdout).toContain(MESSAGE);
    markVerdicts();
    put('instance/data/other.yml', 'a: 1\n');
    expect((await run(args())).stdout).not.toContain(MESSAGE);
  });

  it.each([
    { given: 'another byte of the file', change: () => put('instance/data/wrong.yml', `${WRONG} `) },
    { given: 'another schema', change: () => put('schemas/thing-1.yml', `${THING}# changed\n`) },
    { given: 'another schema that its own refers to', change: () => put('schemas/common-1.json', `${COMMON} `) },
    { given: 'one more schema', change: () => put('schemas/more-1.yml', 'type: object\n') },
    {
      given: 'the schemas renamed',
      change: () => {
        renameSync(join(folder, 'schemas/thing-1.yml'), join(folder, 'schemas/other-1.yml'));
        put('schemas/thing-1.yml', THING);
      },
    },
    { given: 'no cache', change: () => {}, more: ['--no-cache'] },
    { given: 'other code', change: () => {}, build: 'two' },
  ])('but not used with $given', async ({ change, more = [], build }) => {
    await run(args());
    markVerdicts();
    put('instance/data/other.yml', 'a: 1\n');
    change();
    expect((await run([...args(), ...more], build)).stdout).toContain(MESSAGE);
  });

  it('by its bytes: under two names it is reported twice, and a target is looked at again', async () => {
    const reference = '{ "$ref": "/common-1.json#/definitions/crossref", "$schemaRef": "/thing-1.yml" }';
    put('schemas/common-1.json', '{"definitions": {"name": {"type": "string"}, "crossref": {"type": "object"}}}');
    put('schemas/user-1.yml', `properties:\n  uses: ${reference}\n`);
    put('instance/data/user.yml', '$schema: /user-1.yml\nuses: { $ref: /target.yml }\n');
    put('instance/data/target.yml', '$schema: /thing-1.yml\nname: a\n');
    const same = async () => {
      const found = await run([...args(), '-o', 'json']);
      expect(found).toEqual(await run([...args(), '-o', 'json', '--no-cache']));
      return found.stdout;
    };
    expect(await same()).not.toContain('ref-wrong-type');
    put('instance/data/copy.yml', WRONG);
    expect(await same()).toMatch(/data\/copy.yml(?:.|\n)*data\/wrong.yml/);
    put('instance/data/target.yml', '$schema: /user-1.yml\n');
    expect(await same()).toContain('ref-wrong-type');
    rmSync(join(folder, 'instance/data/target.yml'));
    expect(await same()).toContain('ref-dangling');
  });

  it.each([
    { given: 'cut off', arrange: (file: string) => truncateSync(file, 50) },
    { given: 'empty', arrange: (file: string) => writeFileSync(file, '') },
    { given: 'of another kind', arrange: (file: string) => copyFileSync(keptFiles().at(-1) ?? '', file) },
    {
      given: 'changed in one byte',
      arrange: (file: string) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      },
    },
  ])('but not believed when it is $given', async ({ arrange }) => {
    await run(args());
    for (const file of keptFiles().filter((name) => name.endsWith('.bin'))) arrange(file);
    put('instance/data/other.yml', 'a: 1\n');
    expect(await run(args())).toEqual(await run([...args(), '--no-cache']));
  });

  it('but not believed in a folder that others can write to', async () => {
    await run(args());
    markVerdicts();
    chmodSync(join(folder, 'cache/answers'), 0o777);
    put('instance/data/other.yml', 'a: 1\n');
    expect((await run(args())).stdout).toContain(MESSAGE);
  });
});

describe('what is found in place of an answer is not believed:', () => {
  it.each([
    { given: 'half of it', arrange: (file: string) => truncateSync(file, 100) },
    { given: 'an empty file', arrange: (file: string) => writeFileSync(file, '') },
    { given: 'another document', arrange: (file: string) => writeFileSync(file, 'null') },
    { given: 'an empty document', arrange: (file: string) => writeFileSync(file, '{}') },
    { given: 'a text that is none', arrange: (file: string) => writeFileSync(file, '{"key":"x') },
    {
      given: 'one character of it changed',
      arrange: (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('/cluster.yml', '/MARK.yml')),
    },
    { given: 'a file that is no longer there', arrange: (file: string) => rmSync(file) },
  ])('$given', async ({ arrange }) => {
    const before = await run();
    for (const file of keptFiles()) arrange(file);
    expect(await run()).toEqual(before);
    expect(await run()).toEqual(before);
  });

  it('the answer to another question', async () => {
    const validated = await run();
    const [file = ''] = keptFiles().filter((name) => name.endsWith('.json'));
    await run(['get', 'clusters']);
    const [other = ''] = keptFiles().filter((name) => name !== file && name.endsWith('.json'));
    copyFileSync(other, file);
    expect(await run()).toEqual(validated);
  });

  it('anything in a folder that others can write to', async () => {
    await run();
    mark();
    chmodSync(join(folder, 'cache/answers'), 0o777);
    expect((await run()).stdout).not.toContain('MARK');
  });

  it.each([
    { given: 'a file in place of the cache', arrange: () => put('cache', '') },
    {
      given: 'a file in place of the answers',
      arrange: () => put('cache/answers', ''),
    },
  ])('$given', async ({ arrange }) => {
    arrange();
    expect(await run()).toEqual(await run(['validate', '--no-cache']));
  });
});

it.each([
  { given: 'a folder named like a file', arrange: () => put('instance/data/x.yml/y.yml', NAMESPACE) },
  { given: 'a link to nothing', arrange: () => symlinkSync('nothing', join(folder, 'instance/data/x.yml')) },
  { given: 'a link to outside', arrange: () => symlinkSync('/etc/hostname', join(folder, 'instance/data/x.yml')) },
  { given: 'a file over the size limit', arrange: () => put('instance/data/x.yml', 'a'.repeat(1024 * 1024 + 1)) },
])('kept or not, the same is found with $given', async ({ arrange }) => {
  arrange();
  const computed = await run(['validate', '-o', 'json', '--no-cache']);
  expect(await run(['validate', '-o', 'json'])).toEqual(computed);
  expect(await run(['validate', '-o', 'json'])).toEqual(computed);
});
