import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';

const PAUSE = (track: string) =>
  `overrules:\n- { track: ${track}, action: pause, at: 2026-03-02T07:00:00Z, until: 2026-03-03T07:00:00Z, reason: INC }\n`;
const [OLD, NEW] = ['f929a38', '0473914'];
const HELD = 'held are 1 shard on another image than declared (terraform-resources/alpha) and 2 shards not created yet';

let fleet: RolloutFleet;
beforeEach(async () => {
  fleet = await rolloutFleet();
  fleet.declare(TWO_WAVES);
  expect((await fleet.pass()).code).toBe(0);
  fleet.promote(NEW);
});
afterEach(() => fleet.dispose());

it.each([
  { given: 'mistyped', track: 'lba', hint: 'did you mean lab?' },
  { given: 'removed', track: 'terraform-production', hint: 'use one of: lab' },
])(
  'an overrule of a $given track holds everything, and every command says where, why and what is held',
  async ({ track, hint }) => {
    fleet.declare(`${TWO_WAVES}${PAUSE(track)}`);
    const advice = `${hint}; if the track is gone, remove its overrules`;
    const says = `resources/echelon/rollouts.yml:9:12: overrules[0].track: no track ${track} (${advice}); ${HELD}`;
    const record = ['--rollout-record', fleet.record()];

    const passed = await fleet.pass();
    expect({ code: passed.code, images: fleet.images() }).toEqual({ code: 1, images: { alpha: OLD } });
    const logged = passed.stdout.split('\n').filter((text) => text.includes('rollouts unusable'));
    expect(logged.map((text) => JSON.parse(text))).toEqual([
      expect.objectContaining({ code: 'ROLLOUTS_INVALID', error: expect.stringContaining(says) }),
    ]);
    for (const command of ['rollout status', 'manager plan', 'manager status']) {
      const { code, stderr } = await fleet.cli([...command.split(' '), ...record]);
      expect({ command, code, stderr }).toEqual({ command, code: 1, stderr: expect.stringContaining(says) });
      expect(stderr).toContain('until then every shard that is not pinned keeps its image, in a track or not');
    }
    const { code, stdout } = await fleet.cli(['validate']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(`no track ${track} [unknown-track]`) });
    expect(stdout).toContain(`at overrules[0].track; ${advice}`);
  },
);
