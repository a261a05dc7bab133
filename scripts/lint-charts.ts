import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packagedHelm } from '../src/clients/helm/find-helm.ts';

/** Runs `helm lint` on the chart that installs Echelon, with the helm of the npm package. */
const REPO = join(import.meta.dirname, '..');
const helm = await packagedHelm(join(REPO, '.echelon-cache'));
if (helm === undefined) {
  process.stderr.write('the chart is not checked: no helm for this machine in node_modules\n');
} else {
  const given = ['--set', 'image.repository=example/echelon', '--set', 'data=https://qontract.example.com/graphql'];
  const args = ['lint', '--strict', '--quiet', join(REPO, 'charts/echelon'), ...given];
  const { status } = spawnSync(helm, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
