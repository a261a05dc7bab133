import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import { integrationText, writesOf } from '../support/sim-fleet.ts';

const [OLD, NEW, NEWER] = ['f929a38', '0473914', 'a1b2c3d'];

let fleet: RolloutFleet;
beforeEach(async () => {
  fleet = await rolloutFleet();
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
});
afterEach(() => fleet.dispose());

const manager = (args: readonly string[]) => fleet.run([...args, '--rollout-record', fleet.record()]);
const all = (tag: string) => ({ alpha: tag, beta: tag, gamma: tag });
const pin = (account: string, tag: string): void =>
  fleet.write(
    'integrations/terraform-resources.yml',
    integrationText(
      'terraform-resources',
      ['lab'],
      `    shardSpecOverrides:\n    - { shard: { $ref: /aws/${account}.yml }, imageRef: ${tag} }\n`,
    ),
  );
const file = (): string => fleet.manager.path('plan.json');

describe('A4: a saved plan with images', () => {
  it('is stale when rollouts hold them now, though it was saved before there was a file', async () => {
    fleet.promote(NEW);
    expect((await manager(['plan', '--save', file()])).code).toBe(0);
    fleet.declare(TWO_WAVES);
    const before = writesOf(fleet.sim).length;
    const { code, stderr } = await manager(['apply', file(), '--yes']);
    expect({ code, images: fleet.images() }).toEqual({ code: 1, images: all(OLD) });
    expect(stderr).toContain('PLAN_STALE');
    expect(stderr).toMatch(/-beta does not get \S+:0473914 now: wave rest: /);
    expect(writesOf(fleet.sim)).toHaveLength(before);
  });

  it('is stale when the file cannot be read any more', async () => {
    fleet.promote(NEW);
    await manager(['plan', '--save', file()]);
    fleet.declare('tracks: [');
    const { code, stderr } = await manager(['apply', file(), '--yes']);
    expect({ code, images: fleet.images() }).toEqual({ code: 1, images: all(OLD) });
    expect(stderr).toContain('PLAN_STALE');
  });

  it('is applied where there are no rollouts, also when another image is declared since', async () => {
    fleet.promote(NEW);
    await manager(['plan', '--save', file()]);
    fleet.promote(NEWER);
    expect((await manager(['apply', file(), '--yes'])).code).toBe(0);
    expect(fleet.images()).toEqual(all(NEW));
  });
});

describe('A4: a saved plan of a fleet with rollouts', () => {
  beforeEach(async () => {
    fleet.declare(TWO_WAVES);
    expect((await fleet.pass()).code).toBe(0);
    pin('gamma', NEWER);
  });

  it('is applied while the record is the same', async () => {
    await manager(['plan', '--save', file()]);
    expect((await manager(['apply', file(), '--yes'])).code).toBe(0);
    expect(fleet.images()).toEqual({ ...all(OLD), gamma: NEWER });
  });

  it('is stale when the record has another version', async () => {
    await manager(['plan', '--save', file()]);
    // Its object stays as it is, while a rollout begins.
    fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab']));
    fleet.promote(NEW);
    await fleet.pass();
    fleet.promote(OLD);
    pin('gamma', NEWER);
    const { code, stderr } = await manager(['apply', file(), '--yes']);
    expect({ code, images: fleet.images() }).toEqual({ code: 1, images: { ...all(OLD), alpha: NEW } });
    expect(stderr).toContain('the record of rollouts changed since then');
  });
});

describe('manager apply without a lease', () => {
  beforeEach(async () => {
    fleet.declare(TWO_WAVES);
    expect((await fleet.pass()).code).toBe(0);
    fleet.promote(NEW);
  });

  it('A4: leaves holds as they are, and says why in one line', async () => {
    const { code, stderr } = await manager(['apply', '--yes']);
    expect({ code, images: fleet.images() }).toEqual({ code: 0, images: all(OLD) });
    expect(stderr.split('\n').filter((text) => text.startsWith('note: '))).toEqual([
      expect.stringMatching(/1 shard could move now.* only the holder of the lease moves shards/),
    ]);
  });

  it('F3: fails where the file cannot be read', async () => {
    fleet.declare('tracks: [');
    const { code, stderr } = await manager(['apply', '--yes']);
    expect({ code, images: fleet.images() }).toEqual({ code: 1, images: all(OLD) });
    expect(stderr).toContain('[ROLLOUTS_INVALID]');
  });
});

