import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { type DebianBase, debianBase } from '../support/debian-base.ts';
import { playable } from '../support/kube-play.ts';
import { type ManagerWorld, namesOf, startManagerWorld } from '../support/manager-e2e.ts';
import { findPodman, type Podman } from '../support/podman.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { released } from '../support/released.ts';
import { testHelm } from '../support/render-chart.ts';
import { EXAMPLE_INSTANCE, GRAPHQL_SCHEMA, hasShared, REPO, SCHEMAS } from '../support/shared.ts';
import { until } from '../support/until.ts';

const { version: VERSION } = JSON.parse(readFileSync(join(REPO, 'package.json'), 'utf8')) as { version: string };
const IMAGE = `localhost/echelon:${VERSION}`;
const BASE = 'localhost/echelon-base';
const SOURCE_DATE = 1_790_000_000;
const USER = '65532:65532';

const scratch = mkdtempSync(join(tmpdir(), 'echelon-release-'));
const base = await debianBase();
const podman = typeof base === 'string' ? base : engineFor(base);
const reason = typeof podman === 'string' ? ` (skipped: ${podman})` : '';
if (typeof podman === 'string') rmSync(scratch, { recursive: true, force: true });

function engineFor({ archive, helpers }: DebianBase): Podman | string {
  const image = 'localhost/probe';
  const make = (made: Podman): void => {
    made.run(['import', '--quiet', archive, BASE]);
    writeFileSync(join(scratch, 'Containerfile'), 'FROM scratch\nCOPY catatonit /\nENTRYPOINT ["/catatonit", "-V"]\n');
    made.run(['build', '--file', join(scratch, 'Containerfile'), '--tag', image, helpers]);
  };
  return findPodman({ scratch, helpers, drivers: ['overlay', 'vfs'], probe: { image, make } });
}

