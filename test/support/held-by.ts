import { fileCache } from '../../src/clients/file-cache/index.ts';
import { holdFiles } from '../../src/instance/sources/held-files.ts';

/** Prints what this user holds of an instance, with a memory of its folders that is kept in a folder, and without one. */
const [root = '', folder = ''] = process.argv.slice(2);
const memory = { store: fileCache(folder), code: 'code', now: Date.now() + 10_000 };
const prints = [holdFiles(root, memory), holdFiles(root)].map((held) => held?.fingerprint ?? null);
process.stdout.write(`${JSON.stringify(prints)}\n`);
