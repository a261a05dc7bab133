import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsAsync } from '../../support/property.ts';
import { EVERY_OPTION, LOOP, ONLY_SHARD, renderChart, valuesWith } from '../../support/render-chart.ts';

/** Stands in a field where a text may stand; in no other part of a rendered object. */
const MARK = 'xyzzy';

const OVERRIDES = { shard_spec_overrides: { resources: LOOP.resources, imageRef: 'tag' } };
const shard = (given: object) => ({ shard_specs: [{ ...ONLY_SHARD, ...given }] });
const cron = (given: object) => ({ cron: '* * * * *', ...given });
const quantities = (text: string) => ({ requests: { cpu: text, memory: text }, limits: { cpu: text, memory: text } });

/** Every field of the values that is a text, as an entry that has nothing else of the kind. */
const FIELDS: Readonly<Record<string, (text: string) => object>> = {
  command: (command) => ({ command }),
  imageRef: (imageRef) => ({ imageRef }),
  sleepDurationSecs: (sleepDurationSecs) => ({ sleepDurationSecs }),
  storage: (storage) => ({ cache: true, storage }),
  storageClassName: (storageClassName) => ({ cache: true, storageClassName }),
  cron: (text) => cron({ cron: text }),
  concurrencyPolicy: (concurrencyPolicy) => cron({ concurrencyPolicy }),
  restartPolicy: (restartPolicy) => cron({ restartPolicy }),
  'the name of a variable': (name) => ({ extraEnv: [{ name, value: 'v' }] }),
  'the value of a variable': (value) => ({ extraEnv: [{ name: 'N', value }] }),
  secretName: (secretName) => ({ extraEnv: [{ secretName, secretKey: 'K' }] }),
  secretKey: (secretKey) => ({ extraEnv: [{ secretName: 's', secretKey }] }),
  resources: (text) => ({ resources: quantities(text) }),
  fluentdResources: (text) => ({ logs: {}, fluentdResources: quantities(text) }),
  extra_args: (extra_args) => shard({ extra_args }),
  shard_key: (shard_key) => shard({ shard_key }),
  shards: (shards) => shard({ shards }),
  shard_id: (shard_id) => shard({ shard_id }),
  shard_membership: (shard_membership) => shard({ shard_membership }),
  shard_name_suffix: (text) => shard({ shard_name_suffix: `-${text}` }),
  'imageRef of a shard': (imageRef) => shard({ shard_spec_overrides: { imageRef } }),
  'resources of a shard': (text) => shard({ shard_spec_overrides: { resources: quantities(text) } }),
};

const NAMES = Object.keys(FIELDS);

/** What ends a scalar, a line or a document somewhere, or reads as something else than text. */
const TEXTS = [
  'gp2\n      volumeName: stolen',
  'x\nreplicas: 9',
  'x\r\nkind: Secret',
  '"',
  "'",
  '\\',
  '\\n',
  ': ',
  ' # x',
  '{{ .Values }}',
  '{a: b}',
  '[1]',
  '&a *a',
  '!!binary x',
  '|',
  '---',
  '...',
  '%YAML 1.1',
  '@x',
  '`x`',
  'true',
  '0123',
  '1e3',
  'null',
  '~',
  ' ',
  '\t',
  '\u0000',
  '\u0085\u2028\ufeff',
  '🐙',
];
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.tuple(fc.string(), fc.constantFrom(...TEXTS)).map((parts) => parts.join('')),
);

const entry = (field: string, given: string, index: number): object => ({
  ...LOOP,
  ...OVERRIDES,
  name: `n${index}`,
  ...FIELDS[field]?.(given),
});

/** Another text of the list for each field. */
const turned = (turn: number): [string[]] => [NAMES.map((_, index) => TEXTS[(index + turn * 10) % TEXTS.length] ?? '')];

/** The same value with a text for the mark, in every scalar and key. */
function withText(node: unknown, given: string): unknown {
  if (typeof node === 'string') return node.replaceAll(MARK, () => given);
  if (Array.isArray(node)) return node.map((item) => withText(item, given));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withText(value, given)]));
}

describe('text from the values', () => {
  it('changes the scalars that it belongs in, and nothing else', async () => {
    const marked = await renderChart(valuesWith(...NAMES.map((name, index) => entry(name, MARK, index))));
    const all = [...marked.workloads, ...marked.parameters] as readonly object[];
    expect(JSON.stringify(all).split(MARK).length - 1).toBeGreaterThanOrEqual(NAMES.length);
    const oneEach = fc.array(text, { minLength: NAMES.length, maxLength: NAMES.length });
    await holdsAsync(
      fc.asyncProperty(oneEach, async (texts) => {
        const given = await renderChart(
          valuesWith(...NAMES.map((name, index) => entry(name, texts[index] ?? '', index))),
        );
        const indexOf = (object: object): number => Number(/[nN](\d+)/.exec(JSON.stringify(object))?.[1] ?? -1);
        const expected = marked.workloads.map((object) =>
          withText(object, texts[indexOf(object['metadata'] as object)] ?? ''),
        );
        expect(given.workloads).toEqual(expected);
        expect(given.parameters).toEqual(
          marked.parameters.map((one) => withText(one, texts[Number(/^N(\d+)_/.exec(one.name)?.[1] ?? -1)] ?? '')),
        );
        expect(given.services).toEqual(marked.services);
      }),
      { numRuns: 5, examples: [[NAMES.map(() => TEXTS[0] ?? '')], ...[0, 1, 2].map(turned)] },
    );
  });

  it('that is the name of an integration stays in its scalars too', async () => {
    const values = (name: string) =>
      valuesWith({ ...LOOP, ...EVERY_OPTION, logs: {}, name }, { ...LOOP, name, cron: 'x' });
    const marked = await renderChart(values(MARK));
    for (const name of ['a\nb: c', 'a: "b', "' #"]) {
      const { workloads, services } = await renderChart(values(name));
      const upper = (node: unknown): unknown =>
        JSON.parse(
          JSON.stringify(node).replaceAll(MARK.toUpperCase(), JSON.stringify(name.toUpperCase()).slice(1, -1)),
        );
      expect(workloads).toEqual(withText(upper(marked.workloads), name));
      expect(services).toEqual(marked.services);
    }
  });
});
