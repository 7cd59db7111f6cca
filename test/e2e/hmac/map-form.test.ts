import { chosenAttachment } from '../../support/attachments/chosen.ts';
import { filterSettings } from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { protocols } from '../../support/http/http-client.ts';
import { assertSignedRefused } from '../../support/partner/assert-signed-refused.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { formRequest, withSign } from '../../support/partner/parameters.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const parameters = withSign(`appKey=${acme.appKey}&a=1`);

describe('signed requests when Envoy tells of headers as a map', () => {
  const stack = useSignedStack(
    'hmac',
    [
      { id: 'hmac', authentication: 'hmac' },
      { id: 'parameters', authentication: 'parameter-signature' },
    ],
    {
      edit: (config) => {
        filterSettings(config, chosenAttachment().filters.authz)['encode_raw_headers'] = false;
      },
    },
  );

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      it('are accepted where every byte is plain to see', async () => {
        const signed = signedByHmac({
          method: 'POST',
          target: '/hmac?a&&b=%2F',
          headers: [['X-Name', 'plain']],
          signed: ['date', 'request-line', 'digest', 'host', 'x-name'],
          body: 'body',
        });
        stack.assertAllowed(await stack.send(protocol, signed));
        stack.running().backend.reset();
        stack.assertAllowed(await stack.send(protocol, { target: `/parameters?${parameters}` }));
      });

      it('are refused with MALFORMED_REQUEST: a "!" in a signed header may be any byte', async () => {
        const signed = ['date', 'request-line', 'x-name'];
        for (const value of ['now!', 'caf\xe9', '\xff']) {
          for (const signedValues of [{}, { 'x-name': value.replace(/[\x80-\xff]/g, '!') }]) {
            const parts = { headers: [['X-Name', value]] as const, signed, signedValues };
            stack.assertRefused(await stack.send(protocol, signedByHmac(parts)), 'MALFORMED_REQUEST');
          }
        }
      });

      it('are accepted with a signed header in UTF-8, which Envoy shows as it is', async () => {
        const parts = { headers: [['X-Name', 'caf\xc3\xa9']] as const, signed: ['date', 'request-line', 'x-name'] };
        stack.assertAllowed(await stack.send(protocol, signedByHmac(parts)));
      });

      it('are accepted with a "!" in a header that is not signed', async () => {
        stack.assertAllowed(await stack.send(protocol, signedByHmac({ headers: [['X-Name', 'now!']] })));
      });

      it('are refused with MALFORMED_REQUEST: a "!" in the target may be any byte', async () => {
        const byHmac = await stack.send(protocol, signedByHmac({ target: '/hmac/now!' }));
        stack.assertRefused(byHmac, 'MALFORMED_REQUEST');
        const inPath = await stack.send(protocol, { target: `/parameters/now!?${parameters}` });
        assertSignedRefused(inPath, 'MALFORMED_REQUEST', 'parameter-signature');
        const inQuery = await stack.send(protocol, { target: `/parameters?${withSign(`appKey=${acme.appKey}&b=!`)}` });
        assertSignedRefused(inQuery, 'MALFORMED_REQUEST', 'parameter-signature');
        const withForm = await stack.send(protocol, formRequest('/parameters/now!', parameters));
        assertSignedRefused(withForm, 'MALFORMED_REQUEST', 'parameter-signature');
      });

      it('may have a "!" in a form: bodies arrive as they are', async () => {
        stack.assertAllowed(
          await stack.send(protocol, formRequest('/parameters', withSign(`appKey=${acme.appKey}&b=!`))),
        );
      });
    });
  }

  it('are refused when a date or digest came twice, which arrive as one value', async () => {
    const request = signedByHmac({ method: 'POST', body: 'body' });
    for (const [name, code] of [
      ['Date', 'CREDENTIALS_MALFORMED'],
      ['Digest', 'AUTHENTICATION_FAILED'],
    ] as const) {
      const value = request.headers.find(([each]) => each === name)?.[1] ?? '';
      const headers = [...request.headers, [name, value] as const];
      stack.assertRefused(await http1(stack.running().envoy.port, { ...request, headers }), code);
    }
  });
});
