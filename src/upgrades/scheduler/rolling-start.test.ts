import { describe, expect, it } from 'vitest';
import { instantOf } from '../../gates/index.ts';
import { isRollingStart } from './rolling-start.ts';

const monday = (time: string) => instantOf(Date.parse(`2026-03-02T${time}:00Z`));

describe('a start that moves with every pass', () => {
  it.each([
    { schedule: '* * * * *', start: '14:06', rolling: true },
    { schedule: '*/15 * * * *', start: '14:15', rolling: true },
    { schedule: '*/16 * * * *', start: '14:16', rolling: false },
    { schedule: '0 * * * *', start: '15:00', rolling: false },
    { schedule: '0 15 * * *', start: '15:00', rolling: false },
    { schedule: '* 8-16 * * *', start: '08:00', rolling: false },
    { schedule: '* 8-16 * * *', start: '08:01', rolling: true },
    { schedule: '* 8-16 * * *', start: '16:58', rolling: true },
    { schedule: '* 8-16 * * *', start: '16:59', rolling: false },
    { schedule: '* * * * * *', start: '14:06', rolling: true },
    { schedule: '@hourly', start: '15:00', rolling: false },
    { schedule: '0 0 30 2 *', start: '15:00', rolling: false },
    { schedule: 'whenever', start: '15:00', rolling: false },
  ])('$schedule at $start: $rolling', ({ schedule, start, rolling }) => {
    expect(isRollingStart(schedule, monday(start))).toBe(rolling);
  });
});
