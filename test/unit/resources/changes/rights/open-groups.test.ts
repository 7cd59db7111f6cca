import assert from 'node:assert/strict';
import { findOpenGroups } from '../../../../../src/resources/changes/rights/open-groups.ts';
import { noLabelOwners, parseLabelOwners } from '../../../../../src/model/label-owners.ts';
import { type Operator, operatorDefaults } from '../../../../../src/model/operator.ts';
import { groupGrant, keyEndpoint } from '../../../../support/pipeline/resources.ts';

const operator = (id: string, role: Operator['role'], selector: Operator['selector'], enabled = true): Operator => ({
  ...{ ...operatorDefaults, id, role, selector, enabled },
});

describe('grants for groups that anybody can satisfy', () => {
  const endpoints = [keyEndpoint({ id: 'salaries', labels: { team: 'people' } })];
  const on = (consumerSelector: Operator['selector']): ReturnType<typeof groupGrant> =>
    groupGrant({ endpointId: 'salaries', consumerSelector });
  const paula = operator('paula', 'operator', { team: 'payments' });

  it('are those whose labels an operator of another team may give', () => {
    const find = (...operators: readonly Operator[]): unknown =>
      findOpenGroups([on({ tier: 'gold' }), on({ team: 'people' })], endpoints, operators, noLabelOwners).map(
        ({ grant, operator: { id } }) => [grant.consumerSelector, id],
      );
    assert.deepEqual(find(paula), [[{ tier: 'gold' }, 'paula']]);
    // Who reaches the endpoint decides who calls it, and others give no labels.
    assert.deepEqual(find(operator('peter', 'operator', { team: 'people' })), []);
    assert.deepEqual(find(operator('alice', 'admin', {})), []);
    assert.deepEqual(find(operator('victor', 'support', { team: 'payments' })), []);
    assert.deepEqual(find(operator('off', 'operator', { team: 'payments' }, false)), []);
  });

  it('are not those with a label that is reserved to others', () => {
    const open = (owners: string): number =>
      findOpenGroups([on({ tier: 'gold' })], endpoints, [paula], parseLabelOwners(owners) ?? assert.fail()).length;
    assert.equal(open('tier:admins'), 0);
    assert.equal(open('tier:team=people'), 0);
    assert.equal(open('tier:team=payments'), 1);
    assert.equal(open('other:admins'), 1);
  });
});
