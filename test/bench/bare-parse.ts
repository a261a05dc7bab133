import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

/**
 * The baseline: read every datafile of a folder and parse it with the YAML library, its defaults, nothing else. With `keep`
 * the values are kept, as a loader must, which costs the collector some time; without, each is dropped at once.
 */
const keep = process.argv[3] === 'keep';
const root = process.argv[2] ?? '.';
const started = performance.now();
const values: unknown[] = [];
let parsed = 0;
for (const entry of readdirSync(join(root, 'data'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.ya?ml$/.test(entry.name)) continue;
  const value = load(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  if (keep) values.push(value);
  parsed += 1;
}
const milliseconds = performance.now() - started;
console.log(
  JSON.stringify({ milliseconds, parsed, kept: values.length, maxRss: process.resourceUsage().maxRSS * 1024 }),
);
