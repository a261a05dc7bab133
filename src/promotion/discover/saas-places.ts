import { byText, defined, isJson } from '../../base/index.ts';
import { parseSelectorPath, walkData } from '../targets/selector-path.ts';
import { type DraftTarget, type DraftUpstream, type Facts, formOf } from './draft.ts';
import { knownKeys, sameRepository } from './known-keys.ts';

const SAAS = '/app-sre/saas-file-2.yml';

/** Upstream commits that saas files deploy, and template parameters that hold its version. */
export function saasTargets(facts: Facts, upstream: DraftUpstream): DraftTarget[] {
  const { snapshot } = facts.instance;
  const files = [...snapshot.datafiles.values()].filter(({ schema }) => schema === SAAS);
  return files
    .sort((a, b) => byText(a.path, b.path))
    .flatMap(({ path, content }) =>
      walkData(snapshot, path, parseSelectorPath('resourceTemplates[]')).found.flatMap(({ value }) =>
        isJson(value)
          ? templateTargets(facts, upstream, { file: path, saas: String(content['name']), template: value })
          : [],
      ),
    );
}

interface Template {
  /** Path of the saas file. */
  readonly file: string;
  readonly saas: string;
  readonly template: Readonly<Record<string, unknown>>;
}

function templateTargets(facts: Facts, upstream: DraftUpstream, own: Template): DraftTarget[] {
  const template = String(own.template['name']);
  const base = `resourceTemplates[name=${template}]`;
  const isUpstream = sameRepository(String(own.template['url']), upstream.url);
  const shared = parameterTargets(facts, upstream, own, {
    name: `${own.saas}/${template}`,
    base,
    keys: knownKeys(upstream),
    parameters: own.template['parameters'],
  });
  const targets = walkData(facts.instance.snapshot, own.file, parseSelectorPath(`${base}.targets[]`)).found;
  return [
    ...shared,
    ...targets.flatMap(({ value }) =>
      isJson(value) ? targetDrafts(facts, upstream, own, { base, isUpstream, value }) : [],
    ),
  ];
}

interface OneTarget {
  readonly base: string;
  readonly isUpstream: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

function targetDrafts(
  facts: Facts,
  upstream: DraftUpstream,
  own: Template,
  { base, isUpstream, value }: OneTarget,
): DraftTarget[] {
  const { name, ref, promotion } = value;
  if (typeof name !== 'string' || value['delete'] === true) return [];
  const environment = environmentOf(facts, value);
  const path = `${base}.targets[name=${name}]`;
  const keys = isUpstream ? [...knownKeys(upstream), 'IMAGE_TAG'] : knownKeys(upstream);
  const drafts = parameterTargets(facts, upstream, own, {
    name: `${own.saas}/${name}`,
    base: path,
    keys,
    parameters: value['parameters'],
    ...defined({ environment }),
  });
  const isAutomatic = isJson(promotion) && promotion['auto'] === true;
  if (!isUpstream || isAutomatic || !/^[0-9a-f]{40}$/.test(String(ref))) return isAutomatic ? [] : drafts;
  return [
    {
      name: `${own.saas}/${name}`,
      comment: 'the deployed commit',
      ...defined({ environment }),
      upstream: upstream.name,
      schema: SAAS,
      selector: { name: own.saas },
      path: `${path}.ref`,
      form: 'full',
    },
    ...drafts,
  ];
}

/** A manager operates the environment in its parameters, wherever it runs. */
function environmentOf(
  { instance }: Facts,
  { namespace, parameters }: Readonly<Record<string, unknown>>,
): string | undefined {
  const declared = isJson(parameters) ? parameters['ENVIRONMENT_NAME'] : undefined;
  if (typeof declared === 'string') return declared;
  const file = isJson(namespace) ? namespace['$ref'] : undefined;
  return instance.namespaces.find((each) => each.file === file)?.environment.name;
}

interface Parameters {
  readonly name: string;
  readonly base: string;
  readonly keys: readonly string[];
  readonly parameters: unknown;
  readonly environment?: string;
}

function parameterTargets(
  { hashLength }: Facts,
  upstream: DraftUpstream,
  own: Template,
  given: Parameters,
): DraftTarget[] {
  const { parameters } = given;
  if (!isJson(parameters)) return [];
  return given.keys.flatMap((key): DraftTarget[] => {
    const form = formOf(parameters[key], hashLength);
    if (form === undefined || parameters[key] === 'latest') return [];
    const digest = key.replace(/_TAG$/, '_DIGEST').replace(/_tag$/, '_digest');
    const isPair = digest !== key && typeof parameters[digest] === 'string';
    return [
      {
        name: `${given.name}/${key}`,
        comment: isPair ? 'a tag and its digest: both change or neither' : 'a parameter of the template',
        ...defined({ environment: given.environment }),
        upstream: upstream.name,
        schema: SAAS,
        selector: { name: own.saas },
        path: `${given.base}.parameters.${key}`,
        ...(isPair ? { digest } : {}),
        ...form,
      },
    ];
  });
}
