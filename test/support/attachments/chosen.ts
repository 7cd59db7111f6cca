import { type Attachment, envoyYaml } from './attachment.ts';
import { envoyGateway } from './envoy-gateway.ts';
import { istio } from './istio.ts';

const attachments: Readonly<Record<string, Attachment>> = {
  'envoy.yaml': envoyYaml,
  istio,
  'envoy-gateway': envoyGateway,
};

/** What tests of the product run behind unless they say: `ENVOY_ATTACHMENT` when it is set, envoy.yaml otherwise. */
export function chosenAttachment(): Attachment {
  const name = process.env['ENVOY_ATTACHMENT'] ?? 'envoy.yaml';
  const found = attachments[name];
  if (found === undefined) throw new Error(`ENVOY_ATTACHMENT is one of ${Object.keys(attachments).join(', ')}`);
  return found;
}
