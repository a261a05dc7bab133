import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SIM_TOKEN, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

const UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';
const OTHERS_IMAGE = 'quay.io/app-sre/qontract-reconcile:theirs';

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: { readonly template: { readonly spec: { readonly containers: { image: string }[] } } };
}

let fleet: SimFleet;
beforeEach(async () => {
  fleet = await simFleet();
});
afterEach(() => fleet.dispose());

/** A request of an existing manager. */
async function existing(method: string, path: string, body: object): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await fetch(`${fleet.sim.url}/apis/apps/v1/namespaces/fleet/deployments${path}?fieldManager=oc`, {
    method,
    headers: { authorization: `Bearer ${SIM_TOKEN}`, 'content-type': type },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
}

const annotations = (at: string) => ({
  'qontract.integration': 'integrations-manager',
  'qontract.integration_version': '0.1.0',
  'qontract.sha256sum': 'a'.repeat(64),
  'qontract.caller_name': UPSTREAM,
  'qontract.update': at,
});

/** The rendered workloads, as an existing manager deploys them: beta with another image. */
async function deployed(): Promise<void> {
  const { stdout } = await fleet.run(['render', '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: { objects: Workload[] }[] };
  for (const { kind, ...object } of items.flatMap(({ objects }) => objects)) {
    if (kind !== 'Deployment') continue;
    if (object.metadata.name.endsWith('-beta')) object.spec.template.spec.containers[0]!.image = OTHERS_IMAGE;
    const metadata = { ...object.metadata, annotations: annotations('2026-01-01T00:00:00Z') };
    await existing('POST', '', { ...object, kind, metadata });
  }
}

const images = () =>
  fleet.sim.store
    .list('apps/v1', 'Deployment', 'fleet')
    .map((one) => (one as unknown as Workload).spec.template.spec.containers[0]!.image.split(':')[1]);
const apply = (...args: readonly string[]) => fleet.run(['apply', '--yes', ...args]);

describe('taking over a fleet', () => {
  it('says first how many pod templates change and why, and leaves those alone without consent', async () => {
    await deployed();
    const planned = await fleet.run(['plan']);
    expect(planned.code).toBe(1);
    expect(planned.stdout.split('\n').slice(0, 3)).toEqual([
      'Takeover: 3 workloads of an existing manager; 1 pod template changes, by field and number of objects:',
      '  spec.containers[int].image (1)',
      expect.stringMatching(/^Those are left alone: .*\(--chart\).*--adopt-templates/),
    ]);
    const { takeOver } = JSON.parse((await fleet.run(['plan', '-o', 'json'])).stdout);
    expect(takeOver).toEqual({
      workloads: 3,
      templates: 1,
      fields: [{ path: 'spec.containers[int].image', objects: 1 }],
      adoptTemplates: false,
    });
    const partly = await apply();
    expect(partly.code).toBe(1);
    expect(partly.stdout).toMatch(/Applied \S+: 3 objects written/);
    expect(images()).toEqual(['f929a38', 'theirs', 'f929a38']);
    expect(await apply('--adopt-templates')).toMatchObject({ code: 0, stderr: '' });
    expect(images()).toEqual(['f929a38', 'f929a38', 'f929a38']);
    fleet.sim.clearRequests();
    expect(await apply()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Takeover') });
    expect(writesOf(fleet.sim)).toEqual([]);
  });

  it('once more after a hand-back needs no --force-conflicts, and settles where nothing differs', async () => {
    expect(await apply()).toMatchObject({ code: 0 });
    const template = { spec: { containers: [{ name: 'int', image: OTHERS_IMAGE }] } };
    const back = { metadata: { annotations: annotations('2026-02-01T00:00:00Z') } };
    const names = ['alpha', 'beta'].map((shard) => `/qontract-reconcile-terraform-resources-${shard}`);
    await existing('PATCH', names[0]!, { metadata: { annotations: { 'qontract.update': '2026-02-01T00:00:00Z' } } });
    await existing('PATCH', names[1]!, { ...back, spec: { template } });
    const { stdout } = await fleet.run(['plan']);
    expect(stdout).toMatch(/^Takeover: 2 workloads .*; 1 pod template changes/);
    expect(stdout).toMatch(/update .*-alpha .*takes over the fields of oc$/m);
    expect(await apply('--adopt-templates')).toMatchObject({ code: 0, stderr: '' });
    expect(images()).toEqual(['f929a38', 'f929a38', 'f929a38']);
    fleet.sim.clearRequests();
    expect(await apply()).toMatchObject({ code: 0 });
    expect(writesOf(fleet.sim)).toEqual([]);
  });
});
