import { html } from 'hono/html';
import { takeAppKeyAlone } from '../../../check/methods/methods.ts';
import { type Html, url } from '../frame/html.ts';
import { definitions } from '../parts/table.ts';
import { copyable, time } from '../parts/values.ts';
import { hasPublicKey, isKnownBy, type IssuedCredential, keyRows, knownByRows, methodsOf } from './shown-credential.ts';

/**
 * A new credential with its secrets. This is the answer to the form itself: no address shows them again, and browsers
 * do not keep the page.
 */
export function secretsOnce(credential: IssuedCredential, formerEndsAt: string | null): Html {
  const { id, consumer, appKey, appSecret, expiresAt } = credential;
  const isHandedOver = appKey !== undefined && (appSecret !== undefined || takeAppKeyAlone(methodsOf(credential)));
  return html`${
    isKnownBy(credential)
      ? html`<div class="notice" role="status"><p>Nothing here is a secret, and there is no App Key.</p></div>`
      : hasPublicKey(credential)
        ? html`<div class="notice" role="status"><p><strong>Compare the thumbprint</strong> with the one that the consumer has of its key.
Nothing here is a secret.</p></div>`
        : isHandedOver
          ? html`<div class="notice" role="status"><p><strong>Copy it now: the secret is shown only once.</strong> Send it over another
channel than the rest, such as a password manager that both sides use.</p></div>`
          : html`<p class="warning">The secret was in the first answer to this form and is not shown again.</p>`
  }
${definitions([
  ['Credential', html`<a href="${url`/credentials/${id}`}">${id}</a>`],
  ['Consumer', html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`],
  ['Method', methodsOf(credential).join(', ')],
  ['App Key', appKey === undefined ? null : copyable(appKey, 'the App Key', 'app-key')],
  ...knownByRows(credential),
  ...keyRows(credential),
  ['App Secret', appSecret === undefined ? null : copyable(appSecret, 'the App Secret', 'app-secret')],
  ['Ends', expiresAt === undefined ? null : time(expiresAt)],
  [
    `The former ${hasPublicKey(credential) ? 'key' : 'secret'} works until`,
    formerEndsAt === null ? null : time(formerEndsAt),
  ],
])}
<p><a href="${url`/credentials/${id}`}">What else the consumer needs to call</a></p>`;
}
