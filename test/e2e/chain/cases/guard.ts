import assert from 'node:assert/strict';
import { type Chain, startChain, useChain } from '../../../support/stack/chain.ts';
import { allow, allowReplaced } from '../../../support/stack/check-answers.ts';
import {
  backendRoute,
  filterSettings,
  type JsonObject,
  moveFilterBefore,
  objectAt,
  removeFilter,
} from '../../../support/envoy/envoy-config.ts';
import { http1 } from '../../../support/http/http1-client.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** Ways in which the chain can be broken: nothing passes that was not decided, or whose body was not replaced. */
export function guardCases(attachment: Attachment, shared?: Chain): void {
  const wrapper = '{"data":"inner","appKey":"k","sign":"s"}';
  const { authz, guard, unwrap } = attachment.filters;

  function disableOnRoute(config: JsonObject, filter: string, type: string): void {
    const route = backendRoute(config);
    const others = route['typed_per_filter_config'] as JsonObject | undefined;
    route['typed_per_filter_config'] = { ...others, [filter]: { '@type': type, disabled: true } };
  }

  /** Edits the script of the unwrap filter; an edit that changes nothing is a failure. */
  function editScript(config: JsonObject, edit: (script: string) => string): void {
    const source = objectAt(filterSettings(config, unwrap), 'default_source_code');
    const before = source['inline_string'];
    assert.ok(typeof before === 'string');
    const after = edit(before);
    assert.notEqual(after, before);
    source['inline_string'] = after;
  }

  const bodyLine = 'local body = handle:body(true)';

  /** Ways in which the chain can be broken, by accident or by a change to Envoy's configuration. */
  const brokenUnwraps: Readonly<Record<string, (config: JsonObject) => void>> = {
    'is missing': (config) => {
      removeFilter(config, unwrap);
    },
    'is switched off on the route': (config) => {
      disableOnRoute(config, unwrap, 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute');
    },
    'stands before ext_authz': (config) => {
      moveFilterBefore(config, unwrap, authz);
    },
    'throws before it has the body': (config) => {
      editScript(config, (script) => script.replace(bodyLine, `error("on purpose") ${bodyLine}`));
    },
    'throws after it has the body': (config) => {
      editScript(config, (script) => script.replace(/(local body = [^\n]*\n)/, '$1 error("on purpose")\n'));
    },
    'uses a handle from before the body': (config) => {
      editScript(config, (script) =>
        script.replace(
          'handle:streamInfo():dynamicMetadata():set(NS, "postern.body"',
          'metadata:set(NS, "postern.body"',
        ),
      );
    },
    'replaces the body but does not say so': (config) => {
      editScript(config, (script) => script.replace(/handle:streamInfo\(\):dynamicMetadata\(\):set\([^\n]*/, ''));
    },
  };

  async function assertGuarded(chain: Chain, answer: HttpAnswer): Promise<void> {
    assert.equal(answer.status, 503);
    assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
    const requestId = fieldValue(answer.headers, 'x-request-id') ?? '';
    assert.deepEqual(jsonBody(answer), {
      code: 'UNAVAILABLE',
      message: 'The request could not be decided.',
      requestId,
    });
    assert.equal(chain.backend.requests.length, 0);
    assert.match(String((await chain.envoy.accessLogEntry(requestId))['details']), /^rbac_access_denied/);
  }

  for (const [fault, edit] of Object.entries(brokenUnwraps)) {
    describe(`when the unwrap script ${fault}`, () => {
      const chain = useChain({ attachment, edit });

      for (const protocol of protocols) {
        it(`the wrapper does not reach the back end, over ${protocol}`, async () => {
          chain.check.answer = () => allowReplaced('inner');
          const answer = await send(protocol, chain.envoy.port, { method: 'POST', body: wrapper });
          await assertGuarded(chain, answer);
        });
      }

      it('requests whose body stays go through', async () => {
        const answer = await http1(chain.envoy.port, { method: 'POST', body: 'as it is' });
        assert.equal(answer.status, 200);
        assert.equal(assertOne(chain.backend.requests).body.toString(), 'as it is');
      });
    });
  }

  describe('when Postern’s answer does not say what to do with the body', () => {
    const chain = shared ?? useChain({ attachment });

    const answers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      'nothing is said': { 'postern.body': undefined },
      'the text is missing': { 'postern.body': 'pending' },
      'the text is not a text': { 'postern.body': 'pending', 'postern.text': 5 },
      'another word is said': { 'postern.body': 'Original' },
      'a longer word is said': { 'postern.body': 'originals' },
      'a list is said': { 'postern.body': ['original'] },
    };
    for (const [kind, metadata] of Object.entries(answers)) {
      it(`the request does not reach the back end: ${kind}`, async () => {
        chain.check.answer = () => allow({ metadata });
        await assertGuarded(chain, await http1(chain.envoy.port, { method: 'POST', body: wrapper }));
      });
    }
  });

  /** Ways around the decision itself. */
  const undecided: Readonly<Record<string, (config: JsonObject) => void>> = {
    'is missing': (config) => {
      removeFilter(config, authz);
    },
    'is switched off on the route': (config) => {
      disableOnRoute(config, authz, 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute');
    },
    'does not take in Postern’s metadata': (config) => {
      filterSettings(config, authz)['enable_dynamic_metadata_ingestion'] = false;
    },
    'stands after the guard': (config) => {
      moveFilterBefore(config, 'postern.no-route', authz);
      moveFilterBefore(config, guard, authz);
    },
  };

  for (const [fault, edit] of Object.entries(undecided)) {
    describe(`when ext_authz ${fault}`, () => {
      const chain = useChain({ attachment, edit });

      for (const protocol of protocols) {
        it(`nothing reaches the back end, over ${protocol}`, async () => {
          await assertGuarded(chain, await send(protocol, chain.envoy.port, { method: 'POST', body: 'x' }));
        });
      }
    });
  }

  describe('when ext_authz lets requests through without an answer', () => {
    it('nothing reaches the back end', async () => {
      await using chain = await startChain({
        attachment,
        edit: (config) => {
          filterSettings(config, authz)['failure_mode_allow'] = true;
        },
      });
      await chain.check[Symbol.asyncDispose]();
      await assertGuarded(chain, await http1(chain.envoy.port));
    });
  });
}
