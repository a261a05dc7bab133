import { mapLimited } from '../../../base/index.ts';
import { lineDates } from '../../../clients/git/index.ts';
import type { Instance } from '../../../instance/index.ts';
import {
  type Note,
  oldPinNotes,
  type PromotionMetadata,
  pinPlaces,
  readMetadataLine,
} from '../../../promotion/index.ts';
import { repositoryOf } from './workspace.ts';

const MOST_PINS = 200;
const AT_ONCE = 4;

/** Where git knows the files of an instance: a folder of a clone, and a commit unless it is the working tree. */
export interface GitPlace {
  readonly folder: string;
  readonly commit?: string;
}

/** Pins whose line was committed long ago. A line that is not committed yet is new. */
export async function forgottenPins(instance: Instance, { folder, commit }: GitPlace, now: Date): Promise<Note[]> {
  const pins = pinPlaces(instance).slice(0, MOST_PINS);
  const dateOf = lineDates(folder, commit);
  const dated = await mapLimited(pins, AT_ONCE, async (pin) => {
    const since = await dateOf(pin.file, pin.line);
    return since === undefined ? [] : [{ ...pin, since }];
  });
  return oldPinNotes(dated.flat(), now);
}

/** The newest commit before a ref, that included, that promoted an upstream. */
export async function lastPromotion(
  folder: string,
  upstream: string,
  ref: string,
): Promise<{ readonly commit: string; readonly metadata: PromotionMetadata } | undefined> {
  const { repository } = await repositoryOf(folder);
  const found = await repository.newestSaying(ref, `^Echelon-Promotion: .*"upstream":"${upstream}"`);
  const metadata = found === undefined ? undefined : readMetadataLine(found.message);
  return found === undefined || metadata === undefined ? undefined : { commit: found.sha, metadata };
}
