import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

/** The baseline: read every datafile of a folder and parse it with the YAML library, its defaults, nothing else. */
const root = process.argv[2] ?? '.';
const started = performance.now();
let parsed = 0;
for (const entry of readdirSync(join(root, 'data'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.ya?ml$/.test(entry.name)) continue;
  load(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  parsed += 1;
}
const milliseconds = performance.now() - started;
console.log(JSON.stringify({ milliseconds, parsed, maxRss: process.resourceUsage().maxRSS * 1024 }));
