import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { atOnce } from '../../base/index.ts';
import { NO_SHADOW_FILE, readingRules } from '../file/shadow-file.ts';
import { linesOf } from '../read/log-entries.ts';
import type { ShadowOutput } from '../run.ts';
import { compareSteps, type ShadowOutputs } from './compare.ts';
import type { LineTally } from './comparison.ts';

const RULES = readingRules(NO_SHADOW_FILE, 'openshift-resources');
const TERRAFORM = readingRules(NO_SHADOW_FILE, 'terraform-resources');

const compareOutputs = (outputs: ShadowOutputs, rules: typeof RULES) => atOnce(compareSteps(outputs, rules));
const ended = (output: string, more: Partial<ShadowOutput> = {}): ShadowOutput => ({
  ...{ end: 'ended', exitCode: 0, output, seconds: 1 },
  ...more,
});
const log = (...messages: readonly string[]): string =>
  messages.map((text) => `[2026-08-21 10:22:51] [INFO] [DRY-RUN] [a.py:run:1] - ${text}\n`).join('');
const compared = (baseline: string, candidate: string, rules = RULES, repetitions: readonly string[] = []) =>
  compareOutputs(
    { baseline: ended(baseline), candidate: ended(candidate), repetitions: repetitions.map((text) => ended(text)) },
    rules,
  );

const A = "['apply', 'c1', 'ns1', 'Secret', 'a']";
const B = "['apply', 'c1', 'ns1', 'Secret', 'b']";
const GONE = "['delete', 'c1', 'ns1', 'Secret', 'gone']";

