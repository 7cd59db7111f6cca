import { assertFindings } from '../../../../support/envoy/doctor-findings.ts';
import {
  backendRoute,
  connectionManager,
  httpFilters,
  type Json,
  type JsonObject,
  objectAt,
} from '../../../../support/envoy/envoy-config.ts';

/** Upgrades to WebSockets with these filters of the listener, in the same order. */
function upgradeWith(config: JsonObject, ...names: readonly string[]): JsonObject {
  const filters = structuredClone(httpFilters(config)).filter((filter) =>
    names.some((name) => objectAt(filter)['name'] === name),
  );
  const upgrade: JsonObject = { upgrade_type: 'websocket', filters };
  connectionManager(config)['upgrade_configs'] = [upgrade];
  return upgrade;
}

function allowOnRoute(config: JsonObject, upgrade: Json): void {
  objectAt(backendRoute(config), 'route')['upgrade_configs'] = [upgrade];
}

const AUTHZ = 'envoy.filters.http.ext_authz';
const GUARD = 'postern.guard';
const ROUTER = 'envoy.filters.http.router';

describe('upgrades', () => {
  it('are a fault when their filters leave out everything that checks', () => {
    assertFindings((config) => {
      upgradeWith(config, ROUTER);
    }, /^fault: listener partners: upgrades: the filters of upgrades to websocket leave ext_authz and the guard out: /);
  });

  it('are a fault without the guard', () => {
    assertFindings((config) => {
      upgradeWith(config, AUTHZ, ROUTER);
    }, /^fault: listener partners: upgrades: the filters of upgrades to websocket have no guard after ext_authz/);
  });

  it('are a fault with a guard that lets everything pass', () => {
    assertFindings((config) => {
      const filters = objectAt(upgradeWith(config, AUTHZ, GUARD, ROUTER));
      objectAt(filters, 'filters', 1, 'typed_config', 'rules')['action'] = 'DENY';
    }, /^fault: .*: the filters of upgrades to websocket have no guard after ext_authz/);
  });

  it('are a fault with an ext_authz that lets everything pass', () => {
    assertFindings(
      (config) => {
        const filters = objectAt(upgradeWith(config, AUTHZ, GUARD, ROUTER));
        objectAt(filters, 'filters', 0, 'typed_config')['failure_mode_allow'] = true;
      },
      /^fault: listener partners: upgrades: ext_authz: failure_mode_allow is on/,
      /^warning: .*what goes through the connection afterwards is not checked/,
    );
  });

  it('are a fault with filters that are switched off', () => {
    assertFindings((config) => {
      const upgrade = upgradeWith(config, AUTHZ, GUARD, ROUTER);
      for (const index of [0, 1]) objectAt(upgrade, 'filters', index)['disabled'] = true;
    }, /^fault: .*leave ext_authz and the guard out/);
  });

  it('all get 503 with the guard alone', () => {
    assertFindings((config) => {
      upgradeWith(config, GUARD, ROUTER);
    }, /^warning: .*leave ext_authz out: the guard refuses each with 503/);
  });

  it('hang in a buffer', () => {
    assertFindings((config) => {
      upgradeWith(config, 'envoy.filters.http.buffer', AUTHZ, GUARD, ROUTER);
    }, /^warning: .*upgrades to websocket have a buffer, which holds each up until request_timeout/);
  });

  it('are checked once with the right filters', () => {
    assertFindings((config) => {
      upgradeWith(config, AUTHZ, 'postern.unwrap', GUARD, ROUTER);
    }, /^warning: listener partners: upgrades: upgrades to websocket are on: Postern decides about the first request only/);
  });

  it('are no matter when no route takes them', () => {
    assertFindings((config) => {
      upgradeWith(config, ROUTER)['enabled'] = false;
    });
  });

  it('are a fault when a route takes what the listener does not', () => {
    assertFindings((config) => {
      upgradeWith(config, ROUTER)['enabled'] = false;
      allowOnRoute(config, { upgrade_type: 'WebSocket' });
    }, /^fault: .*upgrades to websocket leave ext_authz and the guard out/);
  });

  it('hang on a route that alone takes them', () => {
    assertFindings((config) => {
      allowOnRoute(config, { upgrade_type: 'made-up' });
    }, /^warning: .*upgrades to made-up are on, and the buffer filter holds each up/);
  });

  it('of other types than WebSocket hang on routes where ext_authz waits for a body', () => {
    const made = (config: JsonObject): void => {
      upgradeWith(config, AUTHZ, 'postern.unwrap', GUARD, ROUTER)['upgrade_type'] = 'made-up';
    };
    assertFindings(
      made,
      /^warning: listener partners: upgrades: upgrades to made-up are on for .*, where ext_authz waits for a body before/,
      /^warning: .*what goes through the connection afterwards is not checked/,
    );
    assertFindings(
      (config) => {
        made(config);
        backendRoute(config)['typed_per_filter_config'] = {
          [AUTHZ]: { check_settings: { disable_request_body_buffering: true } },
        };
      },
      /^warning: .*what goes through the connection afterwards is not checked/,
      /^warning: .*request bodies are not sent to Postern here/,
    );
  });
});
