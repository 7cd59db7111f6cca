import assert from 'node:assert/strict';
import { noLabelOwners } from '../../../../../src/model/label-owners.ts';
import { type Operator, operatorDefaults } from '../../../../../src/model/operator.ts';
import type { Plan } from '../../../../../src/model/plan.ts';
import type { Change } from '../../../../../src/resources/changes/change.ts';
import { createOwners } from '../../../../../src/resources/changes/audit/owners-of-change.ts';
import { judgeChanges } from '../../../../../src/resources/changes/rights/judge-changes.ts';
import { plan } from '../../../../support/pipeline/resources.ts';

const ground = { endpoint: new Map(), consumer: new Map(), endpoints: [] };
const team = { team: 'a' };
const own = plan({ consumerSelector: { team: 'a', tier: 'gold' }, endpointSelector: team });

function changeOf(before: Plan | null, after: Plan | null): Change {
  const stored = before === null ? null : { resource: before, revision: 1, createdAt: 0, updatedAt: 0 };
  return { kind: 'plan', id: 'gold', before: stored, after };
}

/** What is answered to an operator who wants a change; `ok` for nothing. */
function judge(parts: Partial<Operator>, before: Plan | null, after: Plan | null): string {
  const operator = { ...operatorDefaults, id: 'ada', role: 'admin' as const, ...parts };
  const overreach = judgeChanges({ operator, labelOwners: noLabelOwners }, [changeOf(before, after)], ground);
  return overreach === null ? 'ok' : `${overreach.code} ${overreach.message}`;
}

describe('changing plans', () => {
  it('is for admins', () => {
    assert.equal(judge({}, null, plan()), 'ok');
    for (const role of ['viewer', 'support', 'operator'] as const) {
      assert.equal(judge({ role }, null, plan()), `FORBIDDEN the role ${role} does not allow this: it needs admin`);
    }
  });

  it('is for admins with labels where both selectors carry them', () => {
    assert.equal(judge({ selector: team }, null, own), 'ok');
    assert.equal(judge({ selector: team }, own, null), 'ok');
    for (const beyond of [
      plan({ consumerSelector: team }),
      plan({ consumerSelector: team, endpointIds: ['orders'] }),
      plan({ consumerSelector: {}, endpointSelector: team }),
    ]) {
      const needs = 'FORBIDDEN consumerSelector and endpointSelector must name the labels of the operator: team=a';
      assert.equal(judge({ selector: team }, null, beyond), needs);
      assert.equal(judge({ selector: team }, own, beyond), needs);
      assert.equal(judge({ selector: team }, beyond, own), 'NOT_FOUND there is no plan "gold"');
      assert.equal(judge({ selector: team }, beyond, null), 'NOT_FOUND there is no plan "gold"');
    }
  });

  it('is not for those who are bound to hosts or paths', () => {
    const bound = 'FORBIDDEN an operator who is bound to hosts or paths changes no plans';
    assert.equal(judge({ hosts: ['api.example.com'] }, null, plan()), bound);
    assert.equal(judge({ selector: team, pathPrefixes: ['/orders'] }, own, null), bound);
  });

  it('belongs to those who have what both selectors say', () => {
    const ownersOf = (change: Change) => createOwners([change], ground)(change);
    assert.deepEqual(ownersOf(changeOf(null, own)), ['["team","a"]']);
    assert.deepEqual(ownersOf(changeOf(own, plan())), []);
    assert.deepEqual(ownersOf(changeOf(null, plan({ consumerSelector: team, endpointIds: ['orders'] }))), []);
  });
});
