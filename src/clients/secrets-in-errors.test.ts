import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../test/support/git-sandbox.ts';
import { json, type LocalHttp, plain, type Reply, startLocalHttp } from '../../test/support/local-http.ts';
import { holdsAsync } from '../../test/support/property.ts';
import { EchelonError, Secrets } from '../base/index.ts';
import { externalDiff } from './external-diff.ts';
import { openForge } from './forge/index.ts';
import { openRepository } from './git/index.ts';
import { helmChart } from './helm/index.ts';
import { currentKubeconfig, kubeTransport, tokenConnection } from './kube/index.ts';
import { type OAuthCredentials, tokenSource } from './oauth.ts';
import { createOcmClient } from './ocm/index.ts';
import { runCommand, streamCommand } from './process/index.ts';
import { prometheusQuery } from './prometheus.ts';
import { qontractClient } from './qontract-server.ts';
import { imageDigest } from './registry.ts';
import { openSecrets, secretField } from './secrets/index.ts';
import { openStore } from './state/index.ts';

/** At most so many characters in a row of a secret may be left where a text was cut through it. */
const LONGEST_LEFT = 7;

/** What the other side says, and the secret as it stands in it. */
interface Said {
  readonly secret: string;
  readonly form: string;
  readonly text: string;
}

/** Says `said.text` to a client that sent `said.secret`, and returns all that a user could see of it. */
type ErrorPath = (said: Said, world: World) => Promise<string>;

interface World {
  /** What the local server answers. */
  reply: Reply;
  readonly url: string;
  readonly folder: string;
  readonly box: GitSandbox;
}

const CLOCK = { now: () => new Date(0), sleep: async (): Promise<void> => {} };
const signal = new AbortController().signal;

type Way = (form: string, at: number) => string;

/** What happens to the form on its way: nothing, or it is cut at any place, with a mark. */
const MARKED: readonly Way[] = [
  (form) => form,
  (form) => `${form} xx xx`,
  (form, at) => `${form.slice(0, at)}... (truncated)`,
  (form, at) => `...${form.slice(at)}`,
  (form, at) => `${form.slice(0, at)}…${form.slice(at)} xx`,
];

/** Or the text ends there, or the line does. */
const WAYS: readonly Way[] = [
  ...MARKED,
  (form, at) => form.slice(0, at),
  (form, at) => `${form.slice(0, at)}\n  ${form.slice(at)} xx`,
  (form, at) => `${form.slice(0, at)}\r\n${form.slice(at)}`,
];

