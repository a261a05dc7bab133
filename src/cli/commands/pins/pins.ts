import { pinListing } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { printListing } from '../../output/listing.ts';
import { loadInstance } from '../get/load.ts';
import { pinsOf } from './pin-ports.ts';
import type { PinsFlags } from './pins-flags.ts';

/** Lists pins with their age and reason; with `--live` also their live state, and exits 1 if a shard does not run its pin. */
export async function pins(io: Io, flags: PinsFlags, at?: Date): Promise<number> {
  const { list } = pinsOf(() => loadInstance(io, flags), {
    now: () => at ?? new Date(),
    observe: async (instance, pinned) => (await import('./live-pins.ts')).livePins(io, flags, instance, pinned),
  });
  const found = await list(flags);
  await printListing(io, pinListing(found, flags.live === true), {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: found.instance.snapshot.revision.id,
  });
  return found.wrong ? EXIT.failed : EXIT.ok;
}
