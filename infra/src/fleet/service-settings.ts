import { dirname, join } from 'node:path'
import type { EndpointCaller, ServiceName } from '@ratchet/contracts/endpoint'
import { audienceKeys, callerKeys, formatKeys, jobTokenKeys } from './audience-keys.ts'
import type { ServiceContext } from './service-context.ts'

/* Parts of the environments of services. */

export function dashboardSettings({ dashboard }: ServiceContext): Record<string, string> {
  if (dashboard === undefined) throw new Error('this fleet has no dashboard')
  const { sessionUrl, authSecret, webFolder } = dashboard
  return {
    SESSION_DOOR_URL: sessionUrl,
    AUTH_SECRET: authSecret,
    ...(webFolder === undefined ? {} : { WEB_FOLDER: webFolder }),
  }
}

/**
 * Where browsers open the dashboard: the address of the edge, unless the operator says another one. On this machine it is
 * `localhost`, because a browser keeps no passkeys for an address of numbers.
 */
export function originOf({ urlOf, env }: Pick<ServiceContext, 'urlOf' | 'env'>): string {
  const given = env.DASHBOARD_ORIGIN ?? ''
  return given === '' ? urlOf('edge').replace('//127.0.0.1:', '//localhost:') : given
}

/** The address for frames, under the name that the service reads it by. */
export function framesSetting({ framesUrl, env }: ServiceContext, name: string): Record<string, string> {
  const address = framesUrl ?? env[name] ?? ''
  return address === '' || address === 'off' ? {} : { [name]: address }
}

/** The keys of a service that others call. */
export function calledAs({ masterKeys, env }: ServiceContext, audience: ServiceName): Record<string, string> {
  return {
    IDENTITY_KEYS: formatKeys(audienceKeys(masterKeys, audience)),
    ...pick(env, /^ACCEPT_SHARED_KEYS$/),
  }
}

/** URLs of the services that one calls directly, and keys with which it signs for each. */
export function callees(
  { urlOf, masterKeys }: ServiceContext,
  caller: EndpointCaller,
  audiences: readonly ServiceName[],
): Record<string, string> {
  const settings = audiences.flatMap((audience) => [
    [`${audience.toUpperCase()}_URL`, urlOf(audience)],
    [`${audience.toUpperCase()}_KEYS`, formatKeys(callerKeys(masterKeys, { caller, audience }))],
  ])
  return Object.fromEntries(settings)
}

/** Blocks are on by default, because one machine never runs two releases at once. */
export function logStore({ env }: ServiceContext): Record<string, string> {
  return { CONTENT_BLOCKS: env.CONTENT_BLOCKS ?? 'true', ...pick(env, /^LOG_STORE_URL$/) }
}

/** The trainers, their tokens, and where checkpoints are kept: in a folder, unless the operator names a bucket. */
function trainerSettings(context: ServiceContext): Record<string, string> {
  const { masterKeys, artifactsFolder, env } = context
  return {
    ...poolSettings(context),
    ...dedicatedSettings(context),
    JOB_TOKEN_KEYS: formatKeys(jobTokenKeys(masterKeys)),
    ...pick(env, /^(TRAINERS|SIM_SLOTS|PROCESS_SLOTS)$/),
    ARTIFACTS_DIR: artifactsFolder,
    ...pick(env, /^ARTIFACTS_S3_\w+$/),
  }
}

/** With the simulated provider there are simulated engines for one of its models, unless the operator decides otherwise. */
function poolSettings({ simulatedProviderUrl, env }: ServiceContext): Record<string, string> {
  const demo = simulatedProviderUrl === undefined ? {} : { POOL_MODELS: 'sim/small=2' }
  return { ...demo, ...pick(env, /^POOL_(MODELS|MAX_RANK|MAX_VERSIONS|MAX_ADAPTERS|COPIES)$/) }
}

/** Two kinds of simulated machines, unless the operator names those that there are. */
const simulatedHardware = [
  { id: 'sim-1x', price_usd_per_hour: '0.60', slots: 4 },
  { id: 'sim-2x', price_usd_per_hour: '1.20', slots: 2 },
]

