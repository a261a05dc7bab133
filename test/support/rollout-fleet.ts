import type { SimKubeOptions } from '../../src/sim/index.ts';
import { type SimFleet, simFleet } from './sim-fleet.ts';

/** A canary and the rest, in the environment of `simFleet`. */
export const TWO_WAVES = `tracks:
- name: lab
  match: { environments: [lab] }
  waves:
  - { name: canary, shards: [alpha], soak: 1h }
  - { name: rest }
  health: { queries: [] }
`;

/** A simulated fleet that can be promoted in waves. */
export interface RolloutFleet extends SimFleet {
  /** The tag that each shard's object is set to. */
  images(): Record<string, string>;
  promote(tag: string): void;
  /** Writes the file of rollouts. */
  declare(text: string): void;
  /** Where the record is. */
  record(): string;
  /** One pass of the loop. */
  pass(args?: readonly string[]): ReturnType<SimFleet['cli']>;
}

/** Declares tracks, and promotes a new image, which the first wave takes. */
export async function promotedInWaves(fleet: RolloutFleet, tracks: string): Promise<void> {
  fleet.declare(tracks);
  await succeeded(fleet.pass());
  fleet.promote('0473914');
  await succeeded(fleet.pass());
}

/** Throws what a command said if it failed. */
export async function succeeded(ran: ReturnType<SimFleet['cli']>): Promise<void> {
  const { code, stdout, stderr } = await ran;
  if (code !== 0) throw new Error(stdout + stderr);
}

/** With a clock, both its cluster and its commands go by it. */
export async function rolloutFleet(options: Pick<SimKubeOptions, 'badImages' | 'clock'> = {}): Promise<RolloutFleet> {
  const fleet = await simFleet(['lab'], options);
  const record = (): string => fleet.manager.path('record');
  return {
    ...fleet,
    record,
    images: () =>
      Object.fromEntries(
        fleet.sim.store.list('apps/v1', 'Deployment', 'fleet').map(({ metadata, spec }) => {
          const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
          return [metadata.name.replace(/.*-/, ''), template.spec.containers[0]?.image.replace(/.*:/, '') ?? ''];
        }),
      ),
    promote: (tag) =>
      fleet.write(
        'environments/lab.yml',
        `$schema: /app-sre/environment-1.yml\nname: lab\nservicePhase: production\nproduct: { $ref: /product.yml }\nparameters: { IMAGE_TAG: ${tag} }\n`,
      ),
    declare: (text) => {
      fleet.manager.write('instance/resources/echelon/rollouts.yml', text);
    },
    pass: (args = []) =>
      fleet.cli([
        ...['run', 'integrations-manager', '--run-once', '--no-lease', '--metrics-port', '0'],
        ...['--rollout-record', record(), ...args],
      ]),
  };
}
