import type { ServiceName } from '@ratchet/contracts/endpoint'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { deriveAudienceKey } from '@ratchet/service-kit/identity'

/** What the environment of every service is made from. */
export interface ServiceContext {
  /** Address that the services bind; 127.0.0.1 when they run on a person's machine. */
  readonly host: string
  readonly databaseUrl: string
  readonly redisUrl: string
  /** The first one signs; all verify. */
  readonly masterKeys: readonly NamedKey[]
  /** For secrets that workspaces bring: the first one seals; all open. */
  readonly encryptionKeys: readonly NamedKey[]
  /** Parent of one folder per service for charges that wait for the database. */
  readonly spillFolder: string
  readonly simulatedProviderUrl?: string
  /** Base URL of another service. */
  readonly urlOf: (service: string) => string
  /** The operator's own environment: provider keys and overrides are taken from here. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** One process of the fleet. The supervisor, docker-compose.yml and the end-to-end tests are built from these. */
export interface ServiceDefinition {
  readonly name: string
  /** Path of the script from the repository's folder. */
  readonly entry: string
  /** Listens here unless the port is taken. */
  readonly port: number
  readonly role: 'http' | 'worker'
  /** Answers 200 once it can take requests. */
  readonly readyPath: string
  /** The port that docker-compose.yml publishes; absent = reachable inside the fleet only. */
  readonly publicPort?: number
  /** What it needs beyond {@link commonEnv}. */
  readonly env: (context: ServiceContext) => Record<string, string>
}

/**
 * Variables that switch a real provider on; with none of them set, the simulated provider answers. They are the ones
 * that the model catalog names, `GOOGLE_API_KEY`, which Google's own tools read as well, and the access key that is
 * Bedrock's other way in.
 */
export const providerVariables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'DEEPINFRA_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'DASHSCOPE_API_KEY',
  'OPENROUTER_API_KEY',
  'COHERE_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
] as const

/** What else Bedrock reads: the rest of an access key, and where to call. */
export const awsVariables = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION', 'AWS_DEFAULT_REGION'] as const

/** The keys above, those of providers that an operator's own catalog adds, and what AWS wants. */
const providerSettings = /^[A-Z][A-Z0-9_]*_API_KEY$|^AWS_[A-Z_]+$/

