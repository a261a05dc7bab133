import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { REPO } from '../../../../test/support/shared.ts';
import { contextOf } from '../../context.ts';
import type { Io } from '../../io.ts';
import type { SimKubeFlags, SimOcmFlags } from './commands.ts';
import { simKube, simOcm } from './sim.ts';

const folder = mkdtempSync(join(tmpdir(), 'echelon-sim-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Running {
  readonly lines: string[];
  readonly notes: string[];
  readonly secrets: string[];
  /** Interrupts it. */
  end(): Promise<number>;
}

async function running(flags: SimKubeFlags, clusters: number): Promise<Running> {
  const interrupt = new AbortController();
  const lines: string[] = [];
  const secrets: string[] = [];
  const notes: string[] = [];
  let code: Promise<number>;
  await new Promise<void>((started, failed) => {
    const output = {
      isTTY: false,
      write: (text: string) => (lines.push(text.trimEnd()) === clusters ? started() : undefined),
    };
    const io: Io = {
      stdout: output,
      stderr: { isTTY: false, write: (text: string) => notes.push(text) },
      env: {},
      cwd: folder,
      signal: interrupt.signal,
      onSecret: (secret) => secrets.push(secret),
    };
    code = simKube(contextOf(io), flags);
    code.catch(failed);
  });
  return {
    lines,
    notes,
    secrets,
    end: () => {
      interrupt.abort();
      return code;
    },
  };
}

interface Kubeconfig {
  readonly clusters: { readonly name: string; readonly cluster: { readonly server: string } }[];
  readonly contexts: { readonly name: string }[];
  readonly users: { readonly user: { readonly token?: string } }[];
}

describe('echelon sim kube', () => {
  it('serves each cluster, and writes a kubeconfig with a context for each', async () => {
    const sim = await running({ clusters: 'a,b', namespaces: 'x,y', kubeconfig: 'sub/config', token: 'hush' }, 2);
    const file = join(folder, 'sub/config');
    const config = load(readFileSync(file, 'utf8')) as Kubeconfig;
    const names: string[][] = [];
    for (const { cluster } of config.clusters) {
      const response = await fetch(`${cluster.server}/api/v1/namespaces`, {
        headers: { Authorization: 'Bearer hush' },
      });
      const { items } = (await response.json()) as { items: { metadata: { name: string } }[] };
      names.push(items.map(({ metadata }) => metadata.name));
    }
    expect(await sim.end()).toBe(0);
    expect(sim.lines).toEqual(config.clusters.map(({ name, cluster }) => `${name} ${cluster.server}`));
    expect([config.contexts.map(({ name }) => name), config.users[0]?.user.token]).toEqual([['a', 'b'], 'hush']);
    for (const each of names) expect(each).toEqual(expect.arrayContaining(['x', 'y']));
    expect(sim.notes).toEqual(['kubectl sends no token over http; omit --token to use kubectl\n']);
    expect([statSync(file).mode & 0o777, sim.secrets]).toEqual([0o600, ['hush']]);
  });

  it('serves one cluster of any namespaces until it is interrupted', async () => {
    const sim = await running({ anyNamespace: true }, 1);
    const url = sim.lines[0]?.replace('sim ', '') ?? '';
    const create = (): Promise<Response> =>
      fetch(`${url}/api/v1/namespaces/new/configmaps`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"metadata":{"name":"a"}}',
      });
    expect((await create()).status).toBe(201);
    expect(await sim.end()).toBe(0);
    await expect(create()).rejects.toThrow('fetch failed');
  });

  it.each([
    { flags: { clusters: 'a,a' }, says: '--clusters: a is given twice' },
    { flags: { namespaces: 'A' }, says: '--namespaces: A is not a valid name: use lowercase letters, digits, - and .' },
    { flags: { badImage: ['v2=crush'] }, says: '--bad-image v2=crush is not TAG=KIND' },
    { flags: { badImage: ['=crash'] }, says: '--bad-image =crash is not TAG=KIND' },
    { flags: { badImage: ['v2'] }, says: '--bad-image v2 is not TAG=KIND' },
    { flags: { kubeconfig: '/dev/null/x' }, says: 'cannot write /dev/null/x' },
  ])('refuses $flags', async ({ flags, says }) => {
    await expect(running(flags, 2)).rejects.toThrow(says);
  });

  it('names the port that is taken', async () => {
    const sim = await running({}, 1);
    const port = Number(sim.lines[0]?.split(':').at(-1));
    await expect(running({ port }, 1)).rejects.toThrow(`cannot serve cluster sim on 127.0.0.1:${port}`);
    await sim.end();
  });
});

const FLAGS: SimOcmFlags = { fleet: 'examples/fleet/fleet.yml', clock: 'virtual', output: 'table', color: true };

/** Runs the command, and interrupts it as soon as it has said where it listens. */
async function run(flags: Partial<SimOcmFlags>, meanwhile: (stdout: string) => Promise<void> = async () => undefined) {
  const [written, interrupted] = [{ stdout: '', stderr: '' }, new AbortController()];
  const announced = Promise.withResolvers<void>();
  const io: Io = {
    stdout: {
      isTTY: false,
      write: (text) => {
        written.stdout += text;
        announced.resolve();
      },
    },
    stderr: {
      isTTY: false,
      write: (text) => {
        written.stderr += text;
      },
    },
    env: {},
    cwd: REPO,
    signal: interrupted.signal,
  };
  const running = simOcm(contextOf(io), { ...FLAGS, ...flags });
  await Promise.race([announced.promise, running]);
  await meanwhile(written.stdout);
  interrupted.abort();
  return { code: await running, ...written };
}

describe('echelon sim ocm', () => {
  it('tells where each environment is and who may log in, and no secret', async () => {
    const { code, stdout, stderr } = await run({});
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ENVIRONMENT +URL +CLIENTS\nocm-production +http:\/\/127\.0\.0\.1:\d+ +app-sre-ocm-production, payments-partners\nocm-stage +http/,
    );
    expect(stderr).toContain('120 clusters of 5 organizations');
    expect(stderr).toContain('simulated time is 2026-03-02T00:00:00.000Z');
    expect(stdout + stderr).not.toContain('simulated-');
  });

  it('answers until it is interrupted', async () => {
    let url = '';
    await run({ output: 'json' }, async (stdout) => {
      url = (JSON.parse(stdout) as { items: { url: string }[] }).items[0]?.url ?? '';
      const advanced = await fetch(`${url}/_sim/advance`, { method: 'POST', body: JSON.stringify({ days: 1 }) });
      expect(await advanced.json()).toEqual({ now: '2026-03-03T00:00:00.000Z' });
    });
    await expect(fetch(`${url}/_sim/state`)).rejects.toThrow();
  });

  it('begins today with a clock that runs', async () => {
    const { stderr } = await run({ clock: 'real', speed: 3600 }, async () => undefined);
    expect(stderr).toContain('3600 times as fast');
    expect(stderr).toMatch(/ECHELON_SIM_CLOCK='\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\*3600'/);
  });

  it.each([
    { flags: { speed: 2 }, code: 'FLAG_INVALID' },
    { flags: { fleet: 'none.yml' }, code: 'FLEET_UNREADABLE' },
    { flags: { fleet: join(REPO, 'package.json') }, code: 'FLEET_INVALID' },
  ])('refuses $flags with $code', async ({ flags, code }) => {
    await expect(run(flags)).rejects.toMatchObject({ code });
  });
});
