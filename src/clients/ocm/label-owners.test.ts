import { afterEach, describe, expect, it } from 'vitest';
import { found } from '../../../test/support/hostile-ocm-records.ts';
import type { Reply } from '../../../test/support/local-http.ts';
import { type OcmServer, page, startOcmServer } from '../../../test/support/scripted-ocm.ts';

let server: OcmServer;
/** Called before the labels of owners are counted, by a page after the last one. */
let onCount: (labels: unknown[]) => void = () => undefined;
afterEach(async () => {
  onCount = () => undefined;
  await server?.close();
});

const MAX_BYTES = 40_000;
const HUGE = 'x'.repeat(MAX_BYTES);
const name = (index: number): string => `s${String(index).padStart(3, '0')}`;

type Owner = { readonly subscription_id: string } | { readonly organization_id: string };
const label = (id: string, owner: Owner, value = 'v') => ({ id, key: `aus.${id}`, value, internal: false, ...owner });

/** Subscriptions 0 to 299 of three organizations, of which the first 250 have a label; and more labels. */
async function start(...more: ReturnType<typeof label>[]) {
  const subscriptions = Array.from({ length: 300 }, (_, index) => ({
    ...{ id: name(index), organization_id: `o${index % 3}`, status: 'Active', managed: true },
  }));
  const labelled = subscriptions.slice(0, 250).map(({ id }) => label(`l-${id}`, { subscription_id: id }));
  const labels = [...labelled, ...more].sort((a, b) => (a.id < b.id ? -1 : 1));
  const reply: Reply = (response, request) => {
    const { search, page: number, size } = request.query;
    if (Number(number) > 1000 && search?.includes('_id')) onCount(labels);
    const all = found(request.path.endsWith('/labels') ? labels : subscriptions, search);
    const from = (Number(number) - 1) * Number(size);
    return page(all.slice(from, from + Number(size)), all.length)(response, request);
  };
  server = await startOcmServer(reply);
  return server.client({ maxBytes: MAX_BYTES });
}

describe('a label over the size limit of a response', () => {
  it.each([
    { of: 'a subscription with other labels', owner: { subscription_id: name(137) } },
    { of: 'a subscription without', owner: { subscription_id: name(299) } },
    { of: 'an organization of labelled subscriptions', owner: { organization_id: 'o1' } },
  ])('is a problem of its owner alone: $of', async ({ owner }) => {
    const client = await start(label('huge', owner, HUGE));
    const { items, problems } = await client.listLabels({ keyPrefix: 'aus.' });
    expect(items).toHaveLength(250);
    expect(problems.map(({ known }) => known)).toEqual([owner]);
    expect(problems[0]?.message).toMatch(/^GET http:\S+\/labels: response larger than/);
    expect(server.asked().length).toBeLessThan(80);
  });

  it('and another one are problems of both owners', async () => {
    const owners = [{ organization_id: 'o2' }, { subscription_id: name(3) }];
    const client = await start(...owners.map((owner, index) => label(`huge${index}`, owner, HUGE)));
    const { problems } = await client.listLabels({ keyPrefix: 'aus.' });
    expect(problems.map(({ known }) => known)).toEqual(expect.arrayContaining(owners));
    expect(problems).toHaveLength(2);
  });

  it('of an owner whose organization has no other label is a problem of none that has one', async () => {
    const client = await start(label('huge', { organization_id: 'elsewhere' }, HUGE));
    const { problems } = await client.listLabels({ keyPrefix: 'aus.' });
    expect(problems.map(({ known, elsewhere }) => ({ known, elsewhere }))).toEqual([{ known: {}, elsewhere: true }]);
  });

  it('is a problem of everybody where labels come and go while its owner is searched', async () => {
    const client = await start(label('huge', { organization_id: 'elsewhere' }, HUGE));
    onCount = (labels) => labels.pop();
    const { problems } = await client.listLabels({ keyPrefix: 'aus.' });
    expect(problems.map(({ known, elsewhere }) => ({ known, elsewhere }))).toEqual([
      { known: {}, elsewhere: undefined },
    ]);
  });

  it('is a problem of its owner alone for each of many', async () => {
    const owners = Array.from({ length: 25 }, (_, index) => ({ subscription_id: name(index) }));
    const client = await start(...owners.map((owner, index) => label(`huge${index}`, owner, HUGE)));
    const { items, problems } = await client.listLabels({ keyPrefix: 'aus.' });
    expect(items).toHaveLength(250);
    expect(problems.map(({ known }) => known)).toEqual(expect.arrayContaining(owners));
    expect(problems).toHaveLength(25);
  });

  it('costs no request where there is none', async () => {
    const client = await start();
    expect((await client.listLabels({ keyPrefix: 'aus.' })).problems).toEqual([]);
    expect(server.asked()).toHaveLength(3);
  });
});