describe('two dry runs', () => {
  it.each([
    { given: 'the same lines in another order', baseline: log(A, B), candidate: log(B, A) },
    {
      given: 'other times, files and lines',
      baseline: log(A),
      candidate: log(A).replace('10:22:51] [INFO]', '23:59:00] [INFO]').replace('a.py:run:1', 'b.py:go:77'),
    },
    {
      given: 'sets in another order',
      baseline: log("['update', {'a', 'b'}]"),
      candidate: log("['update', {'b', 'a'}]"),
    },
    {
      given: 'mappings in another order',
      baseline: log("create - {'a': 1, 'b': 2}"),
      candidate: log("create - {'b': 2, 'a': 1}"),
    },
    {
      given: 'another next_run',
      baseline: log("x - {'next_run': '2026-01-01T00:00:00Z'}"),
      candidate: log("x - {'next_run': '2026-01-01T02:00:00Z'}"),
    },
    {
      given: 'another random name',
      baseline: log("['delete', 'sa-token-x1y2z']"),
      candidate: log("['delete', 'sa-token-99abc']"),
    },
    {
      given: 'another temporary folder',
      baseline: log('plan in /tmp/tf-abc1/x.tf'),
      candidate: log('plan in /tmp/tf-zzz/x.tf'),
    },
    { given: 'other debug messages', baseline: '[DEBUG] one\n', candidate: '[DEBUG] two\n[DEBUG] three\n' },
    {
      given: 'JSON lines with fields in another order',
      baseline: '{"level":30,"time":1,"msg":"apply","a":1,"b":2}\n',
      candidate: '{"b":2,"a":1,"msg":"apply","time":9,"level":30}\n',
    },
    { given: 'no output', baseline: '', candidate: '' },
  ])('with $given are the same', ({ baseline, candidate }) => {
    expect(compared(baseline, candidate)).toMatchObject({ result: 'same', reasons: [] });
  });

  it.each([
    { given: 'one more deletion', baseline: log(A, B), candidate: log(B, GONE, A), only: [[], [GONE]] },
    { given: 'one action fewer', baseline: log(A, B), candidate: log(A), only: [[B], []] },
    { given: 'an action twice', baseline: log(A), candidate: log(A, A), only: [[], [A]] },
    {
      given: 'a list in another order',
      baseline: log("['a', 'b']"),
      candidate: log("['b', 'a']"),
      only: [["['a', 'b']"], ["['b', 'a']"]],
    },
    {
      given: 'another text',
      baseline: log('Creating robot account r1'),
      candidate: log('Creating robot account r2'),
      only: [['Creating robot account r1'], ['Creating robot account r2']],
    },
    {
      given: 'another number',
      baseline: log("['rebase', 'p', 12]"),
      candidate: log("['rebase', 'p', 13]"),
      only: [["['rebase', 'p', 12]"], ["['rebase', 'p', 13]"]],
    },
    {
      given: 'another date, which is no time',
      baseline: log('expires 2026-01-01'),
      candidate: log('expires 2027-01-01'),
      only: [['expires 2026-01-01'], ['expires 2027-01-01']],
    },
    {
      given: 'another field in JSON',
      baseline: '{"msg":"x","a":1}',
      candidate: '{"msg":"x","a":2}',
      only: [['x a=1'], ['x a=2']],
    },
    { given: 'output past the log', baseline: 'a: 1\n', candidate: 'a: 2\n', only: [['a: 1'], ['a: 2']] },
  ])('with $given differ in exactly that', ({ baseline, candidate, only }) => {
    const { result, actions } = compared(baseline, candidate);
    expect(result).toBe('different');
    expect([actions.onlyInBaseline, actions.onlyInCandidate].map((lines) => lines.map(({ text }) => text))).toEqual(
      only,
    );
  });

  it('of terraform, which retries whole plans, may repeat their lines', () => {
    expect(compared(log(A, B, A, B), log(A, B), TERRAFORM).result).toBe('same');
    expect(compared(log(A, B, A, B), log(A, B), RULES).result).toBe('different');
  });

  it.each([
    { given: 'a failure', output: ended(log(A), { exitCode: 1 }), says: 'failed: exit 1' },
    { given: 'a failure without output', output: ended('', { exitCode: 4 }), says: 'failed: exit 4' },
    { given: 'a signal', output: ended(log(A), { exitCode: null }), says: 'killed by a signal' },
    { given: 'a timeout', output: ended(log(A), { end: 'timed-out' }), says: 'timed out' },
    { given: 'an interruption', output: ended(log(A), { end: 'interrupted' }), says: 'interrupted' },
    { given: 'no start', output: ended('', { end: 'not-started', reason: 'no such image' }), says: 'no such image' },
    { given: 'a truncated log', output: ended(log(A), { truncated: true }), says: 'truncated' },
    {
      given: 'an early exit',
      output: ended(`${log(A)}[DEBUG] No changes in desired state. Exit PR check early.\n`),
      says: 'exited early',
    },
    { given: 'a cache hit', output: ended(`${log(A)}[INFO] Early exit cache hit\n`), says: 'hit a cache' },
    {
      given: 'a toggle',
      output: ended(log(A, 'Integration toggle is disabled, skipping integration.')),
      says: 'toggle',
    },
    {
      given: 'an error',
      output: ended(`${log(A)}[ERROR] [c2] cluster is unreachable\n`),
      says: '[c2] cluster is unreachable',
    },
    {
      given: 'a traceback',
      output: ended(`${log(A)}Traceback (most recent call last):\n  File "x"\nKeyError: 1\n`),
      says: 'Traceback',
    },
  ])('with $given on one side are never called the same', ({ output, says }) => {
    const other = ended(log(A));
    for (const outputs of [
      { baseline: output, candidate: other },
      { baseline: other, candidate: output },
      { baseline: output, candidate: output },
      { baseline: other, candidate: other, repetitions: [output] },
    ]) {
      const { result, reasons } = compareOutputs(outputs, RULES);
      expect(result).toBe('inconclusive');
      expect(reasons.join('; ')).toContain(says);
    }
  });

  it('that differ where the baseline differs from itself are noise, which names the lines', () => {
    const { result, actions } = compared(log(A, B), log(A), RULES, [log(A)]);
    expect([result, actions.noise]).toEqual(['noise', [{ text: B, count: 1 }]]);
    expect(compared(log(A, B), log(A, GONE), RULES, [log(A)])).toMatchObject({
      result: 'different',
      actions: { onlyInCandidate: [{ text: GONE, count: 1 }], onlyInBaseline: [], noise: [{ text: B, count: 1 }] },
    });
  });

  it.each([
    { given: 'one random name each', candidate: ["['delete', 'tok-7x1']"], result: 'noise' },
    {
      given: 'a second random name',
      candidate: ["['delete', 'tok-7x1']", "['delete', 'tok-8x1']"],
      result: 'different',
    },
    { given: 'no random name', candidate: [], result: 'different' },
    { given: 'another name', candidate: ["['delete', 'tok-prod']"], result: 'different' },
    { given: 'another action', candidate: ["['create', 'tok-7x1']"], result: 'different' },
  ])('of which the baseline has another random name in each run, and the candidate $given: $result', (row) => {
    const runs = ["['delete', 'tok-1a2']", "['delete', 'tok-3b4']"].map((text) => log(A, text));
    expect(compared(runs[0] ?? '', log(A, ...row.candidate), RULES, runs.slice(1)).result).toBe(row.result);
  });

  it('have no noise without a repetition', () => {
    expect(compared(log("['delete', 'tok-1a2']"), log("['delete', 'tok-3b4']")).result).toBe('different');
  });

  it('have warnings and exit codes compared apart', () => {
    const { result, warnings, exitCodes, notes } = compared(`${log(A)}[WARNING] old\n`, `${log(A)}[WARNING] new\n`);
    expect([result, exitCodes]).toEqual(['same', { baseline: 0, candidate: 0 }]);
    expect(warnings).toEqual({
      onlyInBaseline: [{ text: 'old', count: 1 }],
      onlyInCandidate: [{ text: 'new', count: 1 }],
    });
    expect(notes.join()).toContain('warnings differ');
  });

  it('have the same digest only for the same difference', () => {
    const one = compared(log(A, B), log(B, GONE, A)).digest;
    expect(compared(log(B), log(GONE, B)).digest).toBe(one);
    expect(compared(log(B, GONE), log(B)).digest).not.toBe(one);
    expect(compared(log(B), log(B, GONE, GONE)).digest).not.toBe(one);
  });
});

