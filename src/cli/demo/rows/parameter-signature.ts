import { isRefusal } from '../../../check/refusal.ts';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { signParameters } from '../../../check/methods/parameter-signature/sign.ts';
import { bodyRequest, demoPairs, type Moment, plainRequest, receivedFinding, type RowGroup } from '../row.ts';

const shipment = '{"parcels":2,"to":"Køge, \\"north\\" gate"}';
/** The defaults of an endpoint (interfaces §4). */
const options = {
  parameterEncoding: 'decoded',
  strictParameters: true,
  unsignedQuery: 'refuse',
  unsignedBody: 'refuse',
} as const;

/** Parameter signatures in their three forms (spec §3.3). */
export const parameterSignatureRows: RowGroup = {
  title: 'Parameter signature',
  rows: [
    {
      title: 'parameters in the URL',
      expected: '200 as acme',
      request: signedUrl,
    },
    {
      title: 'URL, a parameter changed',
      expected: '401 AUTHENTICATION_FAILED',
      request: changedUrl,
    },
    {
      title: 'parameters in a form',
      expected: '200 as acme',
      request: signedForm,
    },
    {
      title: 'form, a parameter changed',
      expected: '401 AUTHENTICATION_FAILED',
      request: (moment) => changedBody(signedForm(moment), 'parcels=2', 'parcels=9'),
    },
    {
      title: 'JSON, unwrapped on the way',
      expected: '200 as acme',
      request: signedJson,
      examine: ({ echo }) => receivedFinding('the body', echo?.body ?? '', shipment),
    },
    {
      title: 'JSON, its data changed',
      expected: '401 AUTHENTICATION_FAILED',
      request: (moment) => changedBody(signedJson(moment), 'parcels\\":2', 'parcels\\":9'),
    },
  ],
};

function signedUrl(moment: Moment): ClientRequest {
  return sign(plainRequest(moment, 'GET', '/shipments?parcels=2&to=K%C3%B8ge'), moment);
}

function changedUrl(moment: Moment): ClientRequest {
  const request = signedUrl(moment);
  return { ...request, path: request.path.replace('parcels=2', 'parcels=9') };
}

function signedForm(moment: Moment): ClientRequest {
  return sign(bodyRequest(moment, '/shipments', 'application/x-www-form-urlencoded', 'parcels=2&to=K%C3%B8ge'), moment);
}

function signedJson(moment: Moment): ClientRequest {
  return sign(bodyRequest(moment, '/shipments', 'application/json', shipment), moment);
}

function changedBody(request: ClientRequest, from: string, to: string): ClientRequest {
  return { ...request, body: Buffer.from(request.body.toString('utf8').replace(from, to)) };
}

function sign(request: ClientRequest, { nowSeconds }: Moment): ClientRequest {
  const signed = signParameters(request, { ...demoPairs.parameters, timestampSeconds: nowSeconds, options });
  if (isRefusal(signed)) throw new Error(`the demo's own request cannot be signed: ${signed.detail}`);
  return signed;
}