/** Settings that an operator may give to every service, and what the machine says about its network. */
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
      IDENTITY_KEYS: formatKeys(audienceKeys(context.masterKeys, 'inference')),
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...callee(context, 'logging'),
      ...callee(context, 'alias'),
      SPILL_DIR: `${context.spillFolder}/inference`,
      ...(context.simulatedProviderUrl === undefined ? {} : { SIMULATED_PROVIDER_URL: context.simulatedProviderUrl }),
      ...(context.env.GOOGLE_API_KEY === undefined ? {} : { GEMINI_API_KEY: context.env.GOOGLE_API_KEY }),
      ...pick(context.env, providerSettings),
      ...pick(context.env, /^(CATALOG_DIR|BYOK_CUSTOM_HOSTS|BYOK_ALLOWED_HOSTS|BODIES_MAX_BYTES|CACHE_REDIS_URL)$/),
    }),
  },
  {
    name: 'logging',
    entry: 'services/logging/src/main.ts',
    port: 8082,
    role: 'http',
    readyPath: '/readyz',
    env: (context) => ({
      IDENTITY_KEYS: formatKeys(audienceKeys(context.masterKeys, 'logging')),
      ...callee(context, 'judging'),
      ...callee(context, 'eval'),
      ...callee(context, 'alias'),
    }),
  },
  {
    name: 'logging-worker',
    entry: 'services/logging/src/worker.ts',
    port: 8083,
    role: 'worker',
    readyPath: '/readyz',
    env: (context) => pick(context.env, /^CAPTURE_CLAIM_IDLE_MS$/),
  },
  {
    name: 'judging',
    entry: 'services/judging/src/main.ts',
    port: 8084,
    role: 'http',
    readyPath: '/readyz',
    env: (context) => ({
      IDENTITY_KEYS: formatKeys(audienceKeys(context.masterKeys, 'judging')),
      ...callees(context),
      ...callee(context, 'alias'),
    }),
  },
  {
    name: 'judging-worker',
    entry: 'services/judging/src/worker.ts',
    port: 8085,
    role: 'worker',
    readyPath: '/readyz',
    env: (context) => ({
      ...callees(context),
      ...callee(context, 'alias'),
      ...pick(
        context.env,
        /^(JUDGE_CONCURRENCY|MONITOR_EVERY_MS|MONITOR_SETTLE_MS|DRIFT_SWEEP_MS|CALIBRATION_HOLDS_DAYS)$/,
      ),
    }),
  },
  {
    name: 'eval',
    entry: 'services/eval/src/main.ts',
    port: 8086,
    role: 'http',
    readyPath: '/readyz',
    env: (context) => ({
      IDENTITY_KEYS: formatKeys(audienceKeys(context.masterKeys, 'eval')),
      ...callee(context, 'judging'),
      ...callees(context),
      ...pick(context.env, /^(WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/),
    }),
  },
  {
    name: 'eval-worker',
    entry: 'services/eval/src/worker.ts',
    port: 8087,
    role: 'worker',
    readyPath: '/readyz',
    env: (context) => ({
      ...callees(context),
      ...callee(context, 'alias'),
      ...pick(context.env, /^(EVAL_CONCURRENCY|EVAL_FORGET_MS|WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/),
    }),
  },
  {
    name: 'alias',
    entry: 'services/alias/src/main.ts',
    port: 8088,
    role: 'http',
    readyPath: '/readyz',
    env: (context) => ({
      IDENTITY_KEYS: formatKeys(audienceKeys(context.masterKeys, 'alias')),
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...callee(context, 'inference'),
      ...callee(context, 'judging'),
      ...callee(context, 'eval'),
      ...pick(context.env, /^(WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/),
    }),
  },
  {
    name: 'alias-worker',
    entry: 'services/alias/src/worker.ts',
    port: 8091,
    role: 'worker',
    readyPath: '/readyz',
    env: (context) => ({
      ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
      ...callees(context),
      ...callee(context, 'judging'),
      ...pick(
        context.env,
        /^(GATE_LOOK_MS|GATE_SETTLE_MS|GATE_PROMOTE_AFTER_HOURS|GATE_GRADES_PER_ARM|SHADOW_CONCURRENCY|WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS)$/,
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
    env: (context) => ({
      INFERENCE_URL: context.urlOf('inference'),
      LOGGING_URL: context.urlOf('logging'),
      JUDGING_URL: context.urlOf('judging'),
      EVAL_URL: context.urlOf('eval'),
      ALIAS_URL: context.urlOf('alias'),
      IDENTITY_MASTER_KEYS: formatKeys(context.masterKeys),
    }),
  },
]

/** Where inference and the log are, for who calls them past the edge, and keys that sign for them. */
function callees(context: ServiceContext): Record<string, string> {
  return { ...callee(context, 'inference'), ...callee(context, 'logging') }
}

/** Where one service is, and keys that sign for it. */
function callee({ urlOf, masterKeys }: ServiceContext, name: ServiceName): Record<string, string> {
  const prefix = name.toUpperCase()
  return { [`${prefix}_URL`]: urlOf(name), [`${prefix}_KEYS`]: formatKeys(audienceKeys(masterKeys, name)) }
}

/** Not a service of the product: it answers in the providers' place when no provider key is set. */
export const simulatedProvider: ServiceDefinition = {
  name: 'simulated-provider',
  entry: 'packages/simulated-provider/src/main.ts',
  port: 8089,
  role: 'http',
  readyPath: '/healthz',
  env: () => ({}),
}

/**
 * Node's own flags for every service. A young generation of 8 MB keeps a busy process 100 MB smaller than the
 * default does, at the same throughput.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8']

/** Loaded before every service's own code. */
export const telemetryEntry = 'packages/telemetry/src/register.ts'

/** The whole environment of one service, its port apart. */
export function serviceEnv(service: ServiceDefinition, context: ServiceContext): Record<string, string> {
  return { ...commonEnv(context), OTEL_SERVICE_NAME: `ratchet-${service.name}`, ...service.env(context) }
}

/** What every service gets. */
function commonEnv(context: ServiceContext): Record<string, string> {
  return {
    HOST: context.host,
    DATABASE_URL: context.databaseUrl,
    REDIS_URL: context.redisUrl,
    // Nothing routes to a person's machine, so nothing has to learn that it is leaving.
    DRAIN_DELAY_MS: '0',
    NODE_ENV: 'production',
    ...pick(context.env, sharedSettings),
  }
}

/** The keys a service verifies identities with: they cannot sign for another service. */
export function audienceKeys(masterKeys: readonly NamedKey[], audience: string): readonly NamedKey[] {
  return masterKeys.map(({ id, secret }) => ({ id, secret: deriveAudienceKey(secret, audience) }))
}

/** `k1:<base64>,k0:<base64>`, the form in which services read named keys. */
export function formatKeys(keys: readonly NamedKey[]): string {
  return keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(',')
}

function pick(env: ServiceContext['env'], names: RegExp): Record<string, string> {
  const set = Object.entries(env).flatMap(([name, value]) => {
    return names.test(name) && value !== undefined && value !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(set)
}
