import { ACCIDENTS, type BRAKES, FAULTS, type Fault, RolloutSimulation } from './rollout-simulation.ts';

const MINUTES = 420;

export interface RolloutFindings {
  readonly violations: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

/** Lives through several rollouts with everything that can happen, and checks R1 to R5 at every decision (R6). */
export function checkRollouts(seed: number, faults: readonly Fault[] = FAULTS, probability = 0.12): RolloutFindings {
  const sim = new RolloutSimulation(seed);
  for (let minute = 0; minute < 40; minute += 1) sim.step([], 0);
  sim.declareAny();
  for (let minute = 40; minute < MINUTES; minute += 1) {
    sim.step(faults, probability);
    if (minute % 60 === 0) sim.declareAny();
  }
  return { violations: sim.violations, counts: sim.counts };
}

/** A rollout without faults: what the forecast made at its start says, and what happened. */
export function forecastAndHappened(seed: number): { readonly forecast: object; readonly happened: object } {
  const sim = new RolloutSimulation(seed, { isQuiet: true });
  for (let minute = 0; minute < 40; minute += 1) sim.step([], 0);
  sim.declare();
  return compared(sim, [], 0);
}

/** With accidents nothing begins before its forecast (R7). */
export function beforeForecast(seed: number): string[] {
  const sim = new RolloutSimulation(seed);
  for (let minute = 0; minute < 40; minute += 1) sim.step([], 0);
  sim.declare('good');
  const { forecast, happened } = compared(sim, ACCIDENTS, 0.1);
  const foreseen = forecast as Record<string, number>;
  return Object.entries(happened as Record<string, number>).flatMap(([what, at]) =>
    foreseen[what] === undefined || at >= foreseen[what] ? [] : [`${what} at ${at}, forecast for ${foreseen[what]}`],
  );
}

/** With accidents, every step of a rollout that completes is in its history exactly once: what is missing or there twice. */
export function unevenHistory(seed: number): string[] {
  const sim = new RolloutSimulation(seed);
  for (let minute = 0; minute < 40; minute += 1) sim.step([], 0);
  sim.declare('good');
  const { target: image } = sim;
  const isComplete = (): boolean => sim.history().some((one) => one.kind === 'completed' && one.image === image);
  for (let minute = 0; minute < 2_000 && !isComplete(); minute += 1) sim.step(ACCIDENTS, 0.2);
  const counts = new Map<string, number>();
  for (const { kind, wave = '', shards } of sim.history().filter((one) => one.image === image))
    for (const what of shards.length === 0 ? [`${kind} ${wave}`] : shards.map((id) => `${kind} ${id}`))
      counts.set(what, (counts.get(what) ?? 0) + 1);
  const shards = [...sim.shards.keys()].flatMap((name) => [`moved i/${name}`, `soaked i/${name}`]);
  for (const what of ['target ', 'completed ', ...shards]) counts.set(what, counts.get(what) ?? 0);
  return [...counts].flatMap(([what, count]) => (count === 1 ? [] : [`${what}: ${count} times`]));
}

function compared(sim: RolloutSimulation, faults: readonly Fault[], probability: number) {
  const image = sim.target;
  const [track] = sim.forecast();
  const forecast = Object.fromEntries([
    ...(track?.waves ?? []).flatMap(({ name, startsAt }) => (startsAt === undefined ? [] : [[name, startsAt]])),
    ...(track?.completesAt === undefined ? [] : [['complete', track.completesAt]]),
  ]);
  sim.starts.clear();
  for (let minute = 0; minute < 2_000 && !sim.starts.has(`complete ${image}`); minute += 1)
    sim.step(faults, probability);
  const happened = Object.fromEntries(
    [...sim.starts].flatMap(([key, at]) => (key.endsWith(image) ? [[key.split(' ')[0], at]] : [])),
  );
  return { forecast, happened };
}

/** In the middle of rollouts, what explain names is lifted, and the shard moves. */
export function liftedGates(seed: number): { readonly gates: readonly string[]; readonly stuck: readonly string[] } {
  const sim = new RolloutSimulation(seed);
  const gates: string[] = [];
  const stuck: string[] = [];
  for (let minute = 0; minute < 160; minute += 1) {
    if (minute === 40 || minute === 100) sim.declareAny();
    sim.step(minute < 40 ? [] : ['pin', 'disable', 'pause', 'reject', 'metrics down', 'edit by hand', 'crash'], 0.06);
    if (minute % 7 !== 0) continue;
    const lifted = sim.lift();
    if (lifted === undefined) continue;
    gates.push(...lifted.gates);
    if (!lifted.moves) stuck.push(`minute ${minute}: ${lifted.gates.join(', ')}`);
  }
  return { gates, stuck };
}

/**
 * Somebody stops an image in the middle of its rollout, at a random minute after the first shard took it: the violations of R1 to R5
 * from then on, and how many shards took the image forward.
 */
export function stopped(seed: number, action: (typeof BRAKES)[number]) {
  const sim = new RolloutSimulation(seed, { isQuiet: true });
  for (let minute = 0; minute < 40; minute += 1) sim.step([], 0);
  sim.declare('good');
  const from = seed % 7;
  let isStopped = false;
  for (let minute = 0; minute < 400 && !isStopped; minute += 1) {
    sim.step([], 0);
    if (minute >= from) isStopped = sim.stop(action);
  }
  const before = sim.counts.get('moves forward') ?? 0;
  for (let minute = 0; isStopped && minute < 200; minute += 1) sim.step([], 0);
  // With an old record the rollout goes on from there; everything else stops it.
  const moved = action === 'stale record' ? 0 : (sim.counts.get('moves forward') ?? 0) - before;
  return { isStopped, went: isStopped ? moved : 0, violations: sim.violations };
}
