import { audienceKeys, callerKeys, formatKeys } from './audience-keys.ts'
import { workerMemorySettings } from './memory-settings.ts'
import { providerSettings } from './provider-variables.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceDefinition } from './service-definition.ts'
import {
  calledAs,
  callees,
  dashboardSettings,
  framesSetting,
  logStore,
  originOf,
  pick,
  sipAddress,
  trainingSettings,
  trainingWorkerSettings,
  voiceListener,
  voiceOriginOf,
  voiceSettings,
  webhookSettings,
} from './service-settings.ts'

/** Settings that an operator may give to every service, and the machine's proxy settings. */
const sharedSettings =
  /^(PATH|HOME|TMPDIR|BRAND_WORD|LOG_LEVEL|DRAIN_TIMEOUT_MS|DATABASE_SILENCE_MS|OTEL_(?!SERVICE_NAME)\w+|NODE_\w+|SSL_CERT_(FILE|DIR)|(https?|no)_proxy)$/i

/** In the order they are started; they are stopped in reverse. */
export const services: readonly ServiceDefinition[] = [
  {
    name: 'inference',
    entry: 'services/inference/src/main.ts',
    port: 8081,
    role: 'http',
    newMb: 16,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'inference'),
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...callees(context, 'inference', ['logging', 'alias']),
      SPILL_DIR: `${context.spillFolder}/inference`,
      ...framesSetting(context, 'FRAMES_LISTEN'),
      ...(context.simulatedProviderUrl === undefined ? {} : { SIMULATED_PROVIDER_URL: context.simulatedProviderUrl }),
      ...(context.env.GOOGLE_API_KEY === undefined ? {} : { GEMINI_API_KEY: context.env.GOOGLE_API_KEY }),
      ...pick(context.env, providerSettings),
      ...pick(
        context.env,
        /^(CATALOG_DIR|BYOK_CUSTOM_HOSTS|BYOK_ALLOWED_HOSTS|BODIES_MAX_BYTES|CATALOG_STALE_DAYS|CACHE_REDIS_URL|LEDGER_DATABASE_URLS|STRIPE_SECRET_KEY|STRIPE_WEBHOOK_SECRET)$/,
      ),
      DASHBOARD_ORIGIN: originOf(context),
    }),
  },
  {
    name: 'logging',
    entry: 'services/logging/src/main.ts',
    port: 8082,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'logging'),
      ...logStore(context),
      ...callees(context, 'logging', ['judging', 'eval', 'alias', 'training']),
    }),
  },
  {
    name: 'logging-worker',
    entry: 'services/logging/src/worker.ts',
    port: 8083,
    role: 'worker',
    oldMb: 64,
    readyPath: '/readyz',
    env: (context) => ({
      ...workerMemorySettings,
      IDENTITY_KEYS: formatKeys(audienceKeys(context.masterKeys, 'logging')),
      ...logStore(context),
      ...pick(context.env, /^(CAPTURE_CLAIM_IDLE_MS|ERASE_AFTER_MS|LEDGER_DATABASE_URLS)$/),
    }),
  },
  {
    name: 'judging',
    entry: 'services/judging/src/main.ts',
    port: 8084,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'judging'),
      ...callees(context, 'judging', ['inference', 'logging', 'alias', 'training', 'voice']),
    }),
  },
  {
    name: 'judging-worker',
    entry: 'services/judging/src/worker.ts',
    port: 8085,
    role: 'worker',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...callees(context, 'judging', ['inference', 'logging', 'alias', 'voice']),
      ...pick(
        context.env,
        /^(JUDGE_CONCURRENCY|MONITOR_EVERY_MS|MONITOR_INGEST_LAG_MS|DRIFT_SWEEP_MS|CALIBRATION_HOLDS_DAYS)$/,
      ),
    }),
  },
  {
    name: 'eval',
    entry: 'services/eval/src/main.ts',
    port: 8086,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'eval'),
      ...callees(context, 'eval', ['inference', 'logging', 'judging']),
      ...webhookSettings(context),
    }),
  },
  {
    name: 'eval-worker',
    entry: 'services/eval/src/worker.ts',
    port: 8087,
    role: 'worker',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...callees(context, 'eval', ['inference', 'logging', 'alias']),
      ...pick(context.env, /^(EVAL_CONCURRENCY|EVAL_PURGE_MS)$/),
      ...webhookSettings(context),
    }),
  },
  {
    name: 'alias',
    entry: 'services/alias/src/main.ts',
    port: 8088,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'alias'),
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...callees(context, 'alias', ['inference', 'judging', 'eval', 'training']),
      ...pick(context.env, /^(GATE_PROMOTE_AFTER_HOURS|GATE_GRADES_PER_ARM)$/),
      ...webhookSettings(context),
    }),
  },
  {
    name: 'alias-worker',
    entry: 'services/alias/src/worker.ts',
    port: 8091,
    role: 'worker',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...callees(context, 'alias', ['inference', 'logging', 'judging']),
      ...pick(
        context.env,
        /^(GATE_EVERY_MS|GATE_INGEST_LAG_MS|GATE_PROMOTE_AFTER_HOURS|GATE_GRADES_PER_ARM|SHADOW_CONCURRENCY)$/,
      ),
      ...webhookSettings(context),
    }),
  },
  {
    name: 'training',
    entry: 'services/training/src/main.ts',
    port: 8094,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'training'),
      ...trainingSettings(context),
    }),
  },
  {
    name: 'training-worker',
    entry: 'services/training/src/worker.ts',
    port: 8095,
    role: 'worker',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...trainingSettings(context),
      TRAINER_URL: context.urlOf('training'),
      ...trainingWorkerSettings(context),
    }),
  },
  {
    name: 'voice',
    entry: 'services/voice/src/main.ts',
    port: 8096,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...calledAs(context, 'voice'),
      ...voiceSettings(context),
      ...callees(context, 'voice', ['logging', 'judging', 'alias']),
      VOICE_ORIGIN: voiceOriginOf(context),
      ...sipAddress(context),
    }),
  },
  {
    // A process of its own also on one machine, because audio goes out every 20 ms.
    name: 'voice-worker',
    entry: 'services/voice/src/worker.ts',
    port: 8097,
    role: 'worker',
    takesClients: true,
    readyPath: '/readyz',
    env: (context) => ({
      ...voiceSettings(context),
      ...pick(context.env, /^(VOICE_CALLS|SIP_LISTEN|SIP_PUBLIC_ADDRESS|RTP_PORTS)$/),
    }),
  },
  {
    name: 'dashboard',
    entry: 'services/dashboard/src/main.ts',
    port: 3000,
    role: 'http',
    isBackOffice: true,
    readyPath: '/readyz',
    adminPort: 8093,
    env: (context) => ({
      ...dashboardSettings(context),
      EDGE_KEYS: formatKeys(callerKeys(context.masterKeys, { caller: 'dashboard', audience: 'edge' })),
      ...callees(context, 'dashboard', ['inference']),
      DASHBOARD_ORIGIN: originOf(context),
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...pick(context.env, /^(?:OIDC_\w+|SMTP_URL|EMAIL_FROM)$/),
    }),
  },
  {
    name: 'edge',
    entry: 'services/edge/src/main.ts',
    port: 8080,
    role: 'http',
    newMb: 16,
    readyPath: '/readyz',
    publicPort: 8080,
    adminPort: 8090,
    sessionPort: 8092,
    voicePort: 8098,
    env: (context) => ({
      INFERENCE_URL: context.urlOf('inference'),
      LOGGING_URL: context.urlOf('logging'),
      JUDGING_URL: context.urlOf('judging'),
      EVAL_URL: context.urlOf('eval'),
      ALIAS_URL: context.urlOf('alias'),
      TRAINING_URL: context.urlOf('training'),
      ...voiceListener(context),
      ...(context.dashboard === undefined
        ? {}
        : { DASHBOARD_URL: context.urlOf('dashboard'), SESSION_PORT: new URL(context.dashboard.sessionUrl).port }),
      IDENTITY_MASTER_KEYS: formatKeys(context.masterKeys),
      ...framesSetting(context, 'INFERENCE_FRAMES_URL'),
      ...pick(context.env, /^(?:CORS_ORIGINS|TRUSTED_PROXIES)$/),
    }),
  },
]

