import { allowFromWords } from '../../../resources/allow-from.ts';
import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { textArea } from '../parts/form.ts';
import { momentField, momentOfForm } from '../parts/moment-field.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { textsOfLines } from '../parts/text-lines.ts';
import { credentialTrail, readCredential, type ShownCredential } from './shown-credential.ts';

interface Wanted {
  readonly expiresAt: string;
  /** A line for each network. */
  readonly allowFrom: string;
}

/** Changes when a credential ends, and where requests with it may come from. */
export const editCredential = changePage<ShownCredential, Wanted>({
  path: '/credentials/:id/edit',
  needs: 'change-consumers',
  read: readCredential,
  heading: (credential) => ({ title: `Edit ${credential.id}`, trail: credentialTrail(credential), verb: 'Save' }),
  begin: ({ expiresAt = '', allowFrom = [] }) => ({ expiresAt, allowFrom: allowFrom.join('\n') }),
  typed: ({ text }) => ({ expiresAt: momentOfForm({ text }, 'expiresAt'), allowFrom: text('allowFrom') }),
  fields: ({ expiresAt, allowFrom }, { refused }) => [
    momentField({ name: 'expiresAt', label: 'Ends', value: expiresAt, hint: END_HINT }, refused),
    textArea({ name: 'allowFrom', label: allowFromWords.label, value: allowFrom, hint: allowFromWords.hint }, refused),
  ],
  request: ({ expiresAt, allowFrom }, { id }) => {
    const networks = textsOfLines(allowFrom);
    const body = { expiresAt: expiresAt === '' ? null : expiresAt, allowFrom: networks.length === 0 ? null : networks };
    return { method: 'PATCH', path: url`/v1/credentials/${id}`, body };
  },
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/credentials/${id}`,
    notice: outcomeNotice(body, 'credential-changed'),
  }),
});

const END_HINT = 'A time such as 2027-01-01T00:00:00Z; without it the credential has no end.';
