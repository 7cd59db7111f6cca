import { formatProblem } from '../../model/document/problem.ts';
import type { KeyRingObserver } from '../../model/keyring/key-ring-holder.ts';
import type { DatabaseObserver, FileObserver } from '../../check/store/check-store.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Logs a database: one line when it goes down, one when it is up again, and one for each faulty document. */
export function createDatabaseObserver(logger: Logger, metrics: Metrics): DatabaseObserver {
  let isLoaded = false;
  return {
    loaded({ endpoints, faults }) {
      isLoaded = true;
      metrics.countReload('loaded');
      metrics.announce(endpoints);
      logger.info('the endpoints of the database are in force', {
        endpoints: endpoints.length,
        faulty: faults.length,
      });
    },
    changed({ endpoints, faults }) {
      metrics.announce(endpoints);
      logger.info('endpoints were changed', { endpoints: endpoints.length, faulty: faults.length });
    },
    running(mode) {
      if (mode === 'following') logger.info('changes of the database are followed');
      else {
        logger.warn(
          'the database is a stand-alone server without change streams: endpoints, plans, issuers and grants for groups are read every 2 s, and credentials again after 2 to 5 s',
        );
      }
    },
    down(reason, detail) {
      const message = isLoaded
        ? 'the database cannot be read; callers who were seen before are served from memory'
        : 'the database cannot be read; the gRPC and OAuth2 listeners stay closed until it can';
      logger.error(message, { reason, detail });
    },
    up(downSeconds) {
      logger.info('the database is back', { awaySeconds: downSeconds });
    },
    missedChanges() {
      logger.warn('the database did not report what changed since the last change; everything is read again');
    },
    appKeysRead(count, seconds) {
      logger.info('all App Keys are known; others are refused without a look-up', { count, seconds });
    },
    signatures: {
      down(detail) {
        logger.error(
          'used signatures cannot be remembered; endpoints with replayProtection and clients with a private key get 503',
          {
            detail,
          },
        );
      },
      up() {
        logger.info('used signatures are remembered again');
      },
    },
    rights: {
      missing(rights) {
        logger.error('the user of the database lacks rights that this version needs', { rights });
      },
      complete() {
        logger.info('the user of the database has all rights that this version needs');
      },
    },
    faulty(fault) {
      logger.error('a document of the database is faulty; nothing is allowed by it until it is fixed', {
        fault,
      });
    },
    defect(error) {
      logger.error('the database could not be followed, by a defect of this program', {}, error);
    },
  };
}

/** Logs what a declarative file serves, and an error when a change could not be taken. */
export function createFileObserver(logger: Logger, metrics: Metrics): FileObserver {
  return {
    loaded(path, state, revision) {
      metrics.countReload('loaded');
      metrics.announce(state.endpoints);
      logger.info('the declarative file is in force', {
        file: path,
        revision,
        endpoints: state.endpoints.length,
        consumers: state.consumers.length,
        credentials: state.credentials.length,
        grants: state.grants.length,
        ...(state.plans.length === 0 ? {} : { plans: state.plans.length }),
        ...(state.issuers.length === 0 ? {} : { issuers: state.issuers.length }),
      });
    },
    refused(path, problems) {
      metrics.countReload('refused');
      logger.error('the declarative file is wrong; the last good state stays in force until it is fixed', {
        file: path,
        problems,
      });
    },
    defect(path, error) {
      logger.error('the declarative file could not be followed, by a defect of this program', { file: path }, error);
    },
  };
}

/** Logs which keys are in force, what is unwise about them, and an error when a change could not be taken. */
export function createKeyRingObserver(logger: Logger): KeyRingObserver {
  return {
    loaded(source, ring, warnings) {
      logger.info('the key ring is in force', { source, currentKey: ring.currentKeyId, keys: ring.keyIds.length });
      for (const warning of warnings) logger.warn('the key ring needs a look', { source, warning });
    },
    refused(source, problems) {
      logger.error('the key ring is wrong; the last good one stays in force until it is fixed', {
        source,
        problems: problems.map(formatProblem),
      });
    },
    defect(source, error) {
      logger.error('the key ring could not be followed, by a defect of this program', { source }, error);
    },
  };
}
