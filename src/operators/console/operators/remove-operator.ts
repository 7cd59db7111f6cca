import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';

/** Removes an operator for good, after it has asked. */
export const removeOperator = confirmPage({
  path: '/operators/:id/remove',
  needs: 'change-operators',
  read: readOperator,
  heading: ({ id }) => ({ title: `Remove ${id}`, trail: operatorTrail(id), verb: 'Remove', isDangerous: true }),
  explanation: ({
    id,
  }) => html`<p>All tokens and sessions of <strong>${id}</strong> end at once and for good. The audit trail keeps
what the operator changed. To stop an operator for a while, <a href="${url`/operators/${id}/edit`}">edit</a> it and clear
the box Enabled.</p>`,
  request: ({ id }) => ({ method: 'DELETE', path: url`/v1/operators/${id}` }),
  notice: 'operator-removed',
  next: () => '/operators',
});
