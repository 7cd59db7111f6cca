import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';

/** Removes an operator for good, after it has asked. */
export const removeOperator: Page = {
  path: '/operators/:id/remove',
  needs: 'change-operators',
  show: async (visit) => {
    const { id, revision } = await readOperator(visit);
    return askToConfirm(visit, confirmationOf(id), revision);
  },
  submit: async (visit, form) => {
    const id = visit.param('id');
    return await carryOutConfirmed(visit, form, {
      confirmation: confirmationOf(id),
      request: { method: 'DELETE', path: url`/v1/operators/${id}` },
      notice: 'operator-removed',
      next: '/operators',
    });
  },
};

function confirmationOf(id: string): Confirmation {
  return {
    title: `Remove ${id}`,
    trail: operatorTrail(id),
    explanation: html`<p>Tokens and sessions of <strong>${id}</strong> end at once and for good. The audit trail keeps what the
operator changed. To stop an operator for a while, edit it and clear the box Enabled.</p>`,
    verb: 'Remove',
    isDangerous: true,
    path: url`/operators/${id}/remove`,
    back: url`/operators/${id}`,
  };
}
