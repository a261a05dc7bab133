import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

let instance: InstanceCopy;

beforeEach(() => {
  instance = copyInstance();
});
afterEach(() => instance.dispose());

const init = (...args: readonly string[]): Promise<Ran> => runCli(['promote', 'init', ...args], { cwd: instance.root });

/** The names of targets in the order of the file. */
const targets = (text: string): string[] => [...text.matchAll(/^- name: (\S+)$/gm)].map(([, name = '']) => name);

describe('promote init', () => {
  it('finds every known place of the example, in the same order each time', async () => {
    const first = await init('--dry-run');
    const second = await init('--dry-run');
    expect(first.code).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    expect(targets(first.stdout)).toEqual([
      'reconcile-checks',
      'jenkins-global-defaults',
      'tekton-defaults',
      'shared-resources',
      'saas-qontract-manager/app-interface-stage',
      'saas-qontract-manager/app-interface-stage/IMAGE_TAG',
      'saas-qontract-manager/app-interface-production',
      'saas-qontract-manager/app-interface-production/IMAGE_TAG',
      'saas-qontract-manager/edge-lab',
      'saas-qontract-manager/edge-lab/IMAGE_TAG',
      'saas-change-gateway/change-gateway-stage/QR_IMAGE_TAG',
      'saas-change-gateway/change-gateway-production/QR_IMAGE_TAG',
      'schemas-checks',
      'saas-qontract-manager/fleet-tools-production',
      'app-interface-production/fleet-tools',
      'fleet-tools',
      'qontract-server-checks',
      'saas-qontract-server/qontract-server-stage',
      'validator-checks',
      'saas-change-gateway/change-gateway/VALIDATOR_IMAGE_TAG',
    ]);
  });

  it('writes a file whose every target is found, of each upstream', async () => {
    expect((await init()).code).toBe(0);
    const to = 'f'.repeat(40);
    const digest = `sha256:${'a'.repeat(64)}`;
    for (const upstream of ['reconcile', 'schemas', 'fleet-tools', 'qontract-server', 'validator']) {
      const flags = [
        '--offline',
        '--allow-rollback',
        '--to',
        to,
        '--digest',
        digest,
        '--upstream',
        upstream,
        '-o',
        'json',
      ];
      const { code, stdout } = await runCli(['promote', 'plan', ...flags], { cwd: instance.root });
      expect(code).toBe(0);
      const { items, pending } = JSON.parse(stdout) as { items: { changed: boolean }[]; pending: string[] };
      expect({ upstream, pending, all: items.every(({ changed }) => changed) }).toEqual({
        upstream,
        pending: [],
        all: true,
      });
    }
  });

  it('does not write over a file that exists, unless it is told to', async () => {
    instance.write('promotion.yml', 'mine\n');
    const { code, stderr } = await init();
    expect(code).toBe(1);
    expect(stderr).toContain('PROMOTION_FILE_EXISTS');
    expect(instance.text('promotion.yml')).toBe('mine\n');
    expect((await init('--force')).code).toBe(0);
    expect(targets(instance.text('promotion.yml'))).toHaveLength(20);
  });

  it('says so where it finds nothing', async () => {
    instance.remove('.env');
    instance.remove('resources/echelon/manager.yml');
    for (const environment of ['stage', 'production']) {
      const file = `data/products/app-interface/environments/${environment}.yml`;
      instance.write(file, instance.text(file).replace(/ {2}(?:#.*\n {2})?INTEGRATION_UPSTREAM_REPOS:\n.*\n.*\n/, ''));
    }
    const { code, stderr } = await init();
    expect(code).toBe(1);
    expect(stderr).toContain('no known place of a version');
  });
});

describe('a promotion.yml that is wrong is told with its line', () => {
  it.each([
    {
      given: 'an unknown form',
      found: 'form: short\n',
      by: 'form: tiny\n',
      says: /promotion\.yml:\d+:\d+: targets\[0\]\.form: /,
    },
    {
      given: 'an unknown key',
      found: 'key: RECONCILE_IMAGE_TAG',
      by: 'keys: X',
      says: /promotion\.yml:\d+:\d+: targets\[0\]: /,
    },
    {
      given: 'an unknown upstream',
      found: 'upstream: schemas',
      by: 'upstream: schema',
      says: /no upstream schema/,
    },
    {
      given: 'a path that is none',
      found: "path: 'taskTemplates[]",
      by: "path: 'taskTemplates[",
      says: /targets\[2\]\.path: the path/,
    },
    {
      given: 'a file outside',
      found: 'file: .env',
      by: 'file: ../.env',
      says: /a path inside the instance/,
    },
    {
      given: 'two of one name',
      found: 'name: tekton-defaults',
      by: 'name: reconcile-checks',
      says: /duplicate target reconcile-checks/,
    },
    { given: 'no YAML', found: 'upstreams:', by: 'upstreams: [', says: /promotion\.yml:\d+:\d+ is not valid YAML/ },
  ])('$given', async ({ found, by, says }) => {
    await init();
    instance.write('promotion.yml', instance.text('promotion.yml').replace(found, by));
    const { code, stderr } = await runCli(
      ['promote', 'plan', '--offline', '--allow-rollback', '--to', 'f'.repeat(40)],
      {
        cwd: instance.root,
      },
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(says);
    expect(stderr).toContain('PROMOTION_FILE_INVALID');
  });
});