/** The length that the first text of each path is cut to, about which the properties cut through secrets. */
const PATHS: readonly {
  readonly path: string;
  readonly longest: number;
  readonly runs?: number;
  /** All where absent. */
  readonly ways?: readonly Way[];
  readonly of: ErrorPath;
}[] = [
  {
    path: 'oauth: client secret',
    longest: 300,
    of: ({ secret, text }, world) => {
      world.reply = json(401, { error: 'invalid_client', error_description: text });
      return failure(tokensOf(world, { kind: 'client-credentials', clientId: 'robot', clientSecret: secret }).token());
    },
  },
  {
    path: 'oauth: refresh token, in both fields',
    longest: 300,
    of: ({ secret, text }, world) => {
      world.reply = json(400, { error: text, error_description: text });
      return failure(tokensOf(world, { kind: 'refresh-token', token: secret }).token());
    },
  },
  {
    path: 'ocm: access token, in every field',
    longest: 500,
    of: ({ secret, text }, world) => {
      world.reply = json(403, {
        code: text,
        reason: text,
        operation_id: text,
        details: [{ kind: 'VersionGate', id: text }],
      });
      const credentials = { kind: 'access-token', token: secret } as const;
      return failure(
        createOcmClient({ env: {}, url: world.url, credentials, clock: CLOCK, random: () => 0 }).currentAccount(),
      );
    },
  },
  {
    path: 'kube: token, in a Status',
    longest: 600,
    of: ({ secret, text }, world) => {
      const causes = [{ reason: 'FieldManagerConflict', field: text, message: text }];
      world.reply = json(409, { kind: 'Status', message: text, details: { causes } });
      return askKube(world, `Bearer ${secret}`);
    },
  },
  {
    path: 'kube: token, in the page of a proxy',
    longest: 200,
    of: ({ secret, text }, world) => {
      world.reply = plain(403, text);
      return askKube(world, `Bearer ${secret}`);
    },
  },
  {
    path: 'kube: password',
    longest: 600,
    of: ({ secret, text }, world) => {
      world.reply = json(403, { kind: 'Status', message: text });
      return askKube(world, `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`);
    },
  },
  {
    path: 'kube: refused watch',
    longest: 200,
    of: async ({ secret, text }, world) => {
      world.reply = plain(403, text);
      const transport = kubeTransport(connectionOf(world, `Bearer ${secret}`));
      const answer = await transport.watch({ path: '/api/v1/pods', signal });
      transport.close();
      return 'refusal' in answer ? shownOf(answer.refusal) : 'it watches';
    },
  },
  ...(['github', 'gitlab'] as const).map((kind) => ({
    path: `forge: ${kind}`,
    longest: 500,
    of: async ({ secret, text }: Said, world: World) => {
      world.reply = json(403, { message: text, errors: [{ message: text }, text] });
      const env = { GITHUB_TOKEN: secret, GITLAB_TOKEN: secret };
      const options = {
        env,
        readOnly: true,
        namedBy: 'operator',
        kind,
        api: world.url,
        clock: CLOCK,
        random: () => 0,
      } as const;
      return failure((await openForge(`https://${kind}.example.com/group/project`, options)).newestCommit('main'));
    },
  })),
  {
    path: 'prometheus: token',
    longest: 300,
    of: ({ secret, text }, world) => {
      world.reply = json(400, { status: 'error', error: text });
      return failure(queryOf(world, { kind: 'access-token', token: secret }));
    },
  },
  {
    path: 'prometheus: client secret, refused by the token endpoint',
    longest: 300,
    of: ({ secret, text }, world) => {
      world.reply = json(401, { error: 'x', error_description: text });
      return failure(queryOf(world, { kind: 'client-credentials', clientId: 'robot', clientSecret: secret }));
    },
  },
  {
    path: 'vault: token',
    longest: 300,
    of: ({ secret, text }, world) => {
      world.reply = json(400, { errors: [text], warnings: text });
      return failure(readVault(world, { VAULT_TOKEN: secret }));
    },
  },
  {
    path: 'vault: secret of a role',
    longest: 300,
    of: ({ secret, text }, world) => {
      world.reply = plain(400, text);
      return failure(readVault(world, {}, { role_id: 'robot', secret_id: secret }));
    },
  },
  {
    path: 'registry: token',
    longest: 300,
    of: ({ secret, text }, world) => {
      const challenge = { 'www-authenticate': `Bearer realm="${world.url}/token"` };
      world.reply = (response, request) =>
        (request.path === '/token' ? json(200, { token: secret }) : plain(401, text, challenge))(response, request);
      return failure(imageDigest({ env: {}, image: `${world.url}/a/b`, tag: 'x', signal }));
    },
  },
  {
    path: 's3: session token, as the code of an error',
    longest: 100,
    of: ({ secret, text }, world) => {
      world.reply = plain(
        403,
        `<?xml version="1.0"?><Error><Code>${inXml(text)}</Code><Message>${inXml(text)}</Message></Error>`,
      );
      const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'unsent', sessionToken: secret };
      const place = {
        kind: 's3',
        bucket: 'fleet',
        prefix: '',
        endpoint: world.url,
        pathStyle: true,
        credentials,
      } as const;
      return failure(openStore({ env: {} }, place).read('a/b'));
    },
  },
  {
    path: 'qontract-server: refused query',
    longest: 600,
    of: ({ secret, text }, world) => {
      world.reply = json(400, { errors: [{ message: text }] });
      return failure(
        qontractClient({ env: {}, url: world.url, token: `Bearer ${secret}`, clock: CLOCK }).query('a', '{x}'),
      );
    },
  },
  {
    path: 'qontract-server: errors of an answer',
    longest: 600,
    of: async ({ secret, text }, world) => {
      world.reply = json(200, { data: null, errors: [{ message: text }] });
      const token = `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`;
      return JSON.stringify(await qontractClient({ env: {}, url: world.url, token, clock: CLOCK }).query('a', '{x}'));
    },
  },
  {
    path: 'git: variable of the environment',
    longest: 1500,
    runs: 12,
    of: async ({ secret, text }, { box }) => {
      vi.stubEnv('ROBOT_TOKEN', secret);
      box.write('said', 'text', text);
      return failure((await openRepository(box.path('clone'))).push('origin', 'promote'));
    },
  },
  {
    path: 'helm: a value that only the output filter knows',
    longest: 500,
    runs: 12,
    ways: MARKED,
    of: async ({ secret, text }, { folder }) => {
      writeFileSync(join(folder, 'said'), text);
      const helm = script(folder, 'helm', `cat '${join(folder, 'said')}' >&2; exit 1`);
      mkdirSync(join(folder, 'chart'), { recursive: true });
      writeFileSync(join(folder, 'chart', 'Chart.yaml'), 'name: x\n');
      return filtered(secret, await failure(helmChart({ helm, chart: join(folder, 'chart') }).render({})));
    },
  },
  ...[
    { what: 'variable', exec: (secret: string) => ({ env: [{ name: 'OIDC_CLIENT_SECRET', value: secret }] }) },
    { what: 'argument', exec: (secret: string) => ({ args: ['login', '--verbose', '--oidc-client-secret', secret] }) },
  ].map(({ what, exec }) => ({
    path: `login plugin: ${what}`,
    longest: 300,
    runs: 12,
    of: ({ secret, text }: Said, { folder }: World) => login(folder, text, exec(secret)),
  })),
  {
    path: 'login plugin: the token that it printed before',
    longest: 300,
    runs: 12,
    of: ({ secret, text }, { folder }) =>
      login(folder, text, {}, JSON.stringify({ kind: 'ExecCredential', status: { token: secret } })),
  },
  {
    path: 'runner: a line without an end',
    longest: 65_536,
    runs: 40,
    ways: MARKED,
    of: async ({ secret, text }, { folder }) => {
      const { tail } = await run(folder, text, secret);
      return `${tail}${readFileSync(join(folder, 'log'), 'utf8')}`;
    },
  },
  {
    path: 'runner: a log and the end of it, for an output filter that knows more',
    longest: 1_000,
    runs: 12,
    ways: MARKED,
    of: async ({ secret, text }, { folder }) => {
      const { tail } = await run(folder, text, 'another secret', 1_000);
      return `${filtered(secret, tail)}${filtered(secret, readFileSync(join(folder, 'log'), 'utf8'))}`;
    },
  },
  {
    path: 'runner: lines for a logger',
    longest: 57_344,
    runs: 12,
    ways: MARKED,
    of: async ({ secret, text }, { folder }) => {
      const lines: string[] = [];
      await streamCommand(printing(folder, text), { onLine: (line) => void lines.push(filtered(secret, line)) });
      return lines.join('\n');
    },
  },
];

