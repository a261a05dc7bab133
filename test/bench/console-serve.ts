import { sizedConsole } from '../support/console-size.ts';

/** Serves a console of so many clusters, integrations and shards of each; prints its address, and ends with its standard input. */
const [clusters = 0, integrations = 0, shardsEach = 0] = process.argv.slice(2).map(Number);
/** A longer forecast takes longer to compute, and a page shows no more of it. */
const DAYS = 7;

const run = await sizedConsole({ clusters, integrations, shardsEach }, { days: DAYS });
console.log(run.url);
process.stdin.resume().once('end', () => void run.dispose());
