import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { runCli } from '../support/run-cli.ts';
import { OCMS, type SomeOcm, startOcm } from '../support/two-ocms.ts';
import { apply, forecast, plan } from '../support/upgrade-commands.ts';
import { type GivenOrganization, member } from '../support/upgrade-world.ts';

let ocm: SomeOcm;
afterEach(() => ocm.dispose());

type Command = (io: Io, clock: { now(): Date; sleep(): Promise<void> }) => Promise<number>;

/** What a command prints, so many hours after the start. */
async function run(command: Command, hours = 0): Promise<string> {
  return (await ran(command, hours)).text;
}

/** Pauses between attempts end at once. */
async function ran(command: Command, hours = 0): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (some: string): void => {
    text += some;
  };
  const output = { isTTY: false, write };
  const io: Io = {
    ...{ stdout: output, stderr: output, cwd: ocm.folder, env: ocm.env, signal: new AbortController().signal },
  };
  const now = (): Date => new Date(ocm.start.getTime() + hours * 3_600_000);
  return { code: await command(io, { now, sleep: async () => undefined }), text };
}

const aus = (...args: readonly string[]) => runCli(['aus', ...args], { env: ocm.env, cwd: ocm.folder });

const FLAGS = { configFile: 'upgrades.yml', output: 'table' } as const;
const applied: Command = (io, clock) => apply(io, { ...FLAGS, yes: true }, clock);
const planned: Command = (io, clock) => plan(io, FLAGS, clock);
const plannedAsBefore: Command = (io, clock) => plan(io, { ...FLAGS, rules: 'qontract' }, clock);
const foretold: Command = (io, clock) => forecast(io, { ...FLAGS, days: 3, every: 10, org: ['org-1'] }, clock);

const upgradesIn = (text: string): string[] =>
  [...text.matchAll(/^\S+ +(\S+) +\S+ +upgrade +(\S+)/gm)].map(([, name, to]) => `${name} ${to}`);

