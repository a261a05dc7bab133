import { shortDigests } from '../../base/index.ts';
import { type Instance, type KeyPath, locateFindings } from '../../instance/index.ts';
import type { Note } from '../ports.ts';

/** A pin in an integration file. */
interface PinPlace {
  readonly integration: string;
  readonly image: string;
  /** `data/integrations/x.yml` */
  readonly file: string;
  /** One-based. */
  readonly line: number;
}

const OLD_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Every pin of an instance whose source has text. */
export function pinPlaces(instance: Instance): PinPlace[] {
  const pins = instance.integrations.flatMap((integration) =>
    integration.managed.flatMap(({ keys, spec, sharding }) => [
      ...(spec.imageRef === undefined
        ? []
        : [{ integration, image: spec.imageRef, keys: [...keys, 'spec', 'imageRef'] as KeyPath }]),
      ...sharding.overrides.flatMap(({ imageRef }, index) =>
        imageRef === undefined
          ? []
          : [
              {
                integration,
                image: imageRef,
                keys: [...keys, 'sharding', 'shardSpecOverrides', index, 'imageRef'] as KeyPath,
              },
            ],
      ),
    ]),
  );
  const findings = pins.map(({ integration, keys }) => ({
    rule: 'pin',
    severity: 'warning' as const,
    path: integration.file,
    keys,
    message: '',
    hint: '',
  }));
  const located = locateFindings(instance.snapshot, findings);
  return pins.flatMap(({ integration, image }, index) => {
    const { file, line } = located[index] ?? {};
    return file === undefined || line === undefined ? [] : [{ integration: integration.name, image, file, line }];
  });
}

/** Pins that have not changed for a long time and may be forgotten. */
export function oldPinNotes(pins: readonly (PinPlace & { readonly since: Date })[], now: Date): Note[] {
  return pins.flatMap(({ integration, image, file, line, since }): Note[] => {
    const days = Math.floor((now.getTime() - since.getTime()) / DAY_MS);
    if (days <= OLD_DAYS) return [];
    return [
      {
        rule: 'old-pin',
        message: `${integration} has been pinned to ${shortDigests(image)} for ${days} days`,
        hint: 'if it is no longer needed, remove it with: echelon unpin',
        at: `${file}:${line}`,
      },
    ];
  });
}