/** Not a service of the product: it replaces the providers when no provider key is set. */
export const simulatedProvider: ServiceDefinition = {
  name: 'simulated-provider',
  entry: 'packages/simulated-provider/src/main.ts',
  port: 8089,
  role: 'http',
  readyPath: '/healthz',
  env: () => ({}),
}

/** The process that runs all services with `isBackOffice`. */
export const backOfficeEntry = 'infra/src/back-office/main.ts'

/** Loaded before every service's own code. */
export const telemetryEntry = 'packages/telemetry/src/register.ts'

/** The environment of the process of the back office, without that of its services. */
export function backOfficeEnv(context: ServiceContext): Record<string, string> {
  return { ...commonEnv(context), OTEL_SERVICE_NAME: 'ratchet-back-office' }
}

/** The environment of one service, without its port. */
export function serviceEnv(service: ServiceDefinition, context: ServiceContext): Record<string, string> {
  return { ...commonEnv(context), OTEL_SERVICE_NAME: `ratchet-${service.name}`, ...service.env(context) }
}

function commonEnv(context: ServiceContext): Record<string, string> {
  return {
    HOST: context.host,
    DATABASE_URL: context.databaseUrl,
    REDIS_URL: context.redisUrl,
    // No load balancer routes to these processes, so none needs time to notice that one stops.
    DRAIN_DELAY_MS: '0',
    NODE_ENV: 'production',
    ...(context.instanceId === undefined ? {} : { INSTANCE_ID: context.instanceId }),
    ...pick(context.env, sharedSettings),
  }
}
