import { mapLimited } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import { oldPinNotes, pinPlaces } from '../plan/old-pins.ts';
import type { LineDate, Note } from '../ports.ts';

const MOST_PINS = 200;
const AT_ONCE = 4;

/** Pins whose line was committed a long time ago. An uncommitted line is new. */
export async function forgottenPins(instance: Instance, dateOf: LineDate, now: Date): Promise<Note[]> {
  const pins = pinPlaces(instance).slice(0, MOST_PINS);
  const dated = await mapLimited(pins, AT_ONCE, async (pin) => {
    const since = await dateOf(pin.file, pin.line);
    return since === undefined ? [] : [{ ...pin, since }];
  });
  return oldPinNotes(dated.flat(), now);
}
