import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { DesiredNamespace } from '../../src/manager/index.ts';
import { rememberedHelm } from './remembered-helm.ts';
import { runCli } from './run-cli.ts';
import { EXAMPLE_INSTANCE } from './shared.ts';

/** The desired objects of the largest namespace of the example instance, from the real chart. */
export async function renderExample(): Promise<readonly KubeObject[]> {
  const cache = mkdtempSync(join(tmpdir(), 'echelon-example-'));
  try {
    const env = { HELM_BIN: await rememberedHelm(), XDG_CACHE_HOME: cache };
    const { stdout } = await runCli(['manager', 'render', '-o', 'json', '--data', EXAMPLE_INSTANCE], { env });
    const { items } = JSON.parse(stdout) as { items: DesiredNamespace[] };
    return items.toSorted((a, b) => b.objects.length - a.objects.length)[0]?.objects ?? [];
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
