import { startSimKube } from '../../src/sim/index.ts';
import { NAMESPACE } from './cluster-parts.ts';

/** Simulated API servers in a process of their own: `growth-kubes.ts COUNT`. Sends their addresses to the process that forked it. */
const sims = await Promise.all(
  Array.from({ length: Number(process.argv[2]) }, (_, at) =>
    startSimKube({ controllers: false, namespaces: [NAMESPACE], seed: at + 1 }),
  ),
);
process.send?.(sims.map(({ url }) => url));
process.on('disconnect', () => process.exit());