/** Lines that meet every branch of the reader, often equal. */
const line = fc.oneof(
  fc.constantFrom(
    A,
    B,
    GONE,
    '',
    '  continued',
    'Traceback (most recent call last):',
    '[ERROR] broken',
    '[WARNING] w',
    '[DEBUG] d',
  ),
  fc.constantFrom(
    '[INFO] x',
    `INFO: ${A}`,
    '{"msg":"x","level":40}',
    '{"msg":',
    "['open",
    'request_id: 1',
    '\r',
    '\u0000',
  ),
  fc.constantFrom(A, B, GONE).map((text) => log(text).trimEnd()),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', ' ')),
);
const output = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
const sumOf = ({ common, different, noise, repeated, ignored }: LineTally): number =>
  common + different + noise + repeated + ignored;

describe('a comparison', () => {
  it('loses nothing: every line of either log is in exactly one class', () => {
    holds(
      fc.property(output, output, fc.array(output, { maxLength: 2 }), fc.boolean(), (a, b, more, terraform) => {
        const { lines } = compared(a, b, terraform ? TERRAFORM : RULES, more);
        expect([sumOf(lines.baseline), sumOf(lines.candidate)]).toEqual([linesOf(a).length, linesOf(b).length]);
      }),
    );
  });

  it('is symmetric', () => {
    holds(
      fc.property(output, output, (a, b) => {
        const [there, back] = [compared(a, b), compared(b, a)];
        expect(back.result).toBe(there.result);
        expect(back.actions).toEqual({
          ...there.actions,
          onlyInBaseline: there.actions.onlyInCandidate,
          onlyInCandidate: there.actions.onlyInBaseline,
        });
        expect([back.lines.baseline, back.lines.candidate]).toEqual([there.lines.candidate, there.lines.baseline]);
      }),
    );
  });

  it('does not depend on the order of messages', () => {
    const messages = fc.array(fc.constantFrom(A, B, GONE, 'Creating x', "['update', {'b', 'a'}]"), { maxLength: 12 });
    const shuffled = messages.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    holds(
      fc.property(shuffled, messages, ([all, mixed], other) => {
        expect(compared(log(...mixed), log(...other))).toEqual(compared(log(...all), log(...other)));
        expect(compared(log(...mixed), log(...all)).result).toBe('same');
      }),
    );
  });

  it('calls a log the same as itself unless it is doubtful, whatever it contains', () => {
    holds(
      fc.property(output, (text) => {
        const { result, actions } = compared(text, text);
        expect(actions.onlyInBaseline.length + actions.onlyInCandidate.length).toBe(0);
        expect(['same', 'inconclusive']).toContain(result);
      }),
    );
  });

  it('reads hostile logs in linear time', () => {
    const many = 20_000;
    for (const text of [
      '[INFO] [\n'.repeat(many),
      `[INFO] ${'[{'.repeat(many)}`,
      `${'{"msg":'.repeat(many)}`,
      `[INFO] x${'\n'.repeat(many)}`,
      'request_id'.repeat(many),
      '2026-01-01T'.repeat(many),
      `[INFO] ${"['x', ".repeat(many)}`,
    ])
      expect(compared(text, text).actions.onlyInCandidate).toEqual([]);
  });
});
