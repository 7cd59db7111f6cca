import assert from 'node:assert/strict';
import { chosenAttachment } from '../../support/attachments/chosen.ts';
import { connectionManager, objectAt, removeFilter } from '../../support/envoy/envoy-config.ts';
import { protocols } from '../../support/http/http-client.ts';
import { jsonRequest, formRequest, withSign, wrapperOf } from '../../support/partner/parameters.ts';
import { acme, type EndpointLine } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const endpoints: readonly EndpointLine[] = [
  { id: 'wrapped', authentication: 'parameter-signature' },
  { id: 'hidden', authentication: 'parameter-signature', options: { hideCredentials: true } },
  { id: 'observed', authentication: 'parameter-signature', options: { mode: 'observe' } },
];
const inner = 'the inner text of a partner';

describe('a JSON wrapper when Envoy has no script that takes it off', () => {
  const stack = useSignedStack('parameter-signature', endpoints, {
    edit: (config) => {
      removeFilter(config, chosenAttachment().filters.unwrap);
    },
  });

  for (const protocol of protocols) {
    it(`is refused by the guard, however well it is signed, over ${protocol}`, async () => {
      const answer = await stack.send(protocol, jsonRequest('/wrapped', wrapperOf(inner)));
      stack.assertRefused(answer, 'UNAVAILABLE');
      const { details, code } = await stack.logged(answer);
      assert.match(String(details), /^rbac_access_denied/);
      assert.equal(code, 'ALLOWED');
    });

    it(`is refused by the guard on an endpoint that only observes, over ${protocol}`, async () => {
      const forged = wrapperOf(inner, { secret: 'some other secret' });
      stack.assertRefused(await stack.send(protocol, jsonRequest('/observed', forged)), 'UNAVAILABLE');
    });

    it(`is refused by the guard when it is a form whose credentials are to be hidden, over ${protocol}`, async () => {
      const body = withSign(`a=1&appKey=${acme.appKey}`);
      stack.assertRefused(await stack.send(protocol, formRequest('/hidden', body)), 'UNAVAILABLE');
    });

    it(`is no matter for requests whose body stays, over ${protocol}`, async () => {
      const form = withSign(`a=1&appKey=${acme.appKey}`);
      const forwarded = stack.assertAllowed(await stack.send(protocol, formRequest('/wrapped', form)));
      assert.equal(forwarded.body.toString(), form);
    });
  }
});

describe('the original of a JSON wrapper', () => {
  const stack = useSignedStack('parameter-signature', endpoints, {
    edit: (config) => {
      const log = objectAt(connectionManager(config), 'access_log', 0, 'typed_config', 'log_format', 'json_format');
      log['everything'] = '%DYNAMIC_METADATA(envoy.filters.http.ext_authz)%';
    },
  });

  it('is in no access log, not even in one that shows all of Postern’s metadata', async () => {
    for (const protocol of protocols) {
      stack.running().backend.reset();
      const answer = await stack.send(protocol, jsonRequest('/wrapped', wrapperOf(inner)));
      assert.equal(stack.assertAllowed(answer).body.toString(), inner);
      const everything = (await stack.logged(answer))['everything'] as Readonly<Record<string, unknown>>;
      // Envoy's own entry.
      assert.deepEqual(
        { ...everything, ext_authz_duration: 0 },
        {
          ext_authz_duration: 0,
          'postern.body': 'replaced',
          'postern.text': '',
          endpoint: 'wrapped',
          authentication: 'parameter-signature',
          code: 'ALLOWED',
          consumer: 'acme',
          credential: 'acme-both',
        },
      );
    }
    const written = stack.running().envoy.output() + stack.running().postern.output();
    assert.doesNotMatch(written, /inner text/);
  });

  it('is in no log when the request is refused, and neither is sign', async () => {
    const forged = wrapperOf(inner, { secret: 'some other secret' });
    const answer = await stack.send('HTTP/1.1', jsonRequest('/wrapped', forged));
    stack.assertRefused(answer, 'AUTHENTICATION_FAILED');
    await stack.logged(answer);
    const written = stack.running().envoy.output() + stack.running().postern.output();
    const { sign } = JSON.parse(forged.toString()) as { sign: string };
    assert.ok(!written.includes(inner) && !written.includes(sign));
  });
});