describe('manager apply --lease', () => {
  const LEASE = 'lab/fleet/integrations-manager';
  const lease = () =>
    fleet.sim.store.get('coordination.k8s.io/v1', 'Lease', 'fleet', 'integrations-manager')?.['spec'] as
      | { readonly holderIdentity: string; readonly leaseTransitions: number }
      | undefined;

  beforeEach(async () => {
    fleet.declare(TWO_WAVES);
    expect((await fleet.pass()).code).toBe(0);
    fleet.promote(NEW);
  });

  it('A4: takes the lease, moves what may move, and leaves the lease free', async () => {
    const { code, stderr } = await manager(['apply', '--yes', '--lease', LEASE]);
    expect({ code, images: fleet.images() }, stderr).toEqual({ code: 0, images: { ...all(OLD), alpha: NEW } });
    expect(stderr).not.toContain('only the holder');
    expect(lease()?.holderIdentity).toBe('');
    // A3: the move is in the record, so that the next pass goes on with it.
    const before = writesOf(fleet.sim).length;
    expect((await fleet.pass()).code).toBe(0);
    expect(writesOf(fleet.sim)).toHaveLength(before);
  });

  it('moves nothing while a manager renews the lease', async () => {
    const now = new Date().toISOString().replace('Z', '000Z');
    fleet.sim.store.put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'fleet', name: 'integrations-manager' },
      spec: {
        holderIdentity: 'pod-1',
        acquireTime: now,
        renewTime: now,
        leaseDurationSeconds: 600,
        leaseTransitions: 1,
      },
    });
    const before = writesOf(fleet.sim).length;
    const { code, stderr } = await manager(['apply', '--yes', '--lease', LEASE]);
    expect({ code, images: fleet.images() }).toEqual({ code: 1, images: all(OLD) });
    expect(stderr).toMatch(/held by pod-1.*\n.*LEASE_HELD/);
    expect(writesOf(fleet.sim)).toHaveLength(before);
  });

  it('in a dry run shows the move and takes no lease', async () => {
    const { code, stdout } = await manager(['apply', '--dry-run', '--lease', LEASE]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^update +lab\/fleet +Deployment \S+-alpha/m);
    expect(lease()).toBeUndefined();
  });

  it('is needed for a saved plan with moves, which is applied once', async () => {
    await manager(['plan', '--save', file(), '--lease', LEASE]);
    const refused = await manager(['apply', file(), '--yes']);
    expect(refused.stderr).toContain('PLAN_STALE');
    expect(refused.stderr).toContain('only the manager that holds the lease moves shards');
    expect((await manager(['apply', file(), '--yes', '--lease', LEASE])).code).toBe(0);
    expect(fleet.images()).toEqual({ ...all(OLD), alpha: NEW });
    expect((await manager(['apply', file(), '--yes', '--lease', LEASE])).stderr).toContain('PLAN_STALE');
  });

  it('R4: refuses a saved plan with moves when a freeze has begun', async () => {
    await manager(['plan', '--save', file(), '--lease', LEASE]);
    fleet.declare(
      `${TWO_WAVES}freezes:\n- { name: now, from: 2020-01-01T00:00:00Z, until: 2120-01-01T00:00:00Z, reason: r }\n`,
    );
    const { code, stderr } = await manager(['apply', file(), '--yes', '--lease', LEASE]);
    expect({ code, images: fleet.images() }).toEqual({ code: 1, images: all(OLD) });
    expect(stderr).toContain('PLAN_STALE');
  });
});
