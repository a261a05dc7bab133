import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/manager-run.ts';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

const ONE = 'https://example.com/one';
const TWO = 'https://example.com/two';
const DEFAULT = 'https://github.com/app-sre/qontract-reconcile';
const FILE = `upstreams:
- { url: '${ONE}', image: registry.example.com/one, tag: v1 }
- { url: '${TWO}', image: registry.example.com/two, tagParameter: TWO_TAG }
`;

let fleet: SimFleet;
beforeEach(async () => {
  fleet = await simFleet();
  declare('terraform-resources', ONE);
  declare('terraform-users', TWO);
  declare('openshift-users');
  environment('TWO_TAG: v2');
});
afterEach(() => fleet.dispose());

const declare = (name: string, upstream?: string): void =>
  fleet.write(
    `integrations/${name}.yml`,
    `${integrationText(name, ['lab']).replace('strategy: per-aws-account', 'strategy: static')}${upstream === undefined ? '' : `upstream: ${upstream}\n`}`,
  );
const environment = (...more: readonly string[]): void =>
  fleet.write(
    'environments/lab.yml',
    `$schema: /app-sre/environment-1.yml\nname: lab\nservicePhase: production\nproduct: { $ref: /product.yml }\nparameters: { ${['IMAGE_TAG: f929a38', ...more].join(', ')} }\n`,
  );
const file = (text: string): string => fleet.manager.write('instance/resources/echelon/manager.yml', text);
const apply = (...args: readonly string[]) => fleet.run(['apply', '--yes', ...args]);

/** What runs in the cluster: the image and the manager of every workload. */
function running(): Record<string, readonly [image: string, caller: string]> {
  return Object.fromEntries(
    fleet.sim.store.list('apps/v1', 'Deployment', 'fleet').map(({ metadata, ...rest }) => {
      const { containers } = (rest['spec'] as { template: { spec: { containers: { image: string }[] } } }).template
        .spec;
      const annotations = metadata['annotations'] as Record<string, string>;
      const caller = annotations['qontract.caller_name'] ?? '';
      return [metadata.name.replace('qontract-reconcile-', ''), [containers[0]?.image ?? '', caller]];
    }),
  );
}

const EACH = {
  'openshift-users': ['quay.io/app-sre/qontract-reconcile:f929a38', DEFAULT],
  'terraform-resources': ['registry.example.com/one:v1', ONE],
  'terraform-users': ['registry.example.com/two:v2', TWO],
};
const FOREIGN = (upstream: string): string =>
  `warning: no image is declared for the upstream ${upstream}: it would run quay.io/app-sre/qontract-reconcile`;

