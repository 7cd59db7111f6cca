import { html } from 'hono/html';
import { credentialIdWith, generateIdSuffix } from '../../../resources/changes/generate-credential.ts';
import { presentations, USUAL_METHOD } from '../../../check/methods/presentation/presentations.ts';
import { givenFields } from '../../../resources/credential-fields.ts';
import { authenticationMethods } from '../../../model/endpoint.ts';
import { consumerTrail, readConsumer, type ShownConsumer } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import type { Shown } from '../frame/page.ts';
import { changePage } from '../parts/change-page.ts';
import { hiddenField, selectField, textArea, textField, tickBox } from '../parts/form.ts';
import { momentField, momentOfForm } from '../parts/moment-field.ts';
import { keyInBody, noKey, publicKeyFields, type TypedKey, typedKey } from './public-key-fields.ts';
import { knownByFields, knownByInBody, noKnownBy, type TypedKnownBy, typedKnownBy } from './known-by-fields.ts';
import { textsOfLines } from '../parts/text-lines.ts';
import { secretsOnce } from './secrets-once.ts';
import type { IssuedCredential } from './shown-credential.ts';

/** What is typed. */
interface Wanted {
  readonly method: string;
  readonly id: string;
  /** What is random in the id, where none is typed. */
  readonly suffix: string;
  /** By the names of the fields; empty for none. */
  readonly given: Readonly<Record<string, string>>;
  readonly isHashOnly: boolean;
  readonly key: TypedKey;
  readonly knownBy: TypedKnownBy;
  /** Beside a public key; empty for a generated one. */
  readonly appKey: string;
}

/**
 * Issues a credential. The answer to the form has the secret. Sent again, the form issues nothing; it shows the secret
 * again for the second of two clicks, and not for a reload. It carries what is random in the id, which is taken then.
 */
export const issueCredential = changePage<ShownConsumer, Wanted, IssuedCredential>({
  path: '/consumers/:id/issue',
  needs: 'change-consumers',
  read: readConsumer,
  heading: ({ id }) => ({ title: `Issue a credential for ${id}`, trail: consumerTrail(id), verb: 'Issue' }),
  begin: () => ({
    method: USUAL_METHOD,
    id: '',
    suffix: generateIdSuffix(),
    given: {},
    isHashOnly: false,
    key: noKey,
    knownBy: noKnownBy,
    appKey: '',
  }),
  typed: ({ text, isTicked }) => ({
    key: typedKey({ text }),
    knownBy: typedKnownBy({ text }),
    appKey: text('appKey'),
    method: text('method'),
    id: text('id'),
    suffix: text('suffix'),
    given: Object.fromEntries(
      givenFields.map(({ name, isTime }) => [name, isTime ? momentOfForm({ text }, name) : text(name)]),
    ),
    isHashOnly: isTicked('hashOnly'),
  }),
  fields: (wanted, { refused }) => {
    const { method, id, suffix, given, isHashOnly, key, appKey, knownBy } = wanted;
    const choices = authenticationMethods.map((each) => ({
      value: each,
      text: `${each}: ${presentations[each].sends}`,
    }));
    return [
      hiddenField('suffix', suffix),
      selectField({ name: 'method', label: 'Authentication method', value: method, choices }, refused),
      ...publicKeyFields(key, KEY_HINT, refused),
      textField({ name: 'appKey', label: 'App Key', hint: APP_KEY_HINT, value: appKey }, refused),
      ...knownByFields(knownBy, refused),
      // An end is given more often than a beginning.
      ...givenFields
        .toReversed()
        .map(({ name, label, hint, isList, isTime }) =>
          (isTime ? momentField : isList ? textArea : textField)(
            { name, label, hint, value: given[name] ?? '' },
            refused,
          ),
        ),
      textField({ name: 'id', label: 'Id', hint: ID_HINT, value: id }, refused),
      tickBox({ name: 'hashOnly', label: 'Keep only the hash of the App Key (method key)', isTicked: isHashOnly }),
    ];
  },
  request: (wanted, { id: consumer }) => {
    const { method, given, isHashOnly, key, appKey, knownBy } = wanted;
    const id = idOf(wanted, consumer);
    const body = {
      consumer,
      method,
      ...(id === '' ? {} : { id }),
      ...keyInBody(key),
      ...knownByInBody(knownBy),
      ...(appKey === '' ? {} : { appKey }),
      ...bodyOfGiven(given),
      ...(isHashOnly ? { hashOnly: true } : {}),
    };
    return { method: 'POST', path: '/v1/credentials:issue', body };
  },
  once: {
    sentBefore: (wanted, { id: consumer }) => issuedBefore(consumer, idOf(wanted, consumer), wanted.key.text !== ''),
  },
  instead: ({ code }, wanted, { id: consumer }) =>
    code === 'CONFLICT' && isGenerated(wanted)
      ? issuedBefore(consumer, idOf(wanted, consumer), wanted.key.text !== '')
      : null,
  done: ({ body }, _, { id }) => ({
    title: 'The credential was issued',
    trail: consumerTrail(id),
    body: secretsOnce(body, null),
  }),
});

const KEY_HINT =
  'For http-message-signature, and for oauth2 in place of an App Secret: PEM, a certificate or a JWK. Never a private key.';
const APP_KEY_HINT =
  'Only beside a public key: what the consumer sends as key id, or "thumbprint" for that of the key. Generated without it.';

/** What was typed, as the API takes it: a list has a line for each of its texts. */
function bodyOfGiven(given: Wanted['given']): object {
  const typed = givenFields.filter(({ name }) => (given[name] ?? '').trim() !== '');
  return Object.fromEntries(
    typed.map(({ name, isList }) => [name, isList ? textsOfLines(given[name] ?? '') : given[name]]),
  );
}

const ID_HINT = 'Optional: one is generated. Lower-case letters, digits and hyphens.';
/** As `generateIdSuffix` makes it. */
const SUFFIX_PATTERN = /^[0-9a-f]{8}$/;

function isGenerated({ id, suffix }: Wanted): boolean {
  return id === '' && SUFFIX_PATTERN.test(suffix);
}

function idOf(wanted: Wanted, consumer: string): string {
  return isGenerated(wanted) ? credentialIdWith(consumer, wanted.method, wanted.suffix) : wanted.id;
}

function issuedBefore(consumer: string, id: string, hasPublicKey: boolean): Shown {
  const link = html`<a href="${url`/credentials/${id}`}">${id}</a>`;
  return {
    title: 'This credential was issued before',
    trail: consumerTrail(consumer),
    status: 409,
    body: hasPublicKey
      ? html`<p>This form was sent before, and nothing was issued again: ${link} has what was given.</p>`
      : html`<p>This form was sent before, and nothing was issued again. The secret of ${link} was in the first answer and is not shown again. If it was lost, rotate the
credential, or revoke it and issue another one.</p>`,
  };
}
