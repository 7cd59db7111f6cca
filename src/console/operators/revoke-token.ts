import { html } from 'hono/html';
import { ApiProblem } from '../../api/problem.ts';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';

/** Refuses a token of an operator for good, after it has asked. */
export const revokeToken: Page = {
  path: '/operators/:id/tokens/:token/revoke',
  needs: 'change-operators',
  show: async (visit) => {
    const { id, tokens = [], revision } = await readOperator(visit);
    const tokenId = visit.param('token');
    if (!tokens.some((each) => each.id === tokenId)) {
      throw new ApiProblem('NOT_FOUND', `the operator "${id}" has no token "${tokenId}"`);
    }
    return askToConfirm(visit, confirmationOf(id, tokenId), revision);
  },
  submit: async (visit, form) => {
    const [id, tokenId] = [visit.param('id'), visit.param('token')];
    return await carryOutConfirmed(visit, form, {
      confirmation: confirmationOf(id, tokenId),
      request: { method: 'POST', path: url`/v1/operators/${id}/tokens/${tokenId}:revoke` },
      notice: 'token-revoked',
      next: url`/operators/${id}`,
    });
  },
};

function confirmationOf(id: string, tokenId: string): Confirmation {
  return {
    title: `Revoke the token ${tokenId}`,
    trail: operatorTrail(id),
    explanation: html`<p>Requests of <strong>${id}</strong> with this token are refused at once and for good. Other tokens
stay.</p>`,
    verb: 'Revoke',
    isDangerous: true,
    path: url`/operators/${id}/tokens/${tokenId}/revoke`,
    back: url`/operators/${id}`,
  };
}
