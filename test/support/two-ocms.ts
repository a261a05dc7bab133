import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHostileOcm } from './hostile-ocm.ts';
import { type GivenOrganization, START, upgradeFleet } from './upgrade-world.ts';
import { SIM_SECRET, upgradesCli } from './upgrades-cli.ts';

/** The simulated OCM, and the stand-in that was written from the OpenAPI documents alone. */
export const OCMS = ['simulated', 'second'] as const;

/** One of them with a fleet, and a folder with a configuration for it. */
export interface SomeOcm {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly start: Date;
  readonly url: string;
  /** Blocks versions in an organization without other labels. */
  block(organization: string, pattern: string): void;
  /** From now on pages of lists at such a path have the first half of their rows, until it is undone. */
  halve(pathEnd: string): { undo(): void };
  dispose(): Promise<void>;
}

const GATE = {
  kind: 'VersionGate',
  id: 'gate-ocp',
  version_raw_id_prefix: '4.19',
  label: 'api.openshift.com/gate-ocp',
};
const NEXT = 'stable-4.19';
const RELEASES = ['4.18.1', '4.18.2', '4.18.3', '4.19.1'];

/**
 * The organizations in either. 4.18.1 to 4.18.3 are out; where a cluster is in the channel `stable-4.19`, so is 4.19.1 for it, whose
 * gate nobody agreed to.
 */
export async function startOcm(kind: (typeof OCMS)[number], given: readonly GivenOrganization[]): Promise<SomeOcm> {
  return kind === 'simulated' ? simulated(given) : second(given);
}

async function simulated(given: readonly GivenOrganization[]): Promise<SomeOcm> {
  const releases = [
    { version: '4.18.{n}', from: 1, count: 3, at: 'day -40', every: '1d' },
    ...(given.some(({ clusters }) => clusters.some(({ channel }) => channel === NEXT))
      ? [{ version: '4.19.1', at: 'day -5' }]
      : []),
  ];
  const cli = await upgradesCli(upgradeFleet(given, { versions: { groups: { stable: '0d' }, releases } }));
  const { url, tokenUrl: token_url } = cli.sim;
  cli.write('.ocm.json', JSON.stringify({ url, token_url, client_id: 'robot', client_secret: SIM_SECRET }));
  return {
    url,
    ...{ folder: cli.folder, env: cli.io.env as Record<string, string>, start: new Date(START) },
    block: (organization, pattern) => cli.sim.world.blockVersions(organization, [pattern]),
    halve: (end) => ({ undo: cli.sim.addFault({ path: `*${end}`, probability: 1, effect: { kind: 'short-page' } }) }),
    dispose: cli.dispose,
  };
}

async function second(given: readonly GivenOrganization[]): Promise<SomeOcm> {
  const clusters = given.flatMap(({ id, clusters: members }) =>
    members.map(({ name, aus = {}, version = '4.18.1', channel = 'stable-4.18', state = 'ready' }) => ({
      ...{ name, organization: id, aus: textsOf(aus) },
      more: { state, version: versionOf(String(version), String(channel)) },
    })),
  );
  const labels = given.map(({ id, aus = {} }) => [id, textsOf(aus)]);
  const ocm = await startHostileOcm(clusters, { organizationLabels: Object.fromEntries(labels), gates: [GATE] });
  const folder = mkdtempSync(join(tmpdir(), 'echelon-second-'));
  const login = `url: ${ocm.url}, tokenUrl: ${ocm.tokenUrl}, credentials: { clientId: robot, clientSecretEnv: SECRET }`;
  writeFileSync(
    join(folder, 'upgrades.yml'),
    `environments:\n- { name: test, ${login} }\norganizations: { allow: all }\nstate: state\n`,
  );
  const loggedIn = { url: ocm.url, token_url: ocm.tokenUrl, client_id: 'robot', client_secret: 'any' };
  writeFileSync(join(folder, '.ocm.json'), JSON.stringify(loggedIn));
  return {
    url: ocm.url,
    ...{ folder, env: { SECRET: 'a-secret-of-the-robot', HOME: folder }, start: new Date(START) },
    block: (organization, pattern) => ocm.label(organization, { 'blocked-versions': pattern }),
    halve: (end) => {
      ocm.misbehave((request) =>
        request.method === 'GET' && request.path.endsWith(end) ? ocm.half(request) : undefined,
      );
      return { undo: ocm.behave };
    },
    dispose: async () => {
      rmSync(folder, { recursive: true, force: true });
      await ocm.close();
    },
  };
}

function textsOf(labels: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}

function versionOf(version: string, channel: string) {
  const available_upgrades = RELEASES.slice(RELEASES.indexOf(version) + 1).filter(
    (each) => each.startsWith('4.18') || channel === NEXT,
  );
  return { id: `openshift-v${version}`, raw_id: version, channel_group: 'stable', available_upgrades };
}
