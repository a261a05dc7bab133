import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';

describe('echelon explain', () => {
  it('without an argument lists the kinds', async () => {
    const { code, stdout } = await runCli(['explain', '-o', 'name']);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual(['kind/integration', 'kind/namespace', 'kind/lean-namespace']);
  });

  it('shows a field as kubectl does', async () => {
    const { code, stdout } = await runCli(['explain', 'rollouts.tracks.health']);
    expect(code).toBe(0);
    expect(stdout).toBe(`KIND:     rollouts
FILE:     resources/echelon/rollouts.yml of the instance
FIELD:    rollouts.tracks.health <Object> -required-

DESCRIPTION:
  what a healthy shard is

EXAMPLE:
  health:
    queries:
      - reconcile-errors

FIELDS:
  maxRestarts <integer>
    restarts since the move (at least 0, default: 1)
  progressDeadline <string>
    time until a shard that moved must be ready (default: 10m)
  queries <[]string> -required-
    names of queries that must be as expected; an empty list for none
`);
  });

  it('shows all fields below with --recursive', async () => {
    const { stdout } = await runCli(['explain', 'namespace.cluster', '--recursive']);
    expect(stdout).toContain('FIELDS:\n  $ref <string> -required-\n');
    const { stdout: all } = await runCli(['explain', 'lean-namespace', '--recursive']);
    expect(all).toContain('  cluster <Object> -required-\n    name <string> -required-\n');
  });

  it('prints a document', async () => {
    const { stdout } = await runCli(['explain', 'rollouts.tracks.onFailure', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ apiVersion: 'echelon/v1', kind: 'FieldExplanation', of: 'rollouts', path: 'rollouts.tracks.onFailure' },
      ...{
        type: 'string',
        required: false,
        default: 'halt',
        values: ['halt', 'rollback'],
        example: 'halt',
        fields: [],
      },
    });
  });

  it.each([80, 120])('fits a terminal of %i columns, but for long words', async (columns) => {
    const { stdout } = await runCli(['explain', 'integration.managed.spec'], { columns });
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  });

  it('of an unknown field names the nearest', async () => {
    expect(await runCli(['explain', 'integration.managd'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: integration has no field managd\n code: FIELD_UNKNOWN\n hint: did you mean managed?\n',
    });
  });
});

describe('echelon schema', () => {
  it('prints the JSON Schema of a kind', async () => {
    const { code, stdout } = await runCli(['schema', 'rollouts.yml']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        tracks: { items: { properties: { waves: { items: { properties: { soak: { default: '1h' } } } } } } },
      },
    });
  });

  it('of an unknown kind is an error with near misses', async () => {
    const { code, stderr } = await runCli(['schema', 'rolouts']);
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean rollouts?');
  });
});
