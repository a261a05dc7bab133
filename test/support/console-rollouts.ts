import { type RolloutFleet, rolloutFleet, TWO_WAVES } from './rollout-fleet.ts';

/** A track whose name would run if it were ever taken for markup. */
export const HOSTILE_TRACK = TWO_WAVES.replace('name: lab', `name: "<script>hacked=1</script>\\"'>"`);

/** A fleet whose canary was pinned before it soaked a new image. */
export async function haltedFleet(): Promise<RolloutFleet> {
  const fleet = await rolloutFleet();
  done(await fleet.run(['apply', '--yes']));
  fleet.declare(TWO_WAVES);
  done(await fleet.pass());
  fleet.promote('0473914');
  done(await fleet.pass());
  const pin = ['pin', 'terraform-resources', '--shard', 'alpha', '-e', 'lab', '--image', 'f929a38'];
  done(await fleet.cli([...pin, '--data', fleet.manager.path('instance')]));
  return fleet;
}

function done({ code, stdout, stderr }: Awaited<ReturnType<RolloutFleet['cli']>>): void {
  if (code !== 0) throw new Error(stdout + stderr);
}