let server: LocalHttp;
let world: World;
let notAnswered: Reply;

beforeAll(async () => {
  notAnswered = plain(500, 'the test says nothing');
  server = await startLocalHttp((response, request) => world.reply(response, request));
  const box = gitSandbox();
  box.init('seed');
  box.git('.', 'clone', '--quiet', '--bare', 'seed', 'origin.git');
  box.git('.', 'clone', '--quiet', 'origin.git', 'clone');
  box.git('clone', 'branch', 'promote');
  box.write('origin.git', 'hooks/pre-receive', `#!/bin/sh\ncat '${box.path('said', 'text')}' >&2\nexit 1\n`, 0o755);
  const folder = mkdtempSync(join(tmpdir(), 'echelon-said-'));
  world = { reply: notAnswered, url: server.url, folder, box };
});
afterEach(() => {
  world.reply = notAnswered;
});
afterAll(async () => {
  rmSync(world.folder, { recursive: true, force: true });
  world.box.dispose();
  await server.close();
});

describe.each(PATHS)('$path', ({ longest, runs = 60, ways = WAYS, of }) => {
  it('leaves fewer than 8 characters in a row of a secret, wherever the text is cut', async () => {
    await holdsAsync(
      fc.asyncProperty(saidArbitrary(longest, ways), async (said) => {
        const shown = await of(said, world);
        expect(longestRun(shown, said.secret)).toBeLessThanOrEqual(LONGEST_LEFT);
        expect(longestRun(shown, said.form)).toBeLessThanOrEqual(LONGEST_LEFT);
      }),
      { numRuns: runs },
    );
  });
});

it('the output of a diff program is filtered in whole lines, though it comes in parts', async () => {
  const secret = 'Aq7-secret-of-two-parts';
  const shown: string[] = [];
  const put = (text: string): void => void shown.push(filtered(secret, text));
  // The second part begins where a pipe is full.
  const line = `${'x'.repeat(65_536 - 12)}${secret} b\n`;
  writeFileSync(join(world.folder, 'said'), line.repeat(2));
  await externalDiff(script(world.folder, 'compare', `cat '${join(world.folder, 'said')}'`), [], {
    stdout: put,
    stderr: put,
  });
  expect(shown.join('')).toBe(line.replace(secret, '***').repeat(2));
});

/** No `x` and no blank, which everything around a secret is made of. */
const SECRET = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWYZabcdefghkmnpqrstuvwyz23456789"&<>%\'/+=_.~-!'),
  minLength: 9,
  maxLength: 90,
});

/** How a server writes a secret; of base64 the letters that only the secret decides. */
const FORMS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => secret,
  (secret) => JSON.stringify(secret).slice(1, -1),
  (secret) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
  (secret) => encodeURIComponent(secret),
  (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  (secret) =>
    Buffer.from(secret)
      .toString('base64url')
      .slice(0, Math.floor((secret.length * 4) / 3)),
  (secret) =>
    Buffer.from(`me:${secret}`)
      .toString('base64')
      .slice(4, Math.floor(((secret.length + 3) * 4) / 3)),
];

