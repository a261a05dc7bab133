import { escapeControls, markdownCode, markdownPlain, Secrets, shellWords } from '../../src/base/index.ts';
import { instantOf } from '../../src/gates/index.ts';
import { readInstance } from '../../src/instance/index.ts';
import { parseDatafile } from '../../src/instance/parse-datafile.ts';
import { parseEnvFile } from '../../src/instance/sources/directory.ts';
import { readChartOutput } from '../../src/manager/desired/chart-output.ts';
import { processTemplate } from '../../src/manager/desired/template.ts';
import { readSavedPlan } from '../../src/manager/plan/saved-plan.ts';
import { readPromotionFile } from '../../src/promotion/targets/promotion-file.ts';
import { parseCapabilities } from '../../src/sharding/capabilities-file.ts';
import { parseClusterLabels, parseOrganizationLabels } from '../../src/upgrades/policies/labels.ts';
import { policiesWith, type Reservation, settled } from '../../src/upgrades/scheduler/reservations.ts';
import { handMadeSnapshot, integration, leanNamespace, managedIn } from '../support/hand-made-snapshot.ts';

/** Reads data of others at two sizes, in the worst shape known; prints what each size costs. */
const N = 4_000;
const ROUNDS = 5;
const OCM = 'sre-capabilities.aus.';

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');
const datafile = (text: string): unknown => parseDatafile('/a.yml', Buffer.from(text));
const labels = (count: number, name: (at: number) => string, value: string): ReadonlyMap<string, string> =>
  new Map(Array.from({ length: count }, (_, at) => [name(at), value]));

const reservation = (at: number): Reservation => ({
  ...{ kind: 'cluster', clusterId: `c${at}` as Reservation['clusterId'], version: '4.18.3' as Reservation['version'] },
  ...{ nextRun: instantOf(at + 1), at: instantOf(0) },
});

const CASES: Readonly<Record<string, (count: number) => () => unknown>> = {
  'datafile, brackets at the key': (count) => () => datafile(lines(count, () => 'a: [\n1,\n]\n')),
  'datafile, a quote that is never closed': (count) => () => datafile(`a: '${lines(count * 4, () => '\nb: 1')}`),
  'datafile, equal keys': (count) => () => datafile(lines(count, () => 'a: 1\n')),
  'datafile, aliases': (count) => () => datafile(`a: &a {b: 1}\nc:\n${lines(count * 2, () => '- *a\n')}`),
  'datafile, anchors': (count) => () => datafile(`a:\n${lines(count * 2, (at) => `- &a${at} 1\n`)}`),
  'datafile, JSON that ends too early': (count) => () =>
    parseDatafile('/a.json', Buffer.from(`{"a": [${'1, '.repeat(count * 8)}x`)),
  'instance, entries with wrong types': (count) => {
    const managed = Array.from({ length: count }, () => ({ namespace: 1, spec: 2 }));
    const snapshot = handMadeSnapshot({ '/a.yml': integration('a', { managed }) });
    return () => readInstance(snapshot);
  },
  'instance, references to nothing': (count) => {
    const managed = Array.from({ length: count }, (_, at) => managedIn(`/ns-${at}.yml`));
    const snapshot = handMadeSnapshot({ '/ns.yml': leanNamespace('ns'), '/a.yml': integration('a', { managed }) });
    return () => readInstance(snapshot);
  },
  'env file': (count) => () => parseEnvFile(lines(count * 20, (at) => `A${at}="x \\" ${at}\n`)),
  'capabilities file': (count) => () =>
    attempt(() =>
      parseCapabilities(
        'c',
        lines(count, (at) => `a${at}: ['--x']\n`),
      ),
    ),
  'promotion file, unknown fields': (count) => () =>
    attempt(() => readPromotionFile(lines(count, (at) => `a${at}: 1\n`))),
  'promotion file, bad targets': (count) => () =>
    attempt(() => readPromotionFile(`targets:\n${lines(count, (at) => `- { name: ${at}, path: 1 }\n`)}`)),
  'chart output': (count) => () =>
    attempt(() => readChartOutput(lines(count, (at) => `---\nkind: A\nmetadata: {name: a${at}}\n`))),
  'template, references without an end': (count) => () =>
    processTemplate(
      { objects: [{ a: '${'.repeat(count * 200) }, { b: '${{'.repeat(count * 200) }], parameters: [] } as never,
      new Map(),
    ),
  'saved plan': (count) => () =>
    attempt(() =>
      readSavedPlan(JSON.stringify({ items: Array.from({ length: count }, () => ({ action: 'x' })) }), 'plan.json'),
    ),
  'cluster labels, unknown': (count) => () =>
    parseClusterLabels(labels(count, (at) => `${OCM}typo-${at}`, 'x') as never, { strict: true } as never),
  'organization labels, sectors in a chain': (count) => () =>
    parseOrganizationLabels(
      new Map(Array.from({ length: count }, (_, at) => [`${OCM}sector-deps.s${at}`, `s${at + 1}`])) as never,
      { strict: true } as never,
    ),
  'upgrades of one organization that were just requested': (count) => {
    const reservations = Array.from({ length: count }, (_, at) => reservation(at));
    const shown = reservations.map(({ clusterId, kind, version, nextRun }, at) => ({
      ...{ clusterId, kind, version, nextRun, id: `p${at}`, state: 'scheduled' },
    }));
    const settlements = reservations.map((each, at) => ({ reservation: each, policyId: `p${at}` }));
    return () => [policiesWith(shown, reservations, instantOf(0)), settled(reservations, settlements)];
  },
  'output of others, control characters': (count) => () => escapeControls('\u001b[31m\u202e'.repeat(count * 40)),
  'log of a run in Markdown': (count) => () => [
    markdownPlain('`_*[<'.repeat(count * 40)),
    markdownCode('`'.repeat(count * 200)),
  ],
  'words of a command': (count) => () => attempt(() => shellWords(`${"'a b' ".repeat(count * 4)}'`, 'x')),
  'secrets in a long log': (count) => {
    const secrets = new Secrets();
    for (let at = 0; at < 100; at += 1) secrets.add(`secret-${at}-value`);
    return () => secrets.redact('secret-secret-9'.repeat(count));
  },
};

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}

/** Wall time: CPU time of a thread is counted in ticks of milliseconds. */
function cost(act: () => unknown): number {
  const spent = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    act();
    return performance.now() - started;
  });
  return Math.min(...spent);
}

const sample: Record<string, number> = { milliseconds: 0, maxRss: 0 };
for (const [name, of] of Object.entries(CASES)) {
  sample[`${name} small`] = cost(of(N));
  sample[`${name} large`] = cost(of(4 * N));
}
console.log(JSON.stringify(sample));