describe.each(OCMS)('with the %s OCM', (kind) => {
  const start = async (...organizations: readonly GivenOrganization[]): Promise<void> => {
    ocm = await startOcm(kind, organizations);
  };

  it('one pass with a clock far ahead delays soak by a day of right passes', async () => {
    await start({
      id: 'org-1',
      clusters: [member('canary', {}, { version: '4.18.3' }), member('waits', { 'soak-days': 1 })],
    });
    for (const hours of [0, 1, 45 * 24]) await run(applied, hours);
    expect(await run(applied, 2)).toMatch(/^delayed: .+: soak is not counted before /m);
    for (let hours = 3; hours < 26; hours += 1) await run(applied, hours);
    const after = await run(applied, 26);
    expect(after).not.toContain('delayed');
    expect(after).toContain('soaked 0.08 of 1 days');
    expect(await run(applied, 27)).toContain('soaked 0.12 of 1 days');
  });

  it('a forecast stops at the gate of a minor that only another organization is offered', async () => {
    await start(
      { id: 'org-1', clusters: [member('alpha')] },
      { id: 'org-2', clusters: [member('ahead', { 'soak-days': 99 }, { channel: 'stable-4.19' })] },
    );
    expect(await run(foretold)).toMatch(
      /alpha +4\.18\.3 +version-gate +not agreed for 4\.19: api\.openshift\.com\/gate-ocp/,
    );
  });

  it('the first pass keeps the inherited floor', async () => {
    await start(
      {
        id: 'a-heir',
        aus: { 'version-data.inherit': 'b-source', 'sector-deps.s': '' },
        clusters: [member('heir', { sector: 's' })],
      },
      {
        id: 'b-source',
        aus: { 'version-data.publish': 'a-heir' },
        clusters: [member('canary', { schedule: '0 8 1 1 *' })],
      },
    );
    const text = await run(applied);
    expect(upgradesIn(text)).toEqual([]);
    expect(text).toContain('inherited workload wl still has clusters on 4.18.1');
  });

  it('an upgrade that is cancelled frees its mutexes at once', async () => {
    const given = { mutexes: 'm', schedule: '0 11 * * *' };
    await start({ id: 'org-1', clusters: [member('a', given), member('b', given)] });
    const minute = 1 / 60;
    expect(upgradesIn(await run(applied))).toEqual(['a 4.18.3']);
    ocm.block('org-1', '^4\\.18\\.3$');
    expect(await run(applied, minute)).toMatch(/ a +4\.18\.1 +cancel +4\.18\.3/);
    expect(upgradesIn(await run(applied, 2 * minute))).toEqual(['a 4.18.2']);
  });

  it.each(['/labels', '/subscriptions', '/clusters', '/upgrade_policies'])(
    'half a page of %s frees no mutex: it is an error, and nothing is scheduled',
    async (list) => {
      const idle = { 'soak-days': 9 };
      const [zulu, alpha] = [member('zulu', { mutexes: 'm' }), member('alpha', { mutexes: 'm' })];
      await start({ id: 'org-1', clusters: [zulu, member('yankee', idle), member('bravo', idle), alpha] });
      // The simulated OCM lists by id and has ages, the second one lists as given: the holder is in the second half.
      const holder = kind === 'simulated' ? 'zulu' : 'alpha';
      expect(upgradesIn(await run(applied))).toEqual([`${holder} 4.18.3`]);
      const { undo } = ocm.halve(list);
      // After the 15 minutes in which an upgrade that was asked for counts as scheduled, whatever OCM lists.
      for (const command of [planned, applied]) {
        const { code, text } = await ran(command, 0.3);
        expect([code, upgradesIn(text)]).toEqual([1, []]);
        expect(text).toMatch(
          new RegExp(`GET ${ocm.url}\\S*${list} returned an incomplete list 3 times: \\d+ rows, but a total of`),
        );
      }
      undo();
      const { code, text } = await ran(planned, 0.3);
      expect([code, upgradesIn(text)]).toEqual([0, []]);
      expect(text).toContain(`mutex m is held by ${holder}`);
    },
  );

  it('a version is blocked in an emergency, whatever older pattern is not valid', async () => {
    await start({ id: 'org-1', aus: { 'blocked-versions': '(?=4)' }, clusters: [] });
    const { code, stderr } = await aus('apply', 'version-blocks', '-b', '^4\\.18\\.3$');
    expect([code, stderr]).toEqual([0, expect.stringContaining('"(?=4)" is not a valid regular')]);
    const { stdout } = await aus('get', 'version-blocks');
    expect(JSON.parse(stdout)).toEqual(['(?=4)', '^4\\.18\\.3$']);
  });

  it('two faulty sector labels are repaired one at a time', async () => {
    const faulty = { 'sector-max-parallel-upgrades.a': 'x', 'sector-max-parallel-upgrades.b': 'y' };
    await start({ id: 'org-1', aus: { 'sector-deps.a': 'b', ...faulty }, clusters: [] });
    const first = await aus('apply', 'sectors', '-m', 'a=1');
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('"y" is not a valid limit')]);
    const second = await aus('apply', 'sectors', '-m', 'b=50%');
    expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('is not a valid limit')]);
  });

  it('validate says which source of history is not served', async () => {
    await start(
      { id: 'org-1', aus: { 'version-data.inherit': 'org-2' }, clusters: [] },
      { id: 'org-2', aus: { 'version-data.publish': 'org-1' }, clusters: [] },
    );
    const environments = [
      { name: 'test', url: ocm.url, credentials: { clientId: 'robot', clientSecretEnv: 'NOT_SET' } },
    ];
    writeFileSync(
      join(ocm.folder, 'served.yml'),
      JSON.stringify({ environments, organizations: { allow: ['org-1'] } }),
    );
    const { stderr } = await aus('validate', '--config-file', 'served.yml');
    expect(stderr).toContain('so every cluster here waits for good: no history yet of org-2\n');
  });

  it('by the existing rules a cluster that is not ready is not there, whatever its labels', async () => {
    await start({
      id: 'org-1',
      clusters: [member('good'), member('asleep', { 'soak-days': 'few', schedule: 'x' }, { state: 'hibernating' })],
    });
    const text = await run(plannedAsBefore);
    expect([upgradesIn(text), text]).toEqual([['good 4.18.3'], expect.not.stringContaining('asleep')]);
    expect(await run(planned)).toContain('asleep');
  });
});
