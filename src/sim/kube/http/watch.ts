import type { ServerResponse } from 'node:http';
import { defined } from '../../../base/index.ts';
import type { Fields, KubeObject } from '../objects.ts';
import { expired } from '../status.ts';
import type { Store, StoreEvent, StoreListener } from '../store.ts';
import { type Selection, selectionOf } from './list.ts';
import type { Route } from './route.ts';

/** What an object is sent as: itself, or a row of a table. */
type Render = (object: KubeObject) => unknown;

const SECOND = 1000;

interface WatchRequest {
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly render: Render;
}

/** Streams changes of a resource as lines of JSON until the client, the timeout or the server ends it. */
export function streamChanges(store: Store, request: WatchRequest, response: ServerResponse): void {
  const { route, query, render } = request;
  const isSelected = selectionOf(query);
  const revision = Number(query.get('resourceVersion') ?? 0);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  response.flushHeaders();
  const send: Send = (type, object) => response.write(`${JSON.stringify({ type, object })}\n`);
  const sendEvent = (event: StoreEvent): void => {
    const type = event.resource === route.resource ? changeOf(event, route.namespace, isSelected) : undefined;
    if (type !== undefined) send(type, render(type === 'DELETED' ? asItWas(event) : event.object));
  };
  const past = revision === 0 ? [] : store.since(revision);
  if (past === undefined) {
    send('ERROR', expired(`too old resource version: ${revision} (${store.revision})`).status);
    response.end();
    return;
  }
  if (wantsState(query, revision)) sendState(store, request, isSelected, send);
  else for (const event of past) sendEvent(event);
  follow(store, sendEvent, Number(query.get('timeoutSeconds') ?? 0), response);
}

type Send = (type: string, object: unknown) => unknown;

function wantsState(query: URLSearchParams, revision: number): boolean {
  const asked = query.get('sendInitialEvents');
  return asked === 'true' || (revision === 0 && asked !== 'false');
}

function sendState(store: Store, { route, query, render }: WatchRequest, isSelected: Selection, send: Send): void {
  for (const object of store.list(route.resource, route.namespace).filter(isSelected)) send('ADDED', render(object));
  if (query.get('sendInitialEvents') === 'true') send('BOOKMARK', endOfState(route, store.revision));
}

function follow(store: Store, listener: StoreListener, seconds: number, response: ServerResponse): void {
  const end = store.listen(listener);
  const timer = seconds > 0 ? setTimeout(() => response.end(), seconds * SECOND) : undefined;
  response.once('close', () => {
    end();
    clearTimeout(timer);
  });
}

/** An object that left the selection is reported as it was in it. */
function asItWas({ object, previous = object }: StoreEvent): KubeObject {
  const { resourceVersion } = object.metadata;
  return {
    ...previous,
    metadata: { ...previous.metadata, ...defined({ resourceVersion }) },
  };
}

/** An object that comes into the selection is added to it, one that leaves it is deleted from it. */
function changeOf(
  { type, object, previous }: StoreEvent,
  namespace: string,
  isSelected: Selection,
): StoreEvent['type'] | undefined {
  const isIn = (of: KubeObject | undefined): boolean =>
    of !== undefined && (namespace === '' || of.metadata.namespace === namespace) && isSelected(of);
  const was = isIn(previous);
  const is = type !== 'DELETED' && isIn(object);
  if (was && is) return 'MODIFIED';
  if (is) return 'ADDED';
  return was ? 'DELETED' : undefined;
}

function endOfState({ resource }: Route, revision: number): Fields {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return {
    kind: resource.kind,
    apiVersion: resource.apiVersion,
    metadata: { resourceVersion: String(revision), annotations },
  };
}
