import { describe, expect, it, onTestFinished } from 'vitest';
import { TWO_WAVES } from '../support/rollout-fleet.ts';
import { integrationText, type SimFleet, simFleet } from '../support/sim-fleet.ts';

const RECORD = 'GET /api/v1/namespaces/fleet/configmaps/echelon-rollouts';
const PODS = ['GET /api/v1/namespaces/fleet/pods', 'GET /apis/batch/v1/namespaces/fleet/jobs'];

interface Timed {
  readonly fleet: SimFleet;
  /** One pass of a loop, half an hour after the one before: its requests, by cluster. */
  pass(record?: string): Promise<Record<string, string[]>>;
  promote(tag: string): void;
}

/** A track in one cluster, and in another an integration that is in no track. */
async function installed(): Promise<Timed> {
  let now = Date.parse('2026-03-02T08:00:00Z');
  const fleet = await simFleet(['lab', 'edge'], { clock: () => new Date(now) });
  onTestFinished(() => fleet.dispose());
  fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab']));
  fleet.write('integrations/free.yml', integrationText('free', ['edge']));
  const pass = async (record = 'configmap:fleet/echelon-rollouts') => {
    now += 30 * 60_000;
    for (const sim of fleet.clusters.values()) sim.clearRequests();
    const args = ['run', 'integrations-manager', '--run-once', '--no-lease', '--poll', '30m', '--metrics-port', '0'];
    const { code, stdout, stderr } = await fleet.cli([...args, '--rollout-record', record]);
    expect(code, stdout + stderr).toBe(0);
    const sent = ({ requests }: SimFleet['sim']): string[] =>
      requests.map(({ method, path }) => `${method} ${path}`).sort();
    return Object.fromEntries([...fleet.clusters].map(([name, sim]) => [name, sent(sim)]));
  };
  const promote = (tag: string): void =>
    fleet.write(
      'environments/lab.yml',
      `$schema: /app-sre/environment-1.yml\nname: lab\nservicePhase: production\nproduct: { $ref: /product.yml }\nparameters: { IMAGE_TAG: ${tag} }\n`,
    );
  await pass(fleet.manager.path('record'));
  return { fleet, pass, promote };
}

const and = (before: readonly string[] | undefined, more: readonly string[]): string[] =>
  [...(before ?? []), ...more].sort();

describe('A6: the requests of a pass with rollouts', () => {
  it('are those without, one read of the record, and pods and jobs only where shards are under way', async () => {
    const { fleet, pass, promote } = await installed();
    const without = await pass(fleet.manager.path('record'));
    expect(without['lab']).not.toEqual(expect.arrayContaining(PODS));
    const track = TWO_WAVES.replace('environments: [lab]', 'integrations: [terraform-resources]');
    fleet.manager.write('instance/resources/echelon/rollouts.yml', track);
    for (let adopted = 0; adopted < 5; adopted += 1) await pass();
    const complete = { ...without, lab: and(without['lab'], [RECORD]) };
    expect(await pass()).toEqual(complete);
    expect(await pass()).toEqual(complete);

    promote('0473914');
    await pass();
    await pass();
    // The canary soaks for an hour: nothing moves, and only the time passes.
    const soaking = await pass();
    const writes = soaking['lab']?.filter((request) => !request.startsWith('GET ')) ?? [];
    expect(writes).toEqual(['PUT /api/v1/namespaces/fleet/configmaps/echelon-rollouts']);
    const reads = { ...soaking, lab: soaking['lab']?.filter((request) => request.startsWith('GET ')) };
    // Storing the record reads it once more, to compare and swap.
    expect(reads).toEqual({ ...without, lab: and(without['lab'], [RECORD, RECORD, ...PODS]) });
  });
});
