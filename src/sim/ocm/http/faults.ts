import * as z from 'zod';
import { EchelonError } from '../../../base/index.ts';
import { type RandomStream, randomOf } from '../random.ts';

/** The effect of a fault on a request. */
const effect = z.discriminatedUnion('kind', [
  /** A response with that status; `committed`: after the request was executed. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    retryAfter: z.int().min(0).exactOptional(),
    body: z.enum(['json', 'html']).exactOptional(),
    committed: z.boolean().exactOptional(),
  }),
  /** The connection breaks before or after the request was executed. */
  z.strictObject({ kind: z.literal('hang-up'), committed: z.boolean().default(false) }),
  /** The request is executed or not, and never gets a response. */
  z.strictObject({ kind: z.literal('no-answer'), committed: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('delay'), ms: z.int().min(0).max(600_000) }),
  /** A read returns the state of this many seconds ago. */
  z.strictObject({ kind: z.literal('stale'), seconds: z.number().min(0) }),
  /** A success whose body is not JSON. */
  z.strictObject({ kind: z.literal('garbage') }),
  /** A truncated body. */
  z.strictObject({ kind: z.literal('truncated') }),
  /** A page with fewer items than its size says. */
  z.strictObject({ kind: z.literal('short-page') }),
  z.strictObject({ kind: z.literal('expired-token') }),
]);

const faultShape = z.strictObject({
  /** Absent: all. */
  environment: z.string().exactOptional(),
  method: z.string().exactOptional(),
  /** Matches the path without the query; `*` matches any text. Absent: every path. */
  path: z.string().exactOptional(),
  /** How often; absent: once, or unlimited with a probability. */
  times: z.int().min(1).exactOptional(),
  probability: z.number().min(0).max(1).exactOptional(),
  effect,
});

export type Fault = z.input<typeof faultShape>;
export type Effect = z.output<typeof effect>;

interface Active {
  readonly fault: z.output<typeof faultShape>;
  readonly path: RegExp;
  readonly random: RandomStream;
  left: number;
}

/** Injected faults. The first that matches a request and is not used up applies. */
export class Faults {
  readonly #seed: number;
  #active: Active[] = [];
  #added = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Returns a function that removes the fault. */
  add(given: Fault): () => void {
    const fault = parseFault(given);
    this.#added += 1;
    const active = {
      fault,
      path: pathPattern(fault.path ?? '*'),
      random: randomOf(this.#seed, 'fault', this.#added),
      left: fault.times ?? (fault.probability === undefined ? 1 : Number.POSITIVE_INFINITY),
    };
    this.#active.push(active);
    return () => {
      this.#active = this.#active.filter((other) => other !== active);
    };
  }

  clear(): void {
    this.#active = [];
  }

  /** Those that are not used up. */
  list(): readonly Fault[] {
    return this.#active.map(({ fault }) => fault);
  }

  pick(environment: string, method: string, path: string): Effect | undefined {
    const active = this.#active.find((each) => fits(each, environment, method, path));
    if (active === undefined) return undefined;
    active.left -= 1;
    if (active.left <= 0) this.#active = this.#active.filter((other) => other !== active);
    return active.fault.effect;
  }
}

function fits({ fault, path: pattern, random }: Active, environment: string, method: string, path: string): boolean {
  if (fault.environment !== undefined && fault.environment !== environment) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
  return pattern.test(path) && random.chance(fault.probability ?? 1);
}

export function parseFault(value: unknown): z.output<typeof faultShape> {
  const result = faultShape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new EchelonError({
    code: 'SIM_FAULT_INVALID',
    message: `invalid fault: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    hint: 'set an effect, such as {"effect":{"kind":"status","status":503}}, and a path such as */labels',
  });
}

function pathPattern(glob: string): RegExp {
  const source = glob.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll(/\*+/g, '.*');
  return new RegExp(`^${source}$`);
}
