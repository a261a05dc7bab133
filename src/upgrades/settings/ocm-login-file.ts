import { join, resolve } from 'node:path';
import * as z from 'zod';
import { EchelonError } from '../../base/index.ts';
import type { FilePorts } from './file-ports.ts';

const text = z.string().optional().catch(undefined);

/** The login file of the `ocm` command, reduced to its credentials. */
const LOGIN = z.object({
  ...{ access_token: text, refresh_token: text, client_id: text, client_secret: text },
  ...{ token_url: text, url: text },
});
type KeptLogin = z.infer<typeof LOGIN>;

/** Reads the login of the `ocm` command, if there is one. */
export function readOcmLogin(ports: FilePorts): { readonly file: string; readonly login: KeptLogin } | undefined {
  for (const file of placesOf(ports)) {
    const content = contentOf(ports, file);
    if (content !== undefined && content.trim() !== '') return { file, login: parse(file, content) };
  }
  return undefined;
}

/** Searched as by the `ocm` command: its variable, the home directory, the configuration directory. */
function placesOf({ env, cwd }: FilePorts): string[] {
  const named = env['OCM_CONFIG'] ?? '';
  if (named !== '') return [resolve(cwd, named)];
  const home = env['HOME'] ?? '';
  const configurations = env['XDG_CONFIG_HOME'] ?? '';
  return [
    ...(home === '' ? [] : [join(home, '.ocm.json')]),
    ...(configurations === '' ? [] : [join(configurations, 'ocm', 'ocm.json')]),
    ...(home === '' ? [] : [join(home, '.config/ocm/ocm.json')]),
    ...(home === '' ? [] : [join(home, 'Library/Application Support/ocm/ocm.json')]),
  ];
}

function contentOf({ readFile }: FilePorts, file: string): string | undefined {
  try {
    return readFile(file);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(`cannot read ${file}: ${code}`);
  }
}

function parse(file: string, content: string): KeptLogin {
  try {
    return LOGIN.parse(JSON.parse(content));
  } catch {
    throw unreadable(`${file} is not a login file of the ocm command`);
  }
}

function unreadable(message: string): EchelonError {
  return new EchelonError({
    code: 'OCM_LOGIN_UNREADABLE',
    message,
    hint: 'run ocm login again, or set OCM_CONFIG to the file',
  });
}
