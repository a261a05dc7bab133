#!/usr/bin/env node
/**
 * A stand-in for two versions of the integration openshift-namespaces, for `echelon shadow --runner process`. In dry run it
 * reports what it would create and delete in a cluster, as existing integrations log it, and does nothing else.
 *
 * Version f929a38 no longer reads files that end in .yaml, and so would delete the namespaces that they declare.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { ECHELON_DATA = '.', IMAGE_TAG, DRY_RUN } = process.env;
if (DRY_RUN !== '--dry-run') throw new Error('this example knows only dry runs');

const cluster = process.argv[process.argv.indexOf('--cluster-name') + 1] ?? '';
const ending = IMAGE_TAG === 'f929a38' ? /\.yml$/ : /\.ya?ml$/;
const folder = join(ECHELON_DATA, 'data/services');
const files = readdirSync(folder, { recursive: true }).filter((file) => /namespaces\//.test(file) && ending.test(file));
const desired = new Set();
for (const file of files) {
  const text = readFileSync(join(folder, file), 'utf8');
  if (text.includes(`/openshift/${cluster}/cluster.y`)) desired.add(/^name: *(.+)$/m.exec(text)?.[1]);
}

/** What the cluster has. */
const live = new Set(cluster === 'app-sre-prod-02' ? ['app-interface-internal'] : []);

const now = new Date().toISOString().replace('T', ' ').slice(0, 19);
const log = (message) => console.log(`[${now}] [INFO] [DRY-RUN] [openshift_namespaces.py:act:93] - ${message}`);
for (const name of desired) if (!live.has(name)) log(`['create', '${cluster}', '${name}']`);
for (const name of live) if (!desired.has(name)) log(`['delete', '${cluster}', '${name}']`);
