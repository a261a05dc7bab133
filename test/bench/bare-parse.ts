import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

/**
 * The baseline: read every datafile of a folder and parse it with the YAML library, its defaults, nothing else. The values
 * are kept, as whoever wants to look at more than one file must.
 */
const root = process.argv[2] ?? '.';
const started = performance.now();
const values: unknown[] = [];
for (const entry of readdirSync(join(root, 'data'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.ya?ml$/.test(entry.name)) continue;
  values.push(load(readFileSync(join(entry.parentPath, entry.name), 'utf8')));
}
const milliseconds = performance.now() - started;
console.log(JSON.stringify({ milliseconds, parsed: values.length, maxRss: process.resourceUsage().maxRSS * 1024 }));
