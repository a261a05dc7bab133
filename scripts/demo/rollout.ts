import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { badImagesIn, type SimKube, startSimKube } from '../../src/sim/index.ts';
import { REPO, say, shorten } from './stage.ts';

export const PRODUCTION = 'app-interface-production';
const UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';
const [OLD, GOOD, BAD] = ['8c41f7e', '19e1349', 'badc0de'];
const CLUSTERS = ['app-sre-prod-01', 'app-sre-prod-02'];
const RECORD = 'rollouts';
const HOUR_MS = 3_600_000;

/** Three waves of the shards of two integrations. */
export const TRACKS = `tracks:
- name: terraform-production
  match: { environments: [${PRODUCTION}], integrations: [terraform-*] }
  waves:
  - { name: canary, shards: [terraform-resources/payments-ci], soak: 1h }
  - { name: early, percent: 20, soak: 1h }
  - { name: rest, soak: 1h }
  health: { queries: [] }
  onFailure: rollback
`;

/** A new image goes through three waves; a bad one is halted in the first and taken back. An hour passes between two passes. */
export async function rollOut(copy: string, scratch: string): Promise<void> {
  const stage = await rolloutStage(copy, scratch);
  try {
    say('Or declare waves in resources/echelon/rollouts.yml, and let the manager carry a promotion through them:');
    console.log(TRACKS.trimEnd());
    await stage.run(['manager', 'apply', '--yes'], OLD, { lines: 1 });
    writeFileSync(stage.file(), TRACKS);
    say(`${GOOD} is promoted. The clock of this scene is simulated: an hour passes before each pass of the manager.`);
    await stage.pass(GOOD);
    await stage.run(['rollout', 'status'], GOOD);
    await stage.run(['rollout', 'explain', 'terraform-users/app-sre'], GOOD);
    await stage.run(['rollout', 'forecast'], GOOD);
    say('Every shard of a wave runs it healthily for an hour before the next wave moves:');
    for (let pass = 0; pass < 6; pass += 1) await stage.pass(GOOD);
    await stage.run(['rollout', 'status'], GOOD);
    say(`${BAD} is promoted, whose containers crash. It reaches one shard, which is taken back:`);
    for (let pass = 0; pass < 2; pass += 1) await stage.pass(BAD);
    await stage.run(['rollout', 'status'], BAD, { expected: 1 });
    say('Every other shard stays where it is, and says why:');
    await stage.run(['rollout', 'explain', 'terraform-users/app-sre'], BAD);
  } finally {
    await stage.close();
  }
}

/** Commands on simulated clusters, in this process, so that all of them go by one clock. */
async function rolloutStage(copy: string, scratch: string) {
  let now = Date.parse('2026-03-02T08:00:00Z');
  const clock = (): Date => new Date(now);
  const badImages = badImagesIn([`${BAD}=crash`]);
  const sims: SimKube[] = [];
  for (const [at] of CLUSTERS.entries())
    sims.push(await startSimKube({ anyNamespace: true, clock, badImages, seed: at }));
  const kubeconfig = join(scratch, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(configOf(sims)));
  const env = {
    ...process.env,
    ...{ KUBECONFIG: kubeconfig, ECHELON_DATA: copy, ECHELON_ROLLOUT_RECORD: join(scratch, RECORD) },
    ...{ ENVIRONMENT_NAME: PRODUCTION, INTEGRATIONS_MANAGER_UPSTREAM: UPSTREAM },
  };
  const carriedOut = async (args: readonly string[], tag: string, expected: number): Promise<string> => {
    const printed = { stdout: '', stderr: '' };
    const output = (name: keyof typeof printed) => ({
      isTTY: false,
      write: (text: string) => {
        printed[name] += text;
      },
    });
    const code = await main(args, {
      ...{ stdout: output('stdout'), stderr: output('stderr') },
      ...{ env: { ...env, IMAGE_TAG: tag }, cwd: REPO, signal: new AbortController().signal, now: clock },
    });
    if (code !== expected)
      throw new Error(`the demo expected exit code ${expected}, not ${code}\n${printed.stdout}${printed.stderr}`);
    return printed.stdout;
  };
  return {
    file: (): string => {
      const file = join(copy, 'resources/echelon/rollouts.yml');
      mkdirSync(dirname(file), { recursive: true });
      return file;
    },
    run: async (args: readonly string[], tag: string, { expected = 0, lines = SHOWN_LINES } = {}): Promise<void> => {
      console.log(`$ IMAGE_TAG=${tag} echelon ${args.join(' ')}`);
      console.log(shorten(await carriedOut(args, tag, expected), lines));
    },
    pass: async (tag: string): Promise<void> => {
      now += HOUR_MS;
      const args = ['run', 'integrations-manager', '--run-once', '--no-lease', '--poll', '1h', '--metrics-port', '0'];
      const before = tagsOn(sims);
      await carriedOut(args, tag, 0);
      const moved = movesBetween(before, tagsOn(sims));
      console.log(
        `${clock().toISOString().slice(11, 16)}  ${moved.length === 0 ? 'nothing moves' : moved.join('\n       ')}`,
      );
    },
    close: async (): Promise<void> => {
      for (const sim of sims) await sim.close();
    },
  };
}

const SHOWN_LINES = 12;

/** The tag of every shard of the track, by the name of its object. */
function tagsOn(sims: readonly SimKube[]): ReadonlyMap<string, string> {
  const deployments = sims.flatMap(({ store }) => store.list('apps/v1', 'Deployment'));
  return new Map(
    deployments.flatMap(({ metadata, spec }) => {
      const [, name] = /^qontract-reconcile-(terraform-(?:resources|users)-.*)$/.exec(metadata.name) ?? [];
      const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
      return name === undefined ? [] : [[name, template.spec.containers[0]?.image.split(':')[1] ?? '']];
    }),
  );
}

function movesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].flatMap(([name, tag]) =>
    before.get(name) === tag ? [] : [`${name}: ${before.get(name)} → ${tag}`],
  );
}

function configOf(sims: readonly SimKube[]): object {
  return {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': CLUSTERS[0] },
    clusters: sims.map(({ url }, at) => ({ name: CLUSTERS[at], cluster: { server: url } })),
    users: [{ name: 'sim', user: {} }],
    contexts: CLUSTERS.map((name) => ({ name, context: { cluster: name, user: 'sim' } })),
  };
}
