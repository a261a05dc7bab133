import { describe, expect, it } from 'vitest';
import { reproducibleSbom, type Sbom, type SbomComponent } from './sbom.ts';

const component = (name: string, version: string): SbomComponent => ({
  ...{ 'bom-ref': `${name}@${version}`, type: 'library', name, version, purl: `pkg:npm/${name}@${version}` },
});

const printed = (folder: string, serialNumber: string, timestamp: string): Sbom => ({
  serialNumber,
  metadata: { timestamp, component: { ...component('echelon', '1.2.3'), name: folder } },
  components: [component('ajv', '8.20.0'), component('vitest', '5.0.0')],
  dependencies: [
    { ref: 'echelon@1.2.3', dependsOn: ['ajv@8.20.0', 'vitest@5.0.0'] },
    { ref: 'ajv@8.20.0', dependsOn: [] },
    { ref: 'vitest@5.0.0', dependsOn: ['ajv@8.20.0'] },
  ],
});

const facts = {
  ...{ name: 'echelon', sourceDate: 1_700_000_000, packages: new Set(['ajv@8.20.0']) },
  programs: [component('node', '24.0.0')],
};
const first = reproducibleSbom(printed('checkout', 'urn:uuid:1', '2026-01-01T00:00:00.000Z'), facts);

describe('the SBOM of a release', () => {
  it('depends on the sources alone: not on the folder, the time or chance', () => {
    const second = reproducibleSbom(printed('elsewhere', 'urn:uuid:2', '2027-01-01T00:00:00.000Z'), facts);
    expect(second).toEqual(first);
    expect(first.metadata).toMatchObject({ timestamp: '2023-11-14T22:13:20.000Z', component: { name: 'echelon' } });
  });

  it('has another serial number when anything in it differs', () => {
    const { serialNumber } = reproducibleSbom(printed('checkout', '', ''), { ...facts, programs: [] });
    expect(serialNumber).not.toBe(first.serialNumber);
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('names what the product runs with, the programs of the image included, and no tool of its development', () => {
    expect(first.components.map(({ name }) => name)).toEqual(['ajv', 'node']);
    expect(first.dependencies).toEqual([
      { ref: 'echelon@1.2.3', dependsOn: ['ajv@8.20.0', 'node@24.0.0'] },
      { ref: 'ajv@8.20.0', dependsOn: [] },
      { ref: 'node@24.0.0', dependsOn: [] },
    ]);
  });
});
