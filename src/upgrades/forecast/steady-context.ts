import { type CronDialect, type Instant, later, type SoakReadings } from '../../gates/index.ts';
import { type Context, dialectOf, gatesByMinor, type SoakView } from '../engine/context.ts';
import type { OrgFacts } from '../engine/facts.ts';
import type { Occupancy } from '../engine/mutexes.ts';
import type { Rules } from '../engine/rules.ts';
import { lowestOf, type Minima } from '../engine/soak.ts';
import type { SectorLevels } from './levels.ts';
import type { SoakMeters } from './soak-meters.ts';
import type { SoakSource } from './soak-source.ts';

/** A history that is inherited; one that is decided on later in a pass is read as the pass before left it. */
export interface Inherited {
  readonly scope: string;
  readonly source: SoakSource;
  readonly lag: 0 | 1;
}

interface ContextParts {
  readonly from: Instant;
  readonly every: number;
  readonly rules: Rules;
  readonly facts: Context['facts'] & Pick<OrgFacts, 'gates'>;
  readonly policies: Context['policies'];
  readonly occupancy: Occupancy;
  readonly meters: SoakMeters;
  readonly sectors: SectorLevels;
  readonly inherited: readonly Inherited[];
  readonly ownMinima: (pass: number) => Minima | undefined;
}

/** What gates read in a pass on the virtual clock; nothing of it is computed before it is read. */
export class SteadyContext implements Context {
  /** The pass that it shows: any from the last but one on. Mutexes are always those of the last one. */
  pass = 0;
  readonly facts: Context['facts'];
  readonly rules: Rules;
  readonly dialect: CronDialect;
  readonly soak: SoakView;
  readonly policies: Context['policies'];
  readonly gates: Context['gates'];
  readonly occupancy: Occupancy;
  readonly #parts: ContextParts;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    const { blockedVersions, freezes, agreements } = parts.facts;
    this.facts = { blockedVersions, freezes, agreements };
    this.rules = parts.rules;
    this.dialect = dialectOf(parts.rules);
    this.policies = parts.policies;
    this.gates = gatesByMinor(parts.facts.gates);
    this.occupancy = parts.occupancy;
    this.soak = this.#soakView();
  }

  get now(): Instant {
    return later(this.#parts.from, this.pass * this.#parts.every);
  }

  /** Reads what was so in a pass before. */
  during<Value>(pass: number, read: () => Value): Value {
    const current = this.pass;
    this.pass = pass;
    const value = read();
    this.pass = current;
    return value;
  }

  readonly sectorFloor: Context['sectorFloor'] = (sector, workload) =>
    this.#parts.sectors.floorAt(this.pass)(sector, workload);

  readonly soaking: Context['soaking'] = (version, workload) =>
    this.#parts.meters.presentAt(this.pass, version, workload) +
    this.#others(workload, ({ source, lag }) => source.sightedAt(this.pass - lag, version, workload));

  /** How many earn soak from now on, here and where it is inherited from. */
  readonly earning: Context['soaking'] = (version, workload) =>
    this.#parts.meters.earning(version, workload) +
    this.#others(workload, ({ source }) => source.earning(version, workload));

  /** Soak is inherited only for workloads that the organization's own history knows. */
  #others(workload: string, amountOf: (each: Inherited) => number): number {
    const { inherited, meters } = this.#parts;
    if (inherited.length === 0 || !meters.workloads.has(workload)) return 0;
    let sum = 0;
    for (const each of inherited) sum += amountOf(each);
    return sum;
  }

  #soakView(): SoakView {
    const { meters, inherited } = this.#parts;
    const micros = (version: string, workload: string): number =>
      meters.microsAt(this.pass, version, workload) +
      this.#others(workload, ({ source, lag }) => source.microsAt(this.pass - lag, version, workload));
    const readings = new Map<string, NonNullable<ReturnType<SoakReadings['get']>>>();
    const versions: SoakReadings = {
      get: (version) => {
        const known = readings.get(version) ?? { get: (workload) => ({ micros: micros(version, workload) }) };
        readings.set(version, known);
        return known;
      },
    };
    const [now, minima] = [() => this.now, () => this.#inheritedMinima()];
    const unobserved = (): string[] =>
      inherited.flatMap(({ source, scope, lag }) => (source.minimaAt(this.pass - lag) === undefined ? [scope] : []));
    return {
      versions,
      get checkIn() {
        return now();
      },
      get inheritedMinima() {
        return minima() as Minima;
      },
      get unobservedSources() {
        return unobserved();
      },
    };
  }

  #known: { readonly given: readonly (Minima | undefined)[]; readonly minima: Minima | undefined } | undefined;

  #inheritedMinima(): Minima | undefined {
    const { inherited, ownMinima } = this.#parts;
    if (inherited.length === 0 || ownMinima(this.pass) === undefined) return undefined;
    const given = inherited.map(({ source, lag }) => source.minimaAt(this.pass - lag));
    const known = this.#known;
    if (known?.given.every((each, index) => each === given[index])) return known.minima;
    this.#known = { given, minima: lowestOf(given) };
    return this.#known.minima;
  }
}
