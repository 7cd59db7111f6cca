import { allowFromWords } from '../../../resources/allow-from.ts';
import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { textArea } from '../parts/form.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { textsOfLines } from '../parts/text-lines.ts';
import { credentialTrail, readCredential, type ShownCredential } from './shown-credential.ts';

interface Wanted {
  /** A line for each network. */
  readonly allowFrom: string;
}

/** Changes where requests with a credential may come from. */
export const editCredential = changePage<ShownCredential, Wanted>({
  path: '/credentials/:id/edit',
  needs: 'change-consumers',
  read: readCredential,
  heading: (credential) => ({ title: `Edit ${credential.id}`, trail: credentialTrail(credential), verb: 'Save' }),
  begin: ({ allowFrom = [] }) => ({ allowFrom: allowFrom.join('\n') }),
  typed: ({ text }) => ({ allowFrom: text('allowFrom') }),
  fields: ({ allowFrom }, { refused }) => [
    textArea({ name: 'allowFrom', label: allowFromWords.label, value: allowFrom, hint: allowFromWords.hint }, refused),
  ],
  request: ({ allowFrom }, { id }) => {
    const networks = textsOfLines(allowFrom);
    const body = { allowFrom: networks.length === 0 ? null : networks };
    return { method: 'PATCH', path: url`/v1/credentials/${id}`, body };
  },
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/credentials/${id}`,
    notice: outcomeNotice(body, 'credential-changed'),
  }),
});
