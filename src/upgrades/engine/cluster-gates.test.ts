import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { at, cluster, held, organization, policyOn } from '../../../test/support/upgrade-facts.ts';
import { readSchedule } from '../../../test/support/upgrade-simulation-cron.ts';
import {
  type CronDialect,
  everMatches,
  type Instant,
  instantText,
  later,
  MICROS,
  parseInstant,
  restrictsBothDays,
  scheduleFault,
  secondText,
} from '../../gates/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import {
  ADDON_TIMING,
  busyGate,
  CLUSTER_TIMING,
  dueAt,
  freezeGate,
  healthGate,
  mutexGate,
  scheduleGate,
} from './cluster-gates.ts';
import { contextOf } from './context.ts';
import { decide } from './decide.ts';
import { memberOf, type OrgFacts, type ScheduledUpgrade } from './facts.ts';
import { DEFAULT_RULES, QONTRACT_RULES, type Rules } from './rules.ts';
import { EMPTY_LEDGER } from './soak.ts';

const askBusy = (policies: readonly ScheduledUpgrade[]) =>
  busyGate(
    cluster('a'),
    contextOf(organization({ policies }), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), DEFAULT_RULES),
  );

describe('the gate of busy clusters', () => {
  it('is open for a cluster without an upgrade policy', () => {
    expect(askBusy([policyOn('b')]).ok).toBe(true);
  });

  it('says what the cluster is busy with', () => {
    expect(askBusy([policyOn('a', { state: 'started' })])).toEqual({
      gate: 'busy',
      ok: false,
      reason: 'an upgrade to 4.14.2 is started',
      waitsOn: '4.14.2',
    });
  });

  it('cannot be read with more than one', () => {
    expect(askBusy([policyOn('a'), policyOn('a')])).toMatchObject({ ok: false, fault: 'cluster' });
  });
});

describe('the gate of health', () => {
  it.each([
    { given: 'a healthy cluster', fault: {}, rules: DEFAULT_RULES, ok: true },
    { given: 'a sick one', fault: { healthFault: 'an alert is firing' }, rules: DEFAULT_RULES, ok: false },
    { given: 'a sick one of the existing scheduler', fault: { healthFault: 'x' }, rules: QONTRACT_RULES, ok: true },
  ])('for $given is open: $ok', ({ fault, rules, ok }) => {
    const context = contextOf(organization(), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), rules);
    const verdict = healthGate(cluster('a', fault), context);
    expect(verdict.ok).toBe(ok);
    if (!ok) expect(verdict.reason).toBe('an alert is firing');
  });
});

const askSchedule = (schedule: string, rules = DEFAULT_RULES) =>
  scheduleGate(schedule, contextOf(organization(), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), rules));

describe('the gate of the schedule', () => {
  it('is open with the start that OCM accepts', () => {
    const { verdict, slot } = askSchedule('0 12 * * *');
    expect(verdict).toEqual({ gate: 'schedule', ok: true, reason: 'it can start at 2024-03-01T12:00:00Z' });
    expect(slot).toBe(at('2024-03-01T12:00:00Z'));
  });

  it('is closed until two hours before the next slot', () => {
    const { verdict } = askSchedule('0 23 * * *');
    expect(verdict).toMatchObject({ ok: false, reason: 'the next slot is 2024-03-01T23:00:00Z' });
    expect(instantText(verdict.until!)).toBe('2024-03-01T21:00:00Z');
  });

  it.each(['0 0 30 2 *', 'whenever', '@daily'])('cannot be read for %s', (schedule) => {
    expect(askSchedule(schedule)).toEqual({ verdict: expect.objectContaining({ ok: false, fault: 'cluster' }) });
  });

  it('reads more under the rules of the existing scheduler', () => {
    expect(askSchedule('@hourly', QONTRACT_RULES).verdict.ok).toBe(true);
  });
});

const onFirstOfMarch = (text: string): Instant => parseInstant(`2024-03-01T${text}Z`)!;

function slot(schedule: string, now: Instant, dialect: CronDialect = 'five-fields'): string {
  const due = dueAt(schedule, now, { dialect });
  if ('fault' in due) return 'fault';
  return due.due ? secondText(due.slot) : 'not due';
}

