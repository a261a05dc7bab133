import * as fc from 'fast-check';
import { load } from 'js-yaml';
import { afterEach, describe, expect, it } from 'vitest';
import { checkedRepository } from '../support/pr-check.ts';
import { promotionWorld } from '../support/promotion-world.ts';
import { holdsAsync } from '../support/property.ts';
import { type Ran, type RunOptions, runCli } from '../support/run-cli.ts';
import { integrationText, simFleet } from '../support/sim-fleet.ts';
import { numberOf } from '../support/upgrade-simulation-check.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { upgradesCli } from '../support/upgrades-cli.ts';

/** What clears a screen, sets a title or a colour, goes back in the line, starts another line, or turns text round. */
const STEERING = [
  ...['\u001b[2J', '\u001b]0;t\u0007', '\u001b[32mGREENED', '\u009b31m', '\u007f', '\b', '\r', '\0', '\u0085'],
  ...['\nFORGED', '\r\nFORGED', '\u2028FORGED', '\u202e', '\u2066', '\n\nerror: FORGED'],
];
const NAMES = fc.shuffledSubarray(STEERING, { minLength: STEERING.length }).map((parts) => `n${parts.join('x')}`);

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0)) await dispose();
});

/** A run in colour, whose own sequences are then removed: what remains steers nothing and starts no line. */
function expectTame({ stdout, stderr }: Ran, args: readonly string[], format: string): void {
  const isDocument = format === 'json' || format === 'yaml';
  expect(stdout + stderr).not.toContain('\u001b[32mGREENED');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
  for (const text of [stdout, stderr].map((one) => one.replaceAll(/\u001b\[(?:[12]|22|3[1236]|39)m/g, ''))) {
    const where = `${args.join(' ')}: ${JSON.stringify(text.slice(0, 3000))}`;
    expect(text, where).not.toMatch(/[^\P{Cc}\n\t]|[\u2028\u2029]/u);
    expect(text, where).not.toMatch(/^\W*(?:error: )?FORGED/m);
    if (!isDocument) expect(text, where).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
  }
  if (format === 'json' && stdout !== '') JSON.parse(stdout);
  if (format === 'yaml' && stdout !== '') load(stdout);
}

const FORMATS = ['table', 'wide', 'name', 'markdown', 'json', 'yaml'];
/** How many names are tried; `make soak` tries many, each in all formats. */
const NAMES_TRIED = numberOf('ECHELON_NAMES', 1);

/** Those that are enough for a run with one name, or all. */
function formatsOf(...enough: readonly string[]): readonly string[] {
  return NAMES_TRIED > 1 ? FORMATS : enough;
}

async function expectAllTame(
  args: readonly string[],
  options: RunOptions,
  formats: readonly string[] = FORMATS,
): Promise<void> {
  for (const format of formats) {
    const ran = await runCli([...args, '-o', format], { ...options, tty: true });
    expectTame(ran, args, format);
  }
}

const quoted = (name: string): string =>
  JSON.stringify(name)
    .replaceAll('\u007f', '\\u007f')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll(/[\u0080-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

describe('names from data steer no terminal and start no line', () => {
  it('of an instance: validate, get, manager plan', async () => {
    await holdsAsync(
      fc.asyncProperty(NAMES, async (name) => {
        const fleet = await simFleet();
        disposals.push(fleet.dispose);
        fleet.write(
          'aws/hostile.yml',
          `$schema: /aws/account-1.yml\nname: ${quoted(name)}\nuid: '1'\nresourcesDefaultRegion: us-east-1\n`,
        );
        fleet.write(
          'clusters/hostile.yml',
          `$schema: /openshift/cluster-1.yml\nname: ${quoted(name)}\nserverUrl: ${quoted(name)}\n`,
        );
        fleet.write(
          'environments/hostile.yml',
          `$schema: /app-sre/environment-1.yml\nname: ${quoted(name)}\n${quoted(name)}: 1\nproduct: { $ref: ${quoted(`/${name}`)} }\n`,
        );
        fleet.write(
          'integrations/hostile.yml',
          integrationText('hostile', ['lab']).replace('name: hostile', `name: ${quoted(name)}`),
        );
        fleet.write(`integrations/${name.replaceAll('\0', '')}.yml`, `$schema: ${quoted(name)}\n`);
        const env = { KUBECONFIG: fleet.manager.path('kubeconfig'), ECHELON_DATA: fleet.manager.path('instance') };
        await expectAllTame(['validate'], { env });
        for (const noun of ['integrations', 'clusters', 'environments', 'accounts', 'shards']) {
          await expectAllTame(['get', noun], { env }, formatsOf('wide', 'name', 'markdown', 'json'));
        }
        for (const format of formatsOf('table', 'name', 'markdown', 'yaml')) {
          expectTame(await fleet.run(['plan', '-o', format], { tty: true }), ['plan'], format);
        }
        expectTame(await runCli(['get', 'clusters', name], { env, tty: true }), ['get', 'clusters', 'NAME'], 'table');
      }),
      { numRuns: NAMES_TRIED },
    );
  });

  it('of clusters in OCM: upgrades plan, explain', async () => {
    await holdsAsync(
      fc.asyncProperty(NAMES, async (name) => {
        const cli = await upgradesCli(
          upgradeFleet([
            {
              id: 'org-1',
              clusters: [
                member('alpha', { sector: name, workloads: name }),
                member(name, { mutexes: name, schedule: name }, { id: 'h', uuid: 'h', subscription: 'h' }),
              ],
            },
          ]),
        );
        disposals.push(cli.dispose);
        const options = { env: cli.io.env as Record<string, string>, cwd: cli.folder };
        await expectAllTame(['upgrades', 'plan', '--config-file', 'upgrades.yml'], options);
        await expectAllTame(
          ['upgrades', 'explain', 'alpha', '--config-file', 'upgrades.yml'],
          options,
          formatsOf('table', 'markdown', 'json'),
        );
      }),
      { numRuns: NAMES_TRIED },
    );
  });

  it('of commits, targets and files: promote plan', async () => {
    await holdsAsync(
      fc.asyncProperty(NAMES, async (name) => {
        const plain = name.replaceAll('\0', '');
        const world = await promotionWorld();
        disposals.push(world.dispose);
        world.sandbox.git(
          'upstream',
          'commit',
          '--quiet',
          '--allow-empty',
          '--cleanup=verbatim',
          `--author=${plain.replaceAll(/[\r\n]/g, '')} <a@example.com>`,
          '--message',
          plain,
        );
        world.write('promotion.yml', world.text('promotion.yml').replace(/name: (\S+)/, `name: ${quoted(name)}`));
        for (const format of formatsOf('table', 'wide', 'markdown', 'json', 'yaml')) {
          const args = ['plan', '--upstream-clone', world.upstream, '-o', format];
          const ran = await runCli(['promote', ...args], { cwd: world.instance, tty: true });
          expect(ran.code).toBe(format === 'name' ? 1 : 0);
          expectTame(ran, args, format);
        }
      }),
      { numRuns: NAMES_TRIED },
    );
  });

  it('of a change: pr-check', async () => {
    await holdsAsync(
      fc.asyncProperty(NAMES, async (name) => {
        const plain = name.replaceAll('\0', '');
        const repository = await checkedRepository();
        disposals.push(repository.dispose);
        repository.write(
          `data/integrations/${plain}.yml`,
          `$schema: /app-sre/integration-1.yml\nname: ${quoted(name)}\nschemas: []\n${quoted(name)}: 1\n`,
        );
        repository.commit();
        for (const format of formatsOf('wide', 'name', 'markdown', 'json')) {
          expectTame(await repository.check(['--no-render', '-o', format], { tty: true }), ['pr-check'], format);
        }
      }),
      { numRuns: NAMES_TRIED },
    );
  });
});