/** Texts that a cut at `longest` goes through at any place of the secret, and others. */
function saidArbitrary(longest: number, ways: readonly Way[]): fc.Arbitrary<Said> {
  return fc
    .record({
      secret: SECRET,
      form: fc.constantFrom(...FORMS),
      way: fc.constantFrom(...ways),
      at: fc.nat({ max: 120 }),
      before: fc.oneof(fc.integer({ min: -150, max: 10 }), fc.constant(-longest)),
      earlier: fc.constantFrom(0, 0, 1, 300),
    })
    .map(({ secret, form: formOf, way, at, before, earlier }) => {
      const form = formOf(secret);
      // Whole ones before make what is redacted shorter than what was said.
      const first = `${form} xx `.repeat(earlier);
      const fill = 'xx '.repeat(longest).slice(0, Math.max(0, longest + before - first.length));
      return { secret, form, text: `${first}${fill}${way(form, Math.min(at, form.length))}` };
    });
}

/** The longest run of characters of a secret in a text; that of all of it where it is no longer than a run may be. */
function longestRun(text: string, secret: string): number {
  let longest = 0;
  for (let from = 0; from + longest < secret.length; from += 1) {
    while (from + longest < secret.length && text.includes(secret.slice(from, from + longest + 1))) longest += 1;
  }
  return longest;
}

async function failure(acting: Promise<unknown>): Promise<string> {
  const thrown: unknown = await acting.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(EchelonError);
  return shownOf(thrown);
}

/** Message, hint, and every other field; no error has a cause with more in it. */
function shownOf(thrown: unknown): string {
  const { message, stack, cause, ...rest } = thrown as Error;
  return [message, stack, String(cause), ...textsIn(rest)].join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** As all output is. */
function filtered(secret: string, text: string): string {
  const secrets = new Secrets();
  secrets.add(secret);
  return secrets.redact(text);
}

function tokensOf({ url }: World, credentials: OAuthCredentials) {
  return tokenSource({
    env: {},
    credentials,
    tokenUrl: `${url}/token`,
    clock: CLOCK,
    random: () => 0,
    onAttempt: () => {},
  });
}

function queryOf({ url }: World, credentials: OAuthCredentials): Promise<unknown> {
  const options = { url: `${url}/query`, tokenUrl: `${url}/token`, signal, clock: CLOCK };
  return prometheusQuery({ env: {}, ...options, credentials: async () => credentials })('up');
}

function connectionOf({ url }: World, authorization: string) {
  return {
    ...tokenConnection({ name: 'c1', server: url, token: async () => '' }),
    credentials: async () => ({ headers: { Authorization: authorization } }),
  };
}

async function askKube(asked: World, authorization: string): Promise<string> {
  const transport = kubeTransport(connectionOf(asked, authorization), { sleep: CLOCK.sleep });
  try {
    return await failure(transport.request({ method: 'GET', path: '/api/v1/pods', idempotent: true }));
  } finally {
    transport.close();
  }
}

function readVault({ url }: World, env: Record<string, string>, section: object = {}): Promise<string> {
  const config = { vault: { server: url, ...section } };
  return secretField(openSecrets({ config, env, clock: CLOCK }), { path: 'kv/a', field: 'b' });
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function script(folder: string, name: string, lines: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return file;
}

/** A kubeconfig whose plugin prints and fails. */
async function login(folder: string, text: string, exec: object, stdout = ''): Promise<string> {
  writeFileSync(join(folder, 'said'), text);
  writeFileSync(join(folder, 'printed'), stdout);
  const printed = `cat '${join(folder, 'printed')}'; cat '${join(folder, 'said')}' >&2; exit 1`;
  const user = { exec: { command: script(folder, 'plugin', printed), ...exec } };
  const file = join(folder, 'kubeconfig');
  const contexts = [{ name: 'a', context: { cluster: 'c', user: 'u' } }];
  const clusters = [{ name: 'c', cluster: { server: 'https://api.example.com' } }];
  writeFileSync(file, JSON.stringify({ clusters, contexts, users: [{ name: 'u', user }], 'current-context': 'a' }));
  const config = await currentKubeconfig({ env: { KUBECONFIG: file } });
  return failure(config.connect('a', 'c1').credentials(false));
}

function printing(folder: string, text: string) {
  writeFileSync(join(folder, 'said'), text);
  return { file: 'cat', args: [join(folder, 'said')], env: process.env, cwd: folder };
}

function run(folder: string, text: string, secret: string, maxLogBytes = 10_000_000) {
  const redact = (line: string): string => filtered(secret, line);
  return runCommand(printing(folder, text), { log: join(folder, 'log'), redact, timeoutMs: 60_000, maxLogBytes });
}
