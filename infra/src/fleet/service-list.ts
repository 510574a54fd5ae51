import type { ServiceName } from '@ratchet/contracts/endpoint'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { audienceKeys, callerKeys, formatKeys } from './audience-keys.ts'
import { providerSettings } from './provider-variables.ts'

/** The values from which the environment of every service is built. */
export interface ServiceContext {
  /** Address that the services bind; 127.0.0.1 when they run on a person's machine. */
  readonly host: string
  readonly databaseUrl: string
  readonly redisUrl: string
  /** The first one signs; all verify. */
  readonly masterKeys: readonly NamedKey[]
  /** Encrypt the secrets of workspaces: the first one encrypts; all decrypt. */
  readonly encryptionKeys: readonly NamedKey[]
  /** Parent folder of the spill folders, one per service. */
  readonly spillFolder: string
  readonly simulatedProviderUrl?: string
  /** Where inference takes requests of this edge in frames, `unix:/path` or `tcp://host:port`; absent: over HTTP only. */
  readonly framesUrl?: string | undefined
  /** Base URL of another service. */
  readonly urlOf: (service: string) => string
  /** The operator's environment: source of provider keys and overrides. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** One process of the fleet. The supervisor and the end-to-end tests start it; tests compare docker-compose.yml and k8s/ with it. */
export interface ServiceDefinition {
  readonly name: string
  /** Path of the script from the repository's folder. */
  readonly entry: string
  /** Preferred port; `npm start` takes another one when it is in use. */
  readonly port: number
  readonly role: 'http' | 'worker'
  /** Path that answers 200 once the process can take requests. */
  readonly readyPath: string
  /** Whether it shares one process with others of this kind on a single machine. */
  readonly isBackOffice?: boolean
  /** The port that docker-compose.yml publishes; absent = reachable inside the fleet only. */
  readonly publicPort?: number
  /** Preferred port for probes and metrics, of a process whose `port` clients reach. */
  readonly adminPort?: number
  /** Its variables beside {@link commonEnv}. */
  readonly env: (context: ServiceContext) => Record<string, string>
}

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
        /^(CATALOG_DIR|BYOK_CUSTOM_HOSTS|BYOK_ALLOWED_HOSTS|BODIES_MAX_BYTES|CACHE_REDIS_URL|LEDGER_DATABASE_URLS)$/,
      ),
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
      ...callees(context, 'logging', ['judging', 'eval', 'alias']),
    }),
  },
  {
    name: 'logging-worker',
    entry: 'services/logging/src/worker.ts',
    port: 8083,
    role: 'worker',
    readyPath: '/readyz',
    env: (context) => ({
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
      ...callees(context, 'judging', ['inference', 'logging', 'alias']),
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
      ...callees(context, 'judging', ['inference', 'logging', 'alias']),
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
      ...pick(context.env, /^(WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/),
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
      ...pick(context.env, /^(EVAL_CONCURRENCY|EVAL_PURGE_MS|WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/),
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
      ...callees(context, 'alias', ['inference', 'judging', 'eval']),
      ...pick(context.env, /^(WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/),
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
        /^(GATE_EVERY_MS|GATE_INGEST_LAG_MS|GATE_PROMOTE_AFTER_HOURS|GATE_GRADES_PER_ARM|SHADOW_CONCURRENCY|WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/,
      ),
    }),
  },
  {
    name: 'edge',
    entry: 'services/edge/src/main.ts',
    port: 8080,
    role: 'http',
    readyPath: '/readyz',
    publicPort: 8080,
    adminPort: 8090,
    env: (context) => ({
      INFERENCE_URL: context.urlOf('inference'),
      LOGGING_URL: context.urlOf('logging'),
      JUDGING_URL: context.urlOf('judging'),
      EVAL_URL: context.urlOf('eval'),
      ALIAS_URL: context.urlOf('alias'),
      IDENTITY_MASTER_KEYS: formatKeys(context.masterKeys),
      ...framesSetting(context, 'INFERENCE_FRAMES_URL'),
    }),
  },
]

/** The address for frames, under the name that the service reads it by. */
function framesSetting({ framesUrl, env }: ServiceContext, name: string): Record<string, string> {
  const address = framesUrl ?? env[name] ?? ''
  return address === '' || address === 'off' ? {} : { [name]: address }
}

/** The keys of a service that others call. */
function calledAs({ masterKeys, env }: ServiceContext, audience: ServiceName): Record<string, string> {
  return {
    IDENTITY_KEYS: formatKeys(audienceKeys(masterKeys, audience)),
    ...pick(env, /^ACCEPT_SHARED_KEYS$/),
  }
}

/** URLs of the services that one calls directly, and keys with which it signs for each. */
function callees(
  { urlOf, masterKeys }: ServiceContext,
  caller: ServiceName,
  audiences: readonly ServiceName[],
): Record<string, string> {
  const settings = audiences.flatMap((audience) => [
    [`${audience.toUpperCase()}_URL`, urlOf(audience)],
    [`${audience.toUpperCase()}_KEYS`, formatKeys(callerKeys(masterKeys, { caller, audience }))],
  ])
  return Object.fromEntries(settings)
}

/** Not a service of the product: it replaces the providers when no provider key is set. */
export const simulatedProvider: ServiceDefinition = {
  name: 'simulated-provider',
  entry: 'packages/simulated-provider/src/main.ts',
  port: 8089,
  role: 'http',
  readyPath: '/healthz',
  env: () => ({}),
}

/**
 * Flags of Node for every service. With a young generation of 8 MB a busy process takes 100 MB less memory than with the
 * default, at the same throughput.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8']

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
    ...pick(context.env, sharedSettings),
  }
}

/** Blocks are on by default, because one machine never runs two releases at once. */
function logStore({ env }: ServiceContext): Record<string, string> {
  return { CONTENT_BLOCKS: env.CONTENT_BLOCKS ?? 'true', ...pick(env, /^LOG_STORE_URL$/) }
}

function pick(env: ServiceContext['env'], names: RegExp): Record<string, string> {
  const set = Object.entries(env).flatMap(([name, value]) => {
    return names.test(name) && value !== undefined && value !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(set)
}
