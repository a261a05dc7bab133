import { describe, expect, it } from 'vitest';
import { EchelonError, memoryStateStore } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import { EMPTY_RECORD, type RolloutsDecision, rolloutRecords } from '../../rollouts/index.ts';
import { isUnderWay, type RolloutPass, storeDecision } from './rollout-pass.ts';

const PASS: RolloutPass = { choices: new Map(), leaderless: 0, unlisted: [], version: 'absent' };

describe('A4: what a pass decided', () => {
  it.each([
    { who: 'may write', mayWrite: true, stored: true },
    { who: 'has lost the lease since', mayWrite: false, stored: false },
  ])('by a manager that $who is stored: $stored', async ({ mayWrite, stored }) => {
    const records = rolloutRecords(memoryStateStore());
    const next = { ...EMPTY_RECORD, checkIn: instantOf(1) };
    await storeDecision({ records }, { next, version: 'absent' }, () => mayWrite);
    expect((await records.load()).version !== 'absent').toBe(stored);
  });

  it('is refused when another manager stored something since', async () => {
    const records = rolloutRecords(memoryStateStore());
    await records.save(EMPTY_RECORD, 'absent');
    await expect(storeDecision({ records }, { next: EMPTY_RECORD, version: 'absent' })).rejects.toMatchObject({
      code: 'ROLLOUT_RACE',
    });
  });
});

describe('A6: the next poll observes the clusters again', () => {
  it.each([
    { states: ['complete', 'complete'], isObserved: false },
    { states: ['complete', 'under-way'], isObserved: true },
    { states: ['halted'], isObserved: true },
    { states: ['paused'], isObserved: true },
    { states: ['rejected'], isObserved: true },
    { states: [], isObserved: false },
  ] as const)('with tracks that are $states: $isObserved', ({ states, isObserved }) => {
    const tracks = states.map((state) => ({ state }));
    const decision = { tracks, orphans: [], record: EMPTY_RECORD } as unknown as RolloutsDecision;
    expect(isUnderWay({ ...PASS, decision })).toBe(isObserved);
  });

  it('where the file cannot be used', () => {
    expect(isUnderWay({ ...PASS, fault: new EchelonError({ code: 'X', message: 'x', hint: 'x' }) })).toBe(true);
  });
});
