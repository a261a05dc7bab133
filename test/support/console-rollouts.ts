import { promotedInWaves, type RolloutFleet, rolloutFleet, succeeded, TWO_WAVES } from './rollout-fleet.ts';

/** A track whose name would run if it were ever taken for markup. */
export const HOSTILE_TRACK = TWO_WAVES.replace('name: lab', `name: "<script>hacked=1</script>\\"'>"`);

/** A fleet whose canary was pinned before it soaked a new image. */
export async function haltedFleet(): Promise<RolloutFleet> {
  const fleet = await rolloutFleet();
  await succeeded(fleet.run(['apply', '--yes']));
  await promotedInWaves(fleet, TWO_WAVES);
  const pin = ['pin', 'terraform-resources', '--shard', 'alpha', '-e', 'lab', '--image', 'f929a38'];
  await succeeded(fleet.cli([...pin, '--data', fleet.manager.path('instance')]));
  return fleet;
}