describe.skipIf(typeof podman === 'string')(`a release${reason}`, () => {
  const { bin, run } = podman as Podman;
  let first: string;
  const names = (): string[] => readdirSync(first).sort();
  const nameOf = (pattern: RegExp): string =>
    join(first, names().find((name) => pattern.test(name)) ?? `no ${pattern}`);

  /** Loads the image from the archive, as someone does who has nothing else of the release. */
  beforeAll(() => {
    first = release('first', '022');
    run(['rmi', '--force', IMAGE]);
    run(['load', '--quiet', '--input', nameOf(/image/)]);
  });
  afterAll(() => (podman as Podman).dispose());

  function release(name: string, umask: string): string {
    const env = { BASE_IMAGE: BASE, SOURCE_DATE_EPOCH: String(SOURCE_DATE), REVISION: 'abc' };
    return released({ folder: join(scratch, name), umask, bin, env });
  }

  /** The image as the pod has it: nothing can be written but /tmp. */
  const inImage = (args: readonly string[], options: readonly string[] = []) => {
    const pod = ['--read-only', '--read-only-tmpfs=false', '--tmpfs=/tmp', '--cap-drop=all', '--network=none'];
    return spawnSync(join(bin, 'podman'), ['run', '--rm', '--pull=never', ...pod, ...options, IMAGE, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
  };
  const onExample = ['--volume', `${EXAMPLE_INSTANCE}:/data:ro`];

  it('is the package, the image, the charts, the SBOM and their checksums', () => {
    expect(names()).toEqual([
      'SHA256SUMS',
      `echelon-${VERSION}.cdx.json`,
      `echelon-${VERSION}.tgz`,
      `echelon-chart-${VERSION}.tgz`,
      `echelon-image-${VERSION}-linux-${process.arch === 'x64' ? 'amd64' : process.arch}.tar`,
      `reconciler-chart-${VERSION}.tgz`,
    ]);
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: first, encoding: 'utf8' });
    expect(checked.match(/: OK$/gm)).toHaveLength(5);
  });

  it('has the same bytes when it is made again, in another folder and with another umask', () => {
    const second = release('a-second/elsewhere', '077');
    expect(readFileSync(join(second, 'SHA256SUMS'), 'utf8')).toBe(readFileSync(join(first, 'SHA256SUMS'), 'utf8'));
  });

  it('has charts that helm accepts', async () => {
    const helm = await testHelm();
    const charts = names().filter((name) => name.includes('-chart-'));
    for (const chart of charts) execFileSync(helm, ['lint', '--quiet', join(first, chart)], { stdio: 'pipe' });
  });

  it('names in its SBOM every package that the image contains', () => {
    interface Component {
      readonly name: string;
      readonly version: string;
    }
    const { components } = JSON.parse(readFileSync(nameOf(/cdx/), 'utf8')) as { components: readonly Component[] };
    const script = `
      const { globSync, readFileSync } = require('node:fs');
      const files = globSync('/app/**/node_modules/{*,@*/*}/package.json');
      const found = files.map((file) => JSON.parse(readFileSync(file, 'utf8'))).map((one) => one.name + '@' + one.version);
      console.log(JSON.stringify({ found, same: readFileSync('/app/sbom.cdx.json', 'utf8') }));`;
    const { stdout } = inImage(['-e', script], ['--entrypoint', '/usr/local/bin/node']);
    const { found, same } = JSON.parse(stdout) as { found: string[]; same: string };
    expect(same).toBe(readFileSync(nameOf(/cdx/), 'utf8'));
    const named = new Set(components.map((one) => `${one.name}@${one.version}`));
    expect(found.length).toBeGreaterThan(50);
    expect([...new Set(found)].filter((one) => !named.has(one))).toEqual([]);
    expect([...named]).toEqual(expect.arrayContaining([`node@${process.versions.node}`]));
    expect(components.map(({ name }) => name)).toContain('helm');
  });

  describe('its image', () => {
    it('says what it is', () => {
      const [{ Config, Created }] = JSON.parse(run(['image', 'inspect', IMAGE])) as [
        { Config: { User: string; Labels: Record<string, string> }; Created: string },
      ];
      expect(Config.User).toBe(USER);
      const created = new Date(SOURCE_DATE * 1000).toISOString();
      expect(new Date(Created).toISOString()).toBe(created);
      const prefix = 'org.opencontainers.image.';
      expect(Config.Labels).toMatchObject({
        [`${prefix}title`]: 'echelon',
        [`${prefix}version`]: VERSION,
        [`${prefix}revision`]: 'abc',
        [`${prefix}created`]: created,
        [`${prefix}licenses`]: 'Apache-2.0',
        [`${prefix}base.name`]: BASE,
      });
    });

    it('runs read-only, without rights and network, and knows its version', () => {
      expect(inImage(['--version'])).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    });

    it('validates a mounted instance', () => {
      const { status, stdout } = inImage(['validate', '--data', '/data'], onExample);
      expect(stdout).toMatch(/^no problems in \d+ datafiles/m);
      expect(status).toBe(0);
    });

    it.each([
      { user: USER, whose: 'its own' },
      { user: '1000650000:0', whose: 'one without a name, as OpenShift chooses' },
    ])('renders with the helm inside it, as the user $user, $whose', ({ user }) => {
      const options = [...onExample, '--user', user];
      const { status, stdout, stderr } = inImage(['manager', 'render', '--data', '/data', '-o', 'json'], options);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect((JSON.parse(stdout) as { items: unknown[] }).items.length).toBeGreaterThan(1);
    });

    it('has no shell', () => {
      const script = `
        const { globSync } = require('node:fs');
        const shells = globSync('/{bin,sbin,usr/bin,usr/sbin,usr/local/bin}/{sh,bash,dash,ash,busybox,apt*,dpkg*}');
        console.log(JSON.stringify({ shells, user: process.getuid(), programs: globSync('/usr/local/bin/*').sort() }));`;
      const { stdout } = inImage(['-e', script], ['--entrypoint', '/usr/local/bin/node']);
      expect(JSON.parse(stdout)).toEqual({
        ...{ shells: [], user: 65532, programs: ['/usr/local/bin/helm', '/usr/local/bin/node'] },
      });
    });
  });

  describe.skipIf(skipRealKube || !hasShared)('its manager as a pod of podman, from the manifests of bootstrap', () => {
    const [own, fleet] = ['reconcilers', 'app-interface-stage'];
    const container = 'qontract-reconcile-integrations-manager-pod-0-int';
    const file = join(scratch, 'pod.yaml');
    let world: ManagerWorld;
    let server: QontractServer;
    let manifests: KubeBody[];

    beforeAll(async () => {
      const bundle = buildBundle(EXAMPLE_INSTANCE, { schemasDir: SCHEMAS, graphqlFile: GRAPHQL_SCHEMA });
      [world, server] = await Promise.all([startManagerWorld(), startQontractServer({ bundle: bundleText(bundle) })]);
      await world.kube.createNamespace(fleet);
      const { stdout } = await world.run([
        ...['manager', 'bootstrap', '--format', 'manifests', '-n', own, '--deploy-to', fleet],
        ...['--image', 'localhost/echelon', '--image-tag', VERSION],
        ...['--environment-name', fleet, '-p', 'MANAGER_DRY_RUN=--no-dry-run'],
      ]);
      writeFileSync(file, stdout);
      const kubectl = ['apply', '-f', file, '--kubeconfig', world.kube.kubeconfig()];
      execFileSync(world.kube.binaries.kubectl!, kubectl, { env: { HOME: world.folder }, stdio: 'pipe' });
      manifests = loadAll(stdout) as KubeBody[];
    }, REAL_KUBE_TIMEOUT_MS);
    afterEach(() => run(['pod', 'rm', '--all', '--force', '--time', '0']));
    afterAll(async () => {
      await server?.close();
      await world?.close();
    });

    /** The token is that of the account that the Deployment names. */
    async function play(): Promise<void> {
      const { spec } = manifests.find(({ kind }) => kind === 'Deployment')!;
      const pod = (spec as unknown as PodSpec).template.spec;
      const token = await world.kube.serviceAccountToken(own, pod.serviceAccountName);
      const { hostname, port } = new URL(world.kube.server);
      const played = playable(manifests, {
        folder: join(scratch, 'volumes'),
        volumes: {
          'qontract-reconcile-toml': { 'config.toml': `[graphql]\nserver = "${server.url}/graphql"\n` },
          'qontract-reconcile-sa-token': { token, namespace: own, 'ca.crt': world.kube.ca },
        },
        env: {
          ...{ KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
          // A pod of podman on the network of the host has no port of its own.
          INTEGRATION_EXTRA_ARGS: '--metrics-host 127.0.0.1 --metrics-port 0',
        },
      });
      writeFileSync(file, played);
      run(['kube', 'play', '--network=host', file]);
    }

    it('converges the example instance and becomes ready', async () => {
      await play();
      const logs = (): string => run(['logs', container]);
      const port = await until(() => /"metricsPort":(\d+)/.exec(logs())?.[1], {
        timeoutSeconds: 120,
        what: 'it serves',
        everyMs: 500,
      });
      // A pod that waits for the lease is ready, too.
      const readiness = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
      const isReady = async (): Promise<boolean> => (await readiness()) === 'ready\n';
      await until(isReady, { timeoutSeconds: 120, what: 'the pod is ready' });
      expect(logs()).not.toMatch(/"level":"(?:warn|error)"/);
      const scope = ['--environment-name', fleet, '--data', server.url];
      const { stdout } = await world.run(['manager', 'render', ...scope, '-o', 'json']);
      const declared = (JSON.parse(stdout) as { items: { objects: KubeBody[] }[] }).items.flatMap((one) => one.objects);
      expect(namesOf(await world.objects(fleet))).toEqual(namesOf(declared));
      const [{ HostConfig, EffectiveCaps }] = JSON.parse(run(['inspect', container])) as [Inspected];
      expect(EffectiveCaps ?? []).toEqual([]);
      expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Memory: 400 * 1024 * 1024 });
      run(['stop', '--time', '30', container]);
      const [{ State }] = JSON.parse(run(['inspect', container])) as [Inspected];
      expect(State.ExitCode).toBe(0);
    });
  });
});

interface PodSpec {
  readonly template: { readonly spec: { readonly serviceAccountName: string } };
}

interface Inspected {
  readonly EffectiveCaps: readonly string[] | null;
  readonly HostConfig: object;
  readonly State: { readonly ExitCode: number };
}
