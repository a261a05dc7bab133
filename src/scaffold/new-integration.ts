import { posix } from 'node:path';
import { defined, didYouMean, EchelonError } from '../base/index.ts';
import type { Instance, Namespace } from '../instance/index.ts';
import { nameFault, requireValid } from './answers.ts';
import { integrationFile } from './integration-file.ts';
import type { NewFiles } from './new-files.ts';

export interface IntegrationRequest {
  readonly name: string;
  /** A namespace of the instance; not needed if it has only one. */
  readonly namespace?: string;
  readonly description?: string;
  readonly shards?: number;
  /** That of the others if they have one in common. */
  readonly upstream?: string;
}

/** The file of a new integration in an instance. Pure. */
export function newIntegration(instance: Instance, request: IntegrationRequest): NewFiles {
  const { name, description, shards } = request;
  requireValid(nameFault(name), 'NAME');
  const known = instance.integrations.find((integration) => integration.name === name);
  if (known !== undefined) throw exists(name, known.file);
  const { file: namespace, lean } = namespaceFor(instance, request.namespace);
  const folder = posix.dirname(instance.integrations[0]?.file ?? '/integrations/x');
  const upstream = request.upstream ?? commonUpstream(instance);
  const depth = posix.join('data', folder).split('/').length;
  const plan = { name, namespace, full: !lean, depth, ...defined({ description, shards, upstream }) };
  return new Map([[posix.join('data', folder, `${name}.yml`), integrationFile(plan)]]);
}

function namespaceFor({ namespaces }: Instance, name: string | undefined): Namespace {
  const [only, ...others] = name === undefined ? namespaces : namespaces.filter((one) => one.name === name);
  if (only !== undefined && others.length === 0) return only;
  const names = [...new Set(namespaces.map((one) => one.name))];
  if (names.length === 0) throw noNamespace('no namespace in this instance', 'create one with: echelon init');
  const choose = `pass --namespace with one of: ${names.slice(0, MOST_NAMES).join(', ')}`;
  if (name === undefined) throw noNamespace(`this instance has ${namespaces.length} namespaces`, choose);
  throw only === undefined
    ? noNamespace(`no namespace ${name} in this instance`, didYouMean(name, names, choose))
    : noNamespace(`${others.length + 1} namespaces are called ${name}`, 'copy an integration file, and edit its $ref');
}

const MOST_NAMES = 10;

function noNamespace(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'NAMESPACE_UNKNOWN', message: `${message}. Nothing was written`, hint });
}

/** Integrations of one upstream run one image. */
function commonUpstream({ integrations }: Instance): string | undefined {
  const [first, ...others] = new Set(integrations.map(({ upstream }) => upstream));
  return others.length === 0 ? first : undefined;
}

function exists(name: string, file: string): EchelonError {
  return new EchelonError({
    code: 'INIT_EXISTS',
    message: `an integration ${name} exists in data${file}. Nothing was written`,
    hint: 'choose another name, or edit the file',
  });
}