describe('a schedule at noon', () => {
  it.each([
    { now: '09:59:59.999999', told: 'not due' },
    { now: '10:00:00', told: '2024-03-01T12:00:00Z' },
    { now: '11:53:59.999999', told: '2024-03-01T12:00:00Z' },
    { now: '11:54:00', told: 'not due' },
    { now: '12:00:00', told: 'not due' },
  ])('at $now is $told', ({ now, told }) => {
    expect(slot('0 12 * * *', onFirstOfMarch(now))).toBe(told);
  });

  it('is due for an add-on ten minutes before, until one before', () => {
    const due = ['11:49:59', '11:50:00', '11:58:59', '11:59:00'].map(
      (now) => dueAt('0 12 * * *', onFirstOfMarch(now), { dialect: 'five-fields', timing: ADDON_TIMING }).due,
    );
    expect(due).toEqual([false, true, true, false]);
  });

  it('opens two hours before', () => {
    const due = dueAt('0 12 * * *', onFirstOfMarch('13:00:00'), { dialect: 'five-fields' });
    expect('opens' in due && instantText(due.opens)).toBe('2024-03-02T10:00:00Z');
  });
});

describe('days', () => {
  it.each([
    { schedule: '0 12 1 * 5', told: '2024-03-01T12:00:00Z' },
    { schedule: '0 12 1 * 1', told: 'not due' },
    { schedule: '0 12 2 * 5', told: 'not due' },
    { schedule: '0 12 * MAR FRI', told: '2024-03-01T12:00:00Z' },
  ])('$schedule: both the day of the month and the weekday must fit, $told', ({ schedule, told }) => {
    expect(slot(schedule, onFirstOfMarch('10:30:00'))).toBe(told);
  });

  it.each([
    { schedule: '0 12 1 * 5', both: true },
    { schedule: '0 12 1 * *', both: false },
    { schedule: '0 12 * * 5', both: false },
    { schedule: '0 12 ? * 5', both: false },
  ])('$schedule asks for both: $both', ({ schedule, both }) => {
    expect(restrictsBothDays(schedule)).toBe(both);
  });
});

describe('five fields', () => {
  it.each(['* * * * *', '0 8 * * 1-5', '0,30 8-18/2 * * *', '0 0 * JAN-MAR MON,FRI', '0 0 31 * *', ' 0  8 * *\t1 '])(
    'are %j',
    (text) => {
      expect(scheduleFault(text, 'five-fields')).toBeUndefined();
      expect(everMatches(text, 'five-fields')).toBe(true);
    },
  );

  it.each([
    { text: '', says: 'it must have five fields' },
    { text: '@daily', says: 'it must have five fields' },
    { text: '0 12 * * * 30', says: 'it must have five fields' },
    { text: '0 12 L * *', says: 'L, W, # and + are not supported' },
    { text: '0 12 * * 5#1', says: 'L, W, # and + are not supported' },
    { text: '/5 * * * *', says: 'a step needs' },
    { text: '60 * * * *', says: 'invalid minute 60' },
    { text: '0 0 0 * *', says: 'invalid day 0' },
    { text: '0 0 * 13 *', says: 'invalid month 13' },
    { text: '5-1 * * * *', says: '5-1' },
    { text: 'H H * * *', says: '"H" is not a valid minute' },
  ])('are not $text: $says', ({ text, says }) => {
    expect(scheduleFault(text, 'five-fields')).toContain(says);
  });

  it.each(['0 0 30 2 *', '0 0 31 4,6,9,11 *'])('%s are sound, but never come', (text) => {
    expect(scheduleFault(text, 'five-fields')).toBeUndefined();
    expect(everMatches(text, 'five-fields')).toBe(false);
    expect(dueAt(text, onFirstOfMarch('10:00:00'), { dialect: 'five-fields' })).toEqual({
      due: false,
      fault: `the schedule "${text}" has no future date`,
    });
  });
});