describe('with resources/echelon/manager.yml', () => {
  it('S4: every integration runs the image of its upstream, and a second pass writes nothing', async () => {
    file(FILE);
    expect(await apply()).toMatchObject({ code: 0, stderr: '' });
    expect(running()).toEqual(EACH);
    fleet.sim.clearRequests();
    for (const more of [[], ['--upstream', ONE], ['--upstream', TWO]])
      expect(await apply(...more)).toMatchObject({ code: 0, stderr: '' });
    expect(writesOf(fleet.sim)).toEqual([]);
  });

  it('its managers and one for all of them agree, whichever came first', async () => {
    file(FILE);
    for (const upstream of [TWO, ONE])
      expect(await apply('--upstream', upstream)).toMatchObject({ code: 0, stderr: '' });
    expect(await apply()).toMatchObject({ code: 0, stderr: '' });
    expect(running()).toEqual(EACH);
    fleet.sim.clearRequests();
    for (const more of [[], ['--upstream', ONE], ['--upstream', TWO]]) await apply(...more);
    expect(writesOf(fleet.sim)).toEqual([]);
  });

  it('what ran a foreign image before is corrected, and stays one object', async () => {
    await apply();
    expect(running()['terraform-users']).toEqual(['quay.io/app-sre/qontract-reconcile:f929a38', DEFAULT]);
    file(FILE);
    expect(await apply()).toMatchObject({ code: 0, stderr: '' });
    expect(running()).toEqual(EACH);
  });

  it.each([
    { given: 'a flag for the image', args: ['--image', 'example.com/x'], env: {}, image: 'example.com/x:v2' },
    { given: 'a variable', args: [], env: { INTEGRATIONS_MANAGER_IMAGE: 'example.com/y' }, image: 'example.com/y:v2' },
    {
      given: 'a flag for the ref',
      args: ['-r', `lab=${'c'.repeat(40)}`],
      env: {},
      image: 'registry.example.com/two:ccccccc',
    },
    { given: 'a parameter', args: ['-p', 'IMAGE_TAG=mine'], env: {}, image: 'registry.example.com/two:mine' },
    {
      given: "the manager's own tag does not, and",
      args: [],
      env: { IMAGE_TAG: 'of-the-manager' },
      image: 'registry.example.com/two:v2',
    },
  ])('$given wins', async ({ args, env, image }) => {
    file(FILE);
    await fleet.run(['apply', '--yes', ...args], { env });
    expect(running()['terraform-users']?.[0]).toBe(image);
  });

  it('its defaults are those of the flags, and an empty name means all', async () => {
    file(`${FILE}defaults: { environment: lab, upstream: '${TWO}' }\n`);
    await apply();
    expect(Object.keys(running())).toEqual(['terraform-users']);
    await apply('--environment-name', '');
    expect(running()).toEqual(EACH);
  });

  it('a manager with its default environment has the record of rollouts of one that is given it', async () => {
    file(`${FILE}defaults: { environment: lab }\n`);
    fleet.manager.write(
      'instance/resources/echelon/rollouts.yml',
      'tracks: [{ name: all, match: {}, waves: [{ name: rest }], health: { queries: [] } }]\n',
    );
    const places = [];
    for (const given of [{}, { ENVIRONMENT_NAME: 'lab' }]) {
      const record = fleet.manager.path(`record-${places.length}`);
      const env = {
        RUN_ONCE: 'true',
        DRY_RUN: '',
        PROMETHEUS_PORT: '0',
        ECHELON_ROLLOUT_RECORD: `file:${record}`,
        ...given,
      };
      expect(await fleet.cli(['run', 'integrations-manager', '--no-lease'], { env })).toMatchObject({ code: 0 });
      places.push(Object.keys(filesBelow(record)));
    }
    expect(places[0]).toHaveLength(1);
    expect(places[0]).toEqual(places[1]);
  });

  it('status, render, values and the manager as a pod take it from the same place', async () => {
    file(FILE);
    const rendered = await fleet.run(['render']);
    for (const [image] of Object.values(EACH))
      expect(rendered.stdout).toContain(`image: "${image}"`.replaceAll('"', ''));
    const env = { RUN_ONCE: 'true', DRY_RUN: '', PROMETHEUS_PORT: '0' };
    expect(await fleet.cli(['run', 'integrations-manager', '--no-lease'], { env })).toMatchObject({ code: 0 });
    expect(running()).toEqual(EACH);
    expect((await fleet.run(['values'])).code).toBe(0);
    const { stdout } = await fleet.run(['status', '-o', 'json']);
    const images = JSON.parse(stdout).items.map(({ expected }: { expected: string }) => expected);
    expect(images.sort()).toEqual(Object.values(EACH).map(([image]) => image));
  });

  it.each([
    {
      given: 'an unknown field',
      text: FILE.replace('image:', 'imag:'),
      says: /manager\.yml:2:\d+: .*imag.*did you mean image /,
    },
    { given: 'broken YAML', text: 'upstreams: [', says: /manager\.yml:1:\d+: / },
    {
      given: 'an environment without the parameter',
      text: FILE.replace('TWO_TAG', 'TWO_TOG'),
      says: /no parameter TWO_TOG/,
    },
  ])('$given stops what it concerns, with its place', async ({ text, says }) => {
    file(text);
    const { code, stderr } = await apply();
    expect(code).toBe(1);
    expect(stderr).toMatch(says);
    expect(running()['terraform-users']).toBeUndefined();
  });
});

