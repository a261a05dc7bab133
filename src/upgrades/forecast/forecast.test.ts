import { describe, expect, it } from 'vitest';
import { foreseenAndHappened, plannedIn } from '../../../test/support/forecast-fleet.ts';
import { member, START, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { instantOf, later, MICROS } from '../../gates/index.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { forecast } from './forecast.ts';

/** `make soak` tries a thousand others, or as many as wished. */
const SEEDS = 15;

describe('promise: what is foreseen on day 0 happens, to the second, if nobody interferes', {
  timeout: 300_000,
}, () => {
  it(`for ${SEEDS} small fleets`, async () => {
    let upgrades = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { foreseen, happened } = await foreseenAndHappened(seed, { days: 7, every: seed % 5 === 0 ? 60 : 120 });
      expect({ seed, upgrades: foreseen }).toEqual({ seed, upgrades: happened });
      upgrades += happened.length;
    }
    expect(upgrades).toBeGreaterThan(100);
  });

  it('with changes of channels, and a gate of the minor behind them that only some agreed to', async () => {
    const moved: string[] = [];
    for (const seed of [2, 4, 6]) {
      const { foreseen, happened, world } = await foreseenAndHappened(seed, { days: 10, every: 120, minors: true });
      const own = [...world.state.clusters.all()].filter(({ name }) => !name.startsWith('later'));
      moved.push(...own.filter(({ channel }) => channel.endsWith('-4.15')).map(({ version }) => version.slice(0, 4)));
      expect({ seed, upgrades: foreseen }).toEqual({ seed, upgrades: happened });
    }
    expect(new Set(moved)).toEqual(new Set(['4.14', '4.15']));
  });
});

describe('the days of a forecast', () => {
  const from = instantOf(Date.parse(START));
  const startsAt = later(from, 7 * MICROS.minute);

  it.each([
    { when: 'after the forecast ends', minutes: 6, listed: [] },
    { when: 'as the forecast ends', minutes: 7, listed: [startsAt] },
    { when: 'before the forecast ends', minutes: 8, listed: [startsAt] },
  ])('an upgrade is listed by its start, not by the pass that schedules it: $when', async ({ minutes, listed }) => {
    const planned = await plannedIn(upgradeWorld([{ id: 'org-1', clusters: [member('alpha')] }]));
    const days = (minutes * MICROS.minute) / MICROS.day;
    const { clusters } = forecast(planned, { from, days, every: MICROS.hour, rules: DEFAULT_RULES });
    expect(clusters.flatMap(({ upgrades }) => upgrades.map((upgrade) => upgrade.startsAt))).toEqual(listed);
  });
});
