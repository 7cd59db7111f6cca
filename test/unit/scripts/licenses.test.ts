import assert from 'node:assert/strict';
import { allowedLicenses, findForbidden, isAllowed } from '../../../scripts/licenses/rules.mjs';
import { writePage } from '../../../scripts/licenses/page.mjs';
import { readRuntimePackages } from '../../../scripts/sbom/runtime-packages.mjs';
import { readDocument } from '../../support/docs/documents.ts';

describe('licences of runtime dependencies', () => {
  const read = readRuntimePackages();

  it('are all allowed', () => {
    assert.deepEqual(findForbidden(read.packages), []);
  });

  it('are those that THIRD-PARTY.md lists: run "npm run licenses" after a change of dependencies', () => {
    assert.equal(readDocument('THIRD-PARTY.md'), writePage(read));
  });

  it('have their text in the package, but for the ones that are known', () => {
    const without = read.packages.filter(({ licenseFiles }) => licenseFiles.length === 0).map(({ name }) => name);
    assert.deepEqual(without, ['@bufbuild/protobuf', '@hono/zod-openapi', '@hono/zod-validator']);
  });
});

describe('the rule for licences', () => {
  it('accepts each one on the list, and a choice or a sum of them', () => {
    for (const license of allowedLicenses) assert.ok(isAllowed(license), license);
    assert.ok(isAllowed('MIT AND BSD-3-Clause'));
    assert.ok(isAllowed('(GPL-3.0-only OR MIT)'));
    assert.ok(isAllowed('MIT AND (ISC OR SSPL-1.0)'));
  });

  it('refuses others, sums with others, exceptions, later versions, nonsense and silence', () => {
    for (const license of [
      'GPL-3.0-only',
      'MIT AND GPL-3.0-only',
      'Apache-2.0 WITH LLVM-exception',
      'Apache-2.0+',
      'SEE LICENSE IN LICENSE.txt',
      'UNLICENSED',
      'mit',
      '',
      null,
    ]) {
      assert.equal(isAllowed(license), false, String(license));
    }
  });

  it('names the package and its licence', () => {
    const forbidden = findForbidden([
      { name: 'a', version: '1.0.0', license: 'MIT' },
      { name: 'b', version: '2.0.0', license: 'AGPL-3.0-only' },
      { name: '@c/d', version: '3.0.0', license: null },
    ]);
    assert.deepEqual(forbidden, ['b 2.0.0: AGPL-3.0-only', '@c/d 3.0.0: says nothing about its licence']);
  });
});
