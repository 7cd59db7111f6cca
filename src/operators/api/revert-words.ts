import type { RevertWords } from '../../resources/changes/revert/revert-words.ts';
import type { ApiVariables } from './ports.ts';

/** What helps where an event does not come back: as requests, and for people who see pages. */
export const revertWords: Readonly<Record<ApiVariables['via'], RevertWords>> = {
  api: {
    revive: 'ask with revive=true',
    changeOperator: 'PATCH /v1/operators/ID',
    deleteWhole: (kind, id) => `DELETE /v1/${kind}s/${id}`,
    issue: (consumer, method) => `POST /v1/credentials:issue with ${JSON.stringify({ consumer, method })}`,
  },
  console: {
    revive: 'choose that below',
    changeOperator: 'the page of the operator',
    deleteWhole: (kind) => `deleting the ${kind} on its page`,
    issue: (consumerId, method) => `on the page of the consumer "${consumerId}", for ${method}`,
  },
};
