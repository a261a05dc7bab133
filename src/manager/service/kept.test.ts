import { expect, it } from 'vitest';
import type { Instance } from '../../instance/index.ts';
import { keptFleet } from './kept.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import { managerSettings } from './settings.ts';

it('selects again for another instance, for other settings, and after a failure', async () => {
  const [one, other] = [{} as Instance, {} as Instance];
  const [settings, changed] = [managerSettings({}, {}), managerSettings({}, {})];
  let fails = false;
  let selections = 0;
  const fleet = keptFleet(async (instance) => {
    selections += 1;
    if (fails) throw new Error('no such environment');
    return { instance } as OperatedFleet;
  });
  const first = await fleet(one, settings);
  expect(await fleet(one, settings)).toBe(first);
  expect(selections).toBe(1);
  expect((await fleet(other, settings)).instance).toBe(other);
  expect(await fleet(other, changed)).not.toBe(await fleet(one, changed));
  fails = true;
  await expect(fleet(other, settings)).rejects.toThrow('no such environment');
  await expect(fleet(other, settings)).rejects.toThrow('no such environment');
  expect(selections).toBe(6);
});
