import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { withQuery } from '../frame/html.ts';
import type { Shown } from '../frame/page.ts';

/** What the sign-in page says and offers. */
export interface SignInChoices {
  /** Where to go afterwards: a path of this host. */
  readonly returnTo: string;
  /** The name of the OpenID Connect provider; null for none. */
  readonly provider: string | null;
  /** Why the last try came to nothing; null for a first one. */
  readonly fault: string | null;
  readonly status: number;
}

/** The field of the form that has the token. */
export const TOKEN_FIELD = 'token';
/** The field, and the parameter of addresses, that says where to go afterwards. */
export const RETURN_FIELD = 'return';

/** The page at which an operator signs in: with a token, or at the OpenID Connect provider. */
export function signInPage({ returnTo, provider, fault, status }: SignInChoices): Shown {
  const body = html`${fault === null ? null : refused(fault)}
${provider === null ? null : atProvider(provider, returnTo)}
<form method="post" action="/sign-in" class="change">
<input type="hidden" name="${RETURN_FIELD}" value="${returnTo}">
<div class="field">
<label for="${TOKEN_FIELD}">Token</label>
<p class="hint" id="token-hint">It begins with <code>pot_</code>. An admin issues it on the page of the operator, or with
<code>postern operator token issue</code>.</p>
<input type="password" id="${TOKEN_FIELD}" name="${TOKEN_FIELD}" required autocomplete="current-password"
 spellcheck="false" maxlength="200" aria-describedby="token-hint">
</div>
<p class="buttons"><button type="submit" class="primary">Sign in</button></p>
</form>`;
  return { title: 'Sign in', status, body };
}

function refused(fault: string): Html {
  return html`<div class="refusal" role="alert"><p>${fault}</p></div>`;
}

function atProvider(provider: string, returnTo: string): Html {
  const href = withQuery('/sign-in/openid', { [RETURN_FIELD]: returnTo === '/' ? undefined : returnTo });
  return html`<p class="buttons"><a class="button primary" href="${href}">Sign in with ${provider}</a></p>
<p class="muted">Or with a token:</p>`;
}