function dedicatedSettings({ simulatedProviderUrl, env }: ServiceContext): Record<string, string> {
  const demo = simulatedProviderUrl === undefined ? {} : { DEDICATED_HARDWARE: JSON.stringify(simulatedHardware) }
  return { ...demo, ...pick(env, /^DEDICATED_HARDWARE$/) }
}

/** What trains and serves models, and where engines find their adapters. */
export function trainingWorkerSettings(context: ServiceContext): Record<string, string> {
  const { simulatedProviderUrl: url, artifactsFolder, env } = context
  return {
    ...pick(env, /^(SIM_JOB_MS|PROCESS_COMMAND|PROCESS_ENVIRONMENT|PROCESS_MEMORY_MB|PROCESS_SHOWS_ERRORS)$/),
    ...(url === undefined ? {} : { ENGINES: 'sim', SIMULATED_PROVIDER_URL: url }),
    ...pick(
      env,
      /^(ENGINES|SIM_ENGINE_START_MS|ENGINE_COMMAND|ENGINE_ENVIRONMENT|ENGINE_LIST|ENGINE_PROFILES|ENGINE_NAMESPACE)$/,
    ),
    ...pick(env, /^KUBERNETES_(CONFIG|OWNER)$/),
    ...(url === undefined && env.ENGINES === undefined
      ? {}
      : { ENGINE_ADAPTERS_DIR: join(dirname(artifactsFolder), 'engine-adapters') }),
  }
}

export function pick(env: ServiceContext['env'], names: RegExp): Record<string, string> {
  const set = Object.entries(env).flatMap(([name, value]) => {
    return names.test(name) && value !== undefined && value !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(set)
}

/** Which addresses of webhooks and of environment tools may be called. */
export function webhookSettings({ env }: ServiceContext): Record<string, string> {
  return pick(env, /^(WEBHOOK_CUSTOM_HOSTS|WEBHOOK_ALLOWED_HOSTS|WEBHOOK_LOOPBACK_HTTP)$/)
}

/** What the API of training and its worker have in common. */
export function trainingSettings(context: ServiceContext): Record<string, string> {
  return {
    ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
    ...callees(context, 'training', ['inference', 'logging', 'judging', 'eval', 'alias']),
    ...trainerSettings(context),
    ...webhookSettings(context),
  }
}

/** What the API of voice agents and its workers have in common. */
export function voiceSettings(context: ServiceContext): Record<string, string> {
  return {
    ENCRYPTION_KEYS: formatKeys(context.encryptionKeys),
    ...callees(context, 'voice', ['inference']),
    ...pick(context.env, /^VOICE_(RATES_DIR|VOICES_DIR|LOCAL_SPEECH_DIR|USD_PER_MINUTE|DAILY_SPEND_USD)$/),
    ...pick(context.env, /^(DEEPGRAM|OPENAI|ELEVENLABS)_(API_KEY|BASE_URL)$/),
    ...webhookSettings(context),
  }
}

/** The voice service, and the listener of its interface in a fleet that has one. */
export function voiceListener({ voiceUrl, urlOf }: ServiceContext): Record<string, string> {
  const service = { VOICE_URL: urlOf('voice') }
  if (voiceUrl === undefined) return service
  return { ...service, VOICE_PORT: new URL(voiceUrl).port, VOICE_MEDIA_URL: urlOf('voice-worker') }
}

/** Where clients reach the voice interface: the address of its listener, unless the operator says another one. */
export function voiceOriginOf({ voiceUrl = '', env }: Pick<ServiceContext, 'voiceUrl' | 'env'>): string {
  const given = env.VOICE_ORIGIN ?? ''
  return given === '' ? voiceUrl : given
}

/** Where trunks reach the workers: where they listen, unless the operator says another address; nothing without telephones. */
export function sipAddress({ env }: Pick<ServiceContext, 'env'>): Record<string, string> {
  const given = env.SIP_ADDRESS ?? env.SIP_LISTEN ?? ''
  return given === '' ? {} : { SIP_ADDRESS: given }
}
