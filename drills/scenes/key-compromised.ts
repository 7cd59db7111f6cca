import { startFleet } from '../../test/support/fleet/fleet.ts';
import {
  getToken,
  type HandedOver,
  handOver,
  keyed,
  makeEndpoints,
  makePartner,
  signed,
  withToken,
} from '../../test/support/fleet/partners.ts';
import type { Drill } from '../framework/drill.ts';
import { expectCall, untilCall } from '../framework/traffic.ts';

/** Secrets are in wrong hands: one App Secret, one App Key of method key, one client, and the key ring itself. */
export const keyCompromised: Drill = {
  name: 'key-compromised',
  title: 'an App Secret, an App Key, a client or the key ring has leaked',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ replicas: 1, prepare: makeEndpoints });
    const leaked = await makePartner(fleet);
    const { port } = fleet.envoy;
    const secretsOf = (out: string): readonly string[] =>
      out.match(/^ {2}App (?:Secret|Key) .*$/gm)?.map(valueOf) ?? [];
    await expectCall(stage, fleet, 'before: hmac', signed(leaked.hmac), '200');
    await expectCall(stage, fleet, 'before: key', keyed(leaked.key), '200');

    stage.step('An App Secret is on the internet: give a new one, without grace');
    const out = await stage.postern(fleet, 'credential rotate acme-hmac --grace 0', {
      secrets: (text) => secretsOf(text).filter((value) => value !== leaked.hmac.appKey),
    });
    const rotated: HandedOver = { ...leaked.hmac, appSecret: secretsOf(out).at(-1) ?? '' };
    await untilCall(
      stage,
      fleet,
      'a caller with the former secret',
      () => signed(leaked.hmac),
      '401 AUTHENTICATION_FAILED',
    );
    await untilCall(stage, fleet, 'the partner with the new one', () => signed(rotated), '200');

    stage.step('An App Key of method key, which is the secret: revoke it, and issue another');
    await stage.postern(fleet, 'credential revoke acme-key --yes');
    await untilCall(stage, fleet, 'a caller with it', () => keyed(leaked.key), '401 AUTHENTICATION_FAILED');
    const key = await handOver(fleet, 'credential issue --consumer acme --method key --id acme-key-2');
    await untilCall(stage, fleet, 'the partner with the new one', () => keyed(key), '200');

    stage.step('An OAuth2 client: a rotation would leave its tokens valid, so revoke it');
    const stolen = await getToken(port, leaked.oauth2);
    await expectCall(stage, fleet, 'a token of the thief', withToken(stolen), '200');
    await stage.postern(fleet, 'credential revoke acme-oauth2 --yes');
    await untilCall(stage, fleet, 'that token', () => withToken(stolen), '401 TOKEN_INVALID');
    const client = await handOver(fleet, 'credential issue --consumer acme --method oauth2 --id acme-oauth2-2');
    await expectCall(stage, fleet, 'the partner with a new client', withToken(await getToken(port, client)), '200');

    stage.step('The key ring: anyone who has it signs tokens, and reads the secrets of any dump');
    const forged = await getToken(port, client);
    const { keys } = JSON.parse(await fleet.postern('keyring', 'show', '-o', 'json')) as {
      readonly keys: readonly { readonly id: string }[];
    };
    await stage.postern(fleet, 'keyring rotate');
    await stage.postern(fleet, 'keyring rewrap');
    await stage.postern(fleet, `keyring remove ${keys[0]?.id ?? ''} --yes`);
    await untilCall(stage, fleet, 'a token signed with the leaked key', () => withToken(forged), '401 TOKEN_INVALID');
    await untilCall(stage, fleet, 'partners are served, hmac', () => signed(rotated), '200');
    stage.note(
      'Whoever has the ring can read App Secrets in older dumps: rotate each, with a grace period that you can accept.',
    );
    const after = await handOver(fleet, 'credential rotate acme-hmac --grace 1h');
    await untilCall(stage, fleet, 'the partner with the new secret', () => signed(after), '200');

    stage.step('Look who did what');
    await stage.postern(fleet, 'audit list --since 1h', { lines: 7 });
  },
};

function valueOf(line: string): string {
  return line.trim().split(/ {2,}/).at(-1) ?? '';
}
