import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleRun, consoleOf } from '../support/console-run.ts';
import { SIM_TOKEN, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

let fleet: SimFleet;
let run: ConsoleRun;
let writes: number;
beforeAll(async () => {
  fleet = await simFleet();
  await fleet.run(['apply', '--yes']);
  writes = writesOf(fleet.sim).length;
  run = await consoleOf(fleet);
});
afterAll(async () => {
  await run.stop();
  await fleet.dispose();
});

async function get(path: string): Promise<string> {
  return (await fetch(run.url + path)).text();
}

describe('the shards of an instance', () => {
  it('are all there, for people and programs, with state and image', async () => {
    const { items, kind } = JSON.parse(await get('/shards.json'));
    expect(kind).toBe('ConsoleShardList');
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({
      ...{ integration: 'terraform-resources', environment: 'lab', namespace: 'fleet', cluster: 'lab' },
      ...{ expectedTag: 'f929a38', liveTag: 'f929a38' },
    });
    const body = await get('/shards');
    expect(body).toContain('Shards × images');
    expect(body).toContain('<th scope="col"><a href="/shards?image=f929a38">f929a38</a></th>');
  });

  it.each([
    { search: 'integration=terraform-resources', count: 3 },
    { search: 'image=f929a38&env=lab', count: 3 },
    { search: 'q=alpha', count: 1 },
    { search: 'namespace=elsewhere', count: 0 },
  ])('by $search are $count', async ({ search, count }) => {
    expect(JSON.parse(await get(`/shards.json?${search}`)).items).toHaveLength(count);
    expect(await get(`/shards?${search}`)).toContain(`<span data-count>${count}</span> of 3 shards`);
  });

  it('have a page that says how to compare images where no comparison is recorded', async () => {
    const [{ cluster, namespace, name, shard }] = JSON.parse(await get('/shards.json')).items;
    const page = await get(`/shards/${cluster}/${namespace}/${name}`);
    expect(page).toContain('No comparison of images is recorded');
    expect(page).toContain(`<code>echelon shadow terraform-resources --shard ${shard} -e lab --candidate IMAGE</code>`);
  });

  it('are only looked at, and the half without OCM says how to configure it', async () => {
    expect(writes).toBeGreaterThan(0);
    expect(writesOf(fleet.sim)).toHaveLength(writes);
    expect(await get('/clusters')).toContain('The instance declares no OCM environment.');
    expect((await get('/')) + run.output.stderr).not.toContain(SIM_TOKEN);
  });
});