describe('without it', () => {
  it('an integration of another upstream than that of the default image is a warning', async () => {
    const { code, stderr } = await fleet.run(['plan']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`data/integrations/terraform-users.yml:\\d+:\\d+: ${FOREIGN(TWO)} \\[foreign-image\\]`),
    );
    expect(stderr).not.toContain('openshift-users');
    expect(await fleet.run(['plan', '--image', 'example.com/x'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('--upstream', () => {
  it.each([
    { given: 'with a manager.yml', text: FILE },
    { given: 'without one', text: undefined },
  ])('$given never deletes what is declared for another upstream, whoever wrote it', async ({ text }) => {
    await apply();
    if (text !== undefined) file(text);
    declare('openshift-users', DEFAULT);
    const { stdout } = await fleet.run(['plan', '--upstream', DEFAULT, '--allow-mass-deletion']);
    expect(stdout).not.toContain('delete ');
    const status = await fleet.run(['status', '--upstream', DEFAULT]);
    expect(status.stdout).not.toContain('no integration declares it');
  });

  it('takes over what its data repository wrote for another upstream', async () => {
    await apply();
    file(FILE);
    expect(await apply('--upstream', TWO)).toMatchObject({ code: 0, stderr: '' });
    expect(running()).toMatchObject({ 'terraform-users': EACH['terraform-users'] });
    expect(running()['terraform-resources']?.[1]).toBe(DEFAULT);
  });

  it('still deletes what nobody declares any more', async () => {
    file(FILE);
    await apply();
    fleet.write(
      'integrations/terraform-users.yml',
      '$schema: /app-sre/integration-1.yml\nname: x\ndescription: x\nschemas: []\n',
    );
    await apply('--upstream', TWO, '--cluster', 'lab', '--allow-mass-deletion');
    expect(Object.keys(running())).toEqual(['openshift-users', 'terraform-resources']);
  });
});

describe('validate', () => {
  it.each([
    { given: 'a good one', text: FILE, says: '' },
    {
      given: 'an environment that does not exist',
      text: `${FILE}defaults: { environment: lob }\n`,
      says: 'no environment lob in this instance [unknown-environment]\n    at defaults.environment; did you mean lab?',
    },
    {
      given: 'a mistyped upstream',
      text: FILE.replace(`${TWO}'`, `${TWO}o'`),
      says: `warning: no integration of ${TWO}o [unused-upstream]\n    at upstreams[1].url; did you mean ${TWO}?`,
    },
    {
      given: 'an environment without the parameter of a tag',
      text: FILE.replace('TWO_TAG', 'TWO_TOG'),
      says: 'environment lab has no parameter TWO_TOG [unknown-parameter]\n    at upstreams[1].tagParameter; did you mean TWO_TAG?',
    },
    {
      given: 'an upstream whose image nobody declares',
      text: `upstreams: [{ url: '${ONE}', image: example.com/one }]\n`,
      says: FOREIGN(TWO),
    },
  ])('with $given', async ({ text, says }) => {
    file(text);
    const ran = await fleet.cli(['validate']);
    if (says === '') expect(ran.stdout).not.toContain('manager.yml');
    else expect(ran.stdout).toContain(says);
  });
});

it('a chart of an upstream renders its integrations, and no others', async () => {
  fleet.manager.write('instance/charts/small/Chart.yaml', 'apiVersion: v2\nname: small\nversion: 0.1.0\n');
  fleet.manager.write(
    'instance/charts/small/templates/all.yaml',
    '{{- range $of := .Values.integrations }}{{- range .shard_specs }}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: "of-{{ $of.name }}{{ .shard_name_suffix }}" }\n{{- end }}{{- end }}\n',
  );
  file(FILE.replace('tag: v1', 'tag: v1, chart: charts/small'));
  const { code, stdout } = await fleet.run(['render', '-o', 'json']);
  const objects = JSON.parse(stdout).items[0].objects as { kind: string; metadata: { name: string } }[];
  expect(code).toBe(0);
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Deployment of-terraform-resources',
    'Deployment qontract-reconcile-openshift-users',
    'Deployment qontract-reconcile-terraform-users',
    'Service qontract-reconcile',
  ]);
});
