import assert from 'node:assert/strict';
import { pages } from '../../../../../src/operators/console/pages.ts';
import { allows, operatorRoles, rolesFor } from '../../../../../src/model/operator.ts';
import { TestConsole } from '../../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';

describe('console: who may use a page', () => {
  let console: TestConsole;

  beforeEach(() => {
    console = new TestConsole(new MemoryResourceStore({}));
    for (const role of operatorRoles) console.add(role, role);
    console.add('anna', 'admin', { selector: { team: 'payments' } });
  });

  for (const { path: pattern, needs, submit } of pages) {
    const path = pattern.replaceAll(/:\w+/g, 'some-id');
    for (const role of operatorRoles.filter((each) => !allows(each, needs))) {
      it(`${pattern} shows no form to role ${role}, and says what is needed`, async () => {
        const answers = [
          await console.open(role, path),
          ...(submit === undefined ? [] : [await console.submit(role, path, {})]),
        ];
        const why =
          needs === 'change-operators'
            ? 'Only an admin without labels, hosts and paths manages operators.'
            : `The role ${role} does not allow this: it needs ${rolesFor(needs).join(' or ')}`;
        for (const answer of answers) {
          assert.equal(answer.status, 403);
          assert.ok(answer.text.includes('<h1>You may not do this</h1>'), answer.text);
          assert.ok(answer.text.includes(why), answer.text);
          assert.doesNotMatch(answer.text, /class="change"|class="filters"/);
        }
      });
    }
  }

  it('offers in the menu only what can be used', async () => {
    const menuOf = async (who: string): Promise<readonly string[]> => {
      const [, menu = ''] =
        /<nav class="main-menu"[^]*?<ul>([^]*?)<\/ul>/.exec((await console.open(who, '/')).text) ?? [];
      return [...menu.matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '');
    };
    const forAll = [
      '/',
      '/consumers',
      '/credentials',
      '/endpoints',
      '/plans',
      '/issuers',
      '/usage',
      '/endings',
      '/replicas',
    ];
    assert.deepEqual((await menuOf('viewer')).toSorted(), forAll.toSorted());
    const forSupport = [...forAll, '/refusals', '/audit'];
    assert.deepEqual((await menuOf('support')).toSorted(), forSupport.toSorted());
    assert.deepEqual((await menuOf('anna')).toSorted(), forSupport.toSorted());
    assert.deepEqual((await menuOf('admin')).toSorted(), [...forSupport, '/operators'].toSorted());
  });
});