describe('the dialect of the existing scheduler', () => {
  it.each([
    { text: '0 12 * * * 30', told: '2024-03-01T12:00:30Z' },
    { text: '0 12 * * * 30 2024', told: '2024-03-01T12:00:30Z' },
    { text: '0 12 * * * 30 2023', told: 'fault' },
    { text: '@hourly', told: '2024-03-01T11:00:00Z' },
    { text: '0 22-11 * * *', told: '2024-03-01T11:00:00Z' },
    { text: '50-10/20 * * * *', told: '2024-03-01T10:50:00Z' },
    { text: '0 12 * * 4-4', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * 5#1,fri', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * 5#1,thu', told: 'fault' },
    { text: '0 12 * * fri-mon', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * 5#1', told: '2024-03-01T12:00:00Z' },
    { text: '0 12 * * L5', told: 'not due' },
    { text: '0 12 L * *', told: 'not due' },
    { text: '0 12 * *', told: 'fault' },
    { text: 'H 12 * * *', told: 'fault' },
    { text: '*/0 * * * *', told: 'fault' },
    { text: '5-1/0 * * * *', told: 'fault' },
    { text: '__proto__', told: 'fault' },
    { text: 'constructor', told: 'fault' },
  ])('$text is $told', ({ text, told }) => {
    expect(slot(text, onFirstOfMarch('10:30:00'), 'croniter')).toBe(told);
  });
});

describe('the next slot', () => {
  it('does not depend on what was asked before', () => {
    const text = '30 8,20 * * 1-5';
    const independent = readSchedule(text)!;
    const fresh = (now: Instant): Date => {
      const minute = Math.floor((now + CLUSTER_TIMING.lead) / MICROS.minute) * 60_000;
      let at = minute + 60_000;
      while (!independent.matches(new Date(at))) at += 60_000;
      return new Date(at);
    };
    const second = fc.integer({ min: 0, max: 14 * 86_400 });
    holds(
      fc.property(fc.array(second, { minLength: 2, maxLength: 12 }), (seconds) => {
        for (const after of seconds) {
          const now = later(onFirstOfMarch('00:00:00'), after * MICROS.second);
          const due = dueAt(text, now, { dialect: 'five-fields' });
          expect('slot' in due && secondText(due.slot)).toBe(`${fresh(now).toISOString().slice(0, 19)}Z`);
        }
      }),
    );
  });
});

describe('U5: what is due', () => {
  it('starts in a slot, at least six minutes and at most two hours ahead', () => {
    const minute = fc.integer({ min: 0, max: 59 });
    const hour = fc.integer({ min: 0, max: 23 });
    const moment = fc
      .integer({ min: 0, max: 366 * MICROS.day })
      .map((micros) => later(onFirstOfMarch('00:00:00'), micros));
    holds(
      fc.property(minute, hour, moment, (minutes, hours, now) => {
        const due = dueAt(`${minutes} ${hours} * * *`, now, { dialect: 'five-fields' });
        if ('fault' in due) throw new Error(due.fault);
        const clock = `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:00Z`;
        expect(secondText(due.slot).slice(11)).toBe(clock);
        expect(due.slot - now).toBeGreaterThan(CLUSTER_TIMING.lead);
        expect(due.due).toBe(due.slot - now <= CLUSTER_TIMING.window);
        expect(due.slot - now).toBeLessThanOrEqual(MICROS.day + CLUSTER_TIMING.lead);
      }),
    );
  });
});

const NOW = at('2026-12-21T10:00:00Z');
const AROUND = '2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end';

interface Asked {
  readonly ofOrganization?: readonly string[];
  readonly ofCluster?: readonly string[];
  readonly schedule?: string;
  readonly rules?: Rules;
}

function askFreeze({ ofOrganization = [], ofCluster = [], schedule = '* * * * *', rules = DEFAULT_RULES }: Asked) {
  const context = contextOf(organization({ freezes: ofOrganization }), EMPTY_LEDGER, NOW, rules);
  return freezeGate({ freezes: ofCluster, schedule }, context);
}

describe('the gate of freezes', () => {
  it.each<{ given: string; asked: Asked; reason: string; until?: string }>([
    { given: 'none', asked: {}, reason: 'no freeze' },
    {
      given: 'one of the organization',
      asked: { ofOrganization: [AROUND] },
      reason: 'a freeze: quarter end, until 2027-01-03T00:00:00Z',
      until: '2027-01-03T00:00:00Z',
    },
    {
      given: 'one of the cluster that joins it',
      asked: { ofOrganization: [AROUND], ofCluster: ['2027-01-02T00:00:00Z/2027-01-04T00:00:00Z'] },
      reason: 'a freeze: quarter end, until 2027-01-04T00:00:00Z',
      until: '2027-01-04T00:00:00Z',
    },
    {
      given: 'one that ends now',
      asked: { ofCluster: ['2026-12-20T00:00:00Z/2026-12-21T10:00:00Z'] },
      reason: 'no freeze',
    },
    {
      given: 'one that begins before the next slot',
      asked: { ofCluster: ['2026-12-21T10:30:00Z/2026-12-21T13:00:00Z'], schedule: '0 11 * * *' },
      reason: 'a freeze begins before it would start: until 2026-12-21T13:00:00Z',
      until: '2026-12-21T13:00:00Z',
    },
    {
      given: 'one that begins at the next slot',
      asked: { ofCluster: ['2026-12-21T11:00:00Z/2026-12-21T13:00:00Z'], schedule: '0 11 * * *' },
      reason: 'a freeze begins before it would start: until 2026-12-21T13:00:00Z',
      until: '2026-12-21T13:00:00Z',
    },
    {
      given: 'one that begins after the next slot',
      asked: { ofCluster: ['2026-12-21T11:00:01Z/2026-12-21T13:00:00Z'], schedule: '0 11 * * *' },
      reason: 'no freeze',
    },
    {
      given: 'one before a slot that is not due yet',
      asked: { ofCluster: ['2026-12-21T13:00:00Z/2026-12-21T14:00:00Z'], schedule: '0 15 * * *' },
      reason: 'no freeze',
    },
    {
      given: 'one, by the existing rules',
      asked: { ofOrganization: [AROUND], rules: QONTRACT_RULES },
      reason: 'freezes are ignored',
    },
  ])('with $given', ({ asked, reason, until }) => {
    expect(askFreeze(asked)).toEqual({
      gate: 'freeze',
      ok: until === undefined,
      reason,
      ...(until === undefined ? {} : { until: at(until) }),
    });
  });

  it.each([
    { asked: { ofOrganization: ['x'] }, fault: 'organization' },
    { asked: { ofCluster: ['x'] }, fault: 'cluster' },
  ])('cannot be read, by the $fault', ({ asked, fault }) => {
    expect(askFreeze(asked)).toMatchObject({ ok: false, fault, reason: '"x" is not a freeze: it is not FROM/UNTIL' });
  });
});

describe('an upgrade in a freeze', () => {
  const policy = (given: Partial<UpgradePolicy> = {}) => ({
    soakDays: 0,
    schedule: '* * * * *',
    workloads: ['w'],
    ...given,
  });
  const free = (freezes: readonly string[], rules = DEFAULT_RULES) =>
    decide(organization({ freezes, clusters: [cluster('a', { policy: policy() })] }), NOW, rules);

  it('is not planned, and explained', () => {
    expect(free([]).plan).toHaveLength(1);
    expect(free([AROUND], QONTRACT_RULES).plan).toHaveLength(1);
    const { plan, verdicts } = free([AROUND]);
    expect([plan, verdicts.map(({ waitsFor }) => waitsFor)]).toEqual([[], ['freeze']]);
  });

  it.each([
    { given: 'ours', scheduled: { ours: true }, cancelled: 1 },
    { given: 'of somebody else', scheduled: { ours: false }, cancelled: 0 },
    { given: 'started', scheduled: { ours: true, state: 'started' }, cancelled: 0 },
    { given: 'to start after it', scheduled: { ours: true, nextRun: at('2027-01-03T00:00:00Z') }, cancelled: 0 },
  ])('that was scheduled before, $given: $cancelled cancelled', ({ scheduled, cancelled }) => {
    const upgrade = policyOn('a', { state: 'scheduled', nextRun: at('2026-12-21T11:00:00Z'), ...scheduled });
    const clusters = [cluster('a', { policy: policy({ freezes: [AROUND] }) })];
    const { plan } = decide(organization({ clusters, policies: [upgrade] }), NOW, DEFAULT_RULES);
    expect(plan.filter(({ action }) => action === 'cancel')).toHaveLength(cancelled);
  });
});

const ASKING = cluster('a', { policy: { mutexes: ['m'] } });

function askMutex(given: Partial<OrgFacts>, rules = DEFAULT_RULES) {
  const context = contextOf(organization(given), EMPTY_LEDGER, at('2024-03-01T10:00:00Z'), rules);
  return mutexGate(memberOf(ASKING, ASKING.policy), context);
}

describe('the gate of mutexes', () => {
  it.each([
    { given: 'an idle cluster', busy: [], ok: true, reason: 'no other upgrade holds its mutexes' },
    { given: 'a busy one', busy: [policyOn('b')], ok: false, reason: 'mutex m is held by b' },
    {
      given: 'one in any state',
      busy: [policyOn('b', { state: 'completed' })],
      ok: false,
      reason: 'mutex m is held by b',
    },
  ])('with $given that shares its mutex: $reason', ({ busy, ok, reason }) => {
    const clusters = [ASKING, cluster('b', { policy: { mutexes: ['m'] } })];
    expect(askMutex({ clusters, policies: busy })).toMatchObject({ gate: 'mutex', ok, reason });
  });

  it('counts a held cluster that is being upgraded, which the existing scheduler forgets', () => {
    const given = { clusters: [ASKING], held: [held('b', { policy: { mutexes: ['m'] } })], policies: [policyOn('b')] };
    expect([askMutex(given).ok, askMutex(given, QONTRACT_RULES).ok]).toEqual([false, true]);
  });

  it('ignores upgrades of clusters that it does not know', () => {
    expect(askMutex({ clusters: [ASKING], policies: [policyOn('stranger')] }).ok).toBe(true);
  });
});
