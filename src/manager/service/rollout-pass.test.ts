import { describe, expect, it } from 'vitest';
import { memoryStateStore } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import { EMPTY_RECORD, rolloutRecords } from '../../rollouts/index.ts';
import { storeDecision } from './rollout-pass.ts';

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
