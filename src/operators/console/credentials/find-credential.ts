import { html } from 'hono/html';
import { hashAppKey, isAppKey, KEY_ID_RULE } from '../../../model/app-key.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import type { ListPage } from '../parts/pager.ts';
import { buttons, changeForm, textField } from '../parts/form.ts';
import { statusBadge, type ShownCredential } from './shown-credential.ts';

/** Says whose an App Key is. It is sent in a form, is in no address, and is not shown again. */
export const findCredential: Page = {
  path: '/find/credential',
  needs: 'read',
  show: async (visit) => await Promise.resolve(shown(visit, null, null)),
  submit: async (visit, form) => await look(visit, form),
};

async function look(visit: Visit, form: Form): Promise<Shown> {
  const appKey = form.text('appKey');
  if (!isAppKey(appKey)) {
    return shown(visit, `This is no App Key, which has ${KEY_ID_RULE}.`, null);
  }
  const path = withQuery('/v1/credentials', { appKeyHash: hashAppKey(appKey) });
  const { items } = await visit.api.get<ListPage<ShownCredential>>(path);
  return shown(visit, null, items);
}

function shown(visit: Visit, fault: string | null, found: readonly ShownCredential[] | null): Shown {
  return {
    title: 'Whose App Key is this?',
    trail: [{ href: '/consumers', text: 'Consumers' }],
    ...(fault === null ? {} : { status: 422 }),
    body: html`${found === null ? null : resultOf(found)}
<p>Of a refused request, its page says whose it was: see <a href="/refusals">Refusals</a>.</p>
${changeForm(
  visit,
  textField(
    {
      name: 'appKey',
      label: 'App Key',
      value: '',
      type: 'password',
      isRequired: true,
      fault,
      hint: 'It is looked up by its hash, and neither kept nor shown again.',
    },
    null,
  ),
  buttons({ text: 'Find', cancel: '/consumers' }),
)}`,
  };
}

function resultOf(found: readonly ShownCredential[]): Html {
  const [first] = found;
  if (first === undefined) {
    return html`<p role="status">No credential that you can see has this App Key. It may be misspelt, of another gateway, or
its credential was deleted.</p>`;
  }
  return html`<p role="status">It is the App Key of the credential <a href="${url`/credentials/${first.id}`}">${first.id}</a> of
<a href="${url`/consumers/${first.consumer}`}">${first.consumer}</a>. ${statusBadge(first)}</p>`;
}
