import { EchelonError, isJson, type Json } from '../../base/index.ts';
import { loadYamlDocuments } from '../../instance/index.ts';
import type { Template, TemplateParameter } from './template.ts';

/** What a chart may render: one OpenShift Template, or plain manifests. */
export type ChartOutput = Template | { readonly kind: 'manifests'; readonly objects: readonly Json[] };

export function readChartOutput(text: string): ChartOutput {
  const documents = documentsOf(text);
  const template = documents.find(({ kind }) => kind === 'Template');
  if (template === undefined) return { kind: 'manifests', objects: documents.map(requireObject) };
  if (documents.length > 1) throw unexpected('a Template next to other objects', 'move the objects into the Template');
  return {
    kind: 'Template',
    objects: listOf(template, 'objects').map(requireObject),
    parameters: listOf(template, 'parameters').map(requireParameter),
    ...(isJson(template['labels']) ? { labels: template['labels'] as Record<string, string> } : {}),
  };
}

function documentsOf(text: string): Json[] {
  let documents: unknown[];
  try {
    documents = loadYamlDocuments(text);
  } catch (cause) {
    throw unexpected(`text that is not YAML: ${(cause as Error).message}`, 'run helm template to find the line');
  }
  return documents
    .filter((document) => document !== null && document !== undefined)
    .flatMap((document) => (isJson(document) && document['kind'] === 'List' ? listOf(document, 'items') : [document]))
    .map((document) => (isJson(document) ? document : fail(document)));
}

function fail(document: unknown): never {
  throw unexpected(`a document that is not an object: ${JSON.stringify(document).slice(0, 60)}`, HINT);
}

const HINT = 'a chart for integrations must render one OpenShift Template, or Kubernetes objects';

function listOf(template: Json, key: string): unknown[] {
  const list = template[key] ?? [];
  if (!Array.isArray(list)) throw unexpected(`a Template whose ${key} is not a list`, HINT);
  return list;
}

function requireObject(value: unknown): Json {
  if (!isJson(value)) return fail(value);
  const { apiVersion, kind, metadata } = value;
  const name = isJson(metadata) ? metadata['name'] : undefined;
  if (typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string') return value;
  throw unexpected(`an object without apiVersion, kind or metadata.name: ${JSON.stringify(value).slice(0, 60)}`, HINT);
}

function requireParameter(value: unknown): TemplateParameter {
  if (isJson(value) && typeof value['name'] === 'string') return value as unknown as TemplateParameter;
  throw unexpected('a parameter without a name', HINT);
}

function unexpected(what: string, hint: string): EchelonError {
  return new EchelonError({ code: 'CHART_OUTPUT', message: `the chart rendered ${what}`, hint });
}
