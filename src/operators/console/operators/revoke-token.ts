import { html } from 'hono/html';
import { ApiProblem } from '../../api/problem.ts';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';

/** Refuses a token of an operator for good, after it has asked. */
export const revokeToken = confirmPage({
  path: '/operators/:id/tokens/:token/revoke',
  needs: 'change-operators',
  read: async (visit) => {
    const { id, tokens = [], revision } = await readOperator(visit);
    const tokenId = visit.param('token');
    if (tokens.some((each) => each.id === tokenId)) return { id, tokenId, revision };
    throw new ApiProblem('NOT_FOUND', `the operator "${id}" has no token "${tokenId}"`);
  },
  heading: ({ id, tokenId }) => ({
    title: `Revoke the token ${tokenId}`,
    trail: operatorTrail(id),
    verb: 'Revoke',
    isDangerous: true,
  }),
  explanation: ({
    id,
  }) => html`<p>Requests of <strong>${id}</strong> with this token are refused at once and for good. Other
tokens keep working.</p>`,
  request: ({ id, tokenId }) => ({ method: 'POST', path: url`/v1/operators/${id}/tokens/${tokenId}:revoke` }),
  notice: 'token-revoked',
  next: ({ id }) => url`/operators/${id}`,
});
