import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { namesRegistry } from '../k8s/policies/workload-rules.ts'
import { lintCompose } from './compose.fixture.ts'
import { repositoryRoot } from './data-paths.ts'
import { memorySettings, nodeFlags } from './memory-settings.ts'
import { newComposeSecrets } from './new-secrets.ts'
import { addressVariables, awsVariables, providerVariables } from './provider-variables.ts'
import { requiredSettings, serviceConfigs, telemetryVariables } from './service-configs.ts'
import type { ServiceDefinition } from './service-definition.ts'
import { serviceEnv, services, simulatedProvider, telemetryEntry } from './service-list.ts'

interface ComposeService {
  readonly build?: { readonly args: { readonly SERVICE: string }; readonly dockerfile: string }
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | null>>
  readonly ports?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly stop_grace_period?: string
}

const file = path.join(repositoryRoot, 'docker-compose.yml')
const text = readFileSync(file, 'utf8')
const compose = parse(text, { merge: true }) as { services: Record<string, ComposeService> }

/** Set for every process, whether it reads them or not. */
const common = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'REDIS_URL',
  'BRAND_WORD',
  'LOG_LEVEL',
  'DRAIN_DELAY_MS',
  'DRAIN_TIMEOUT_MS',
  // Only of fleets that a supervisor starts.
  'INSTANCE_ID',
]

const inferenceSettings = [
  'BYOK_CUSTOM_HOSTS',
  'BYOK_ALLOWED_HOSTS',
  'BODIES_MAX_BYTES',
  'CATALOG_STALE_DAYS',
  'CACHE_REDIS_URL',
  'FRAMES_LISTEN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
]

const judgingSettings = [
  'JUDGE_CONCURRENCY',
  'MONITOR_EVERY_MS',
  'MONITOR_INGEST_LAG_MS',
  'DRIFT_SWEEP_MS',
  'CALIBRATION_HOLDS_DAYS',
]

const evalSettings = [
  'EVAL_CONCURRENCY',
  'EVAL_PURGE_MS',
  'WEBHOOK_CUSTOM_HOSTS',
  'WEBHOOK_ALLOWED_HOSTS',
  'WEBHOOK_LOOPBACK_HTTP',
]

const aliasSettings = [
  'GATE_EVERY_MS',
  'GATE_INGEST_LAG_MS',
  'GATE_PROMOTE_AFTER_HOURS',
  'GATE_GRADES_PER_ARM',
  'SHADOW_CONCURRENCY',
]

const trainingSettings = [
  ...['TRAINERS', 'SIM_SLOTS', 'SIM_JOB_MS', 'ARTIFACTS_S3_BUCKET', 'ARTIFACTS_S3_REGION', 'ARTIFACTS_S3_ENDPOINT'],
  ...['ARTIFACTS_S3_ACCESS_KEY_ID', 'ARTIFACTS_S3_SECRET_ACCESS_KEY'],
  ...['PROCESS_SLOTS', 'PROCESS_COMMAND', 'PROCESS_ENVIRONMENT', 'PROCESS_MEMORY_MB', 'PROCESS_SHOWS_ERRORS'],
]

const voiceSettings = [
  ...['VOICE_USD_PER_MINUTE', 'VOICE_DAILY_SPEND_USD', 'VOICE_CALLS'],
  ...['SIP_LISTEN', 'SIP_PUBLIC_ADDRESS', 'RTP_PORTS', 'SIP_ADDRESS'],
  ...['DEEPGRAM_API_KEY', 'ELEVENLABS_API_KEY'],
]

const dashboardSettings = [
  ...['OIDC_DISCOVERY_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME'],
  ...['SMTP_URL', 'EMAIL_FROM'],
]

/** Every setting that an operator can give, so that the list passes on all of them. */
const everything = Object.fromEntries(
  [
    ...common,
    ...telemetryVariables,
    ...providerVariables,
    ...addressVariables,
    'AZURE_OPENAI_BASE_URL',
    ...awsVariables,
    ...inferenceSettings,
    'ACCEPT_SHARED_KEYS',
    'CAPTURE_CLAIM_IDLE_MS',
    'LEDGER_DATABASE_URLS',
    'ERASE_AFTER_MS',
    'CONTENT_BLOCKS',
    'LOG_STORE_URL',
    'INFERENCE_FRAMES_URL',
    'CORS_ORIGINS',
    'TRUSTED_PROXIES',
    ...judgingSettings,
    ...evalSettings,
    ...aliasSettings,
    ...trainingSettings,
    ...voiceSettings,
    ...dashboardSettings,
  ].map((name) => [name, 'set']),
)

function envNames(service: ServiceDefinition): string[] {
  const env = serviceEnv(service, {
    host: '0.0.0.0',
    databaseUrl: 'postgres://postgres/ratchet',
    redisUrl: 'redis://redis',
    masterKeys: [{ id: 'k1', secret: Buffer.alloc(32) }],
    encryptionKeys: [{ id: 'k1', secret: Buffer.alloc(32) }],
    spillFolder: '/var/lib/ratchet/spill',
    artifactsFolder: '/var/lib/ratchet/artifacts',
    simulatedProviderUrl: 'http://simulated-provider:8089',
    urlOf: (name) => `http://${name}`,
    voiceUrl: 'http://localhost:8098',
    dashboard: { sessionUrl: 'http://edge:8092', authSecret: 'set' },
    env: everything,
  })
  // The first is set by the image; the second is another name for GEMINI_API_KEY.
  const admin = service.adminPort === undefined ? [] : ['ADMIN_PORT']
  return [...Object.keys(env), 'PORT', ...admin]
    .filter((name) => name !== 'NODE_ENV' && name !== 'GOOGLE_API_KEY')
    .sort()
}

function composed(name: string): ComposeService {
  const service = compose.services[name]
  if (service === undefined) throw new Error(`docker-compose.yml has no ${name}`)
  return service
}

const recipe = readFileSync(path.join(repositoryRoot, 'infra/docker/service.Dockerfile'), 'utf8')
/** The image's default command. */
const imageCommand: readonly string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(recipe)?.[1] ?? '[]')

describe('docker-compose.yml', () => {
  it('is accepted by the schema of compose files and by the linter', () => {
    expect(lintCompose(text)).toEqual([])
  })

  it.each([
    ['an unknown key', text.replace('    ports:', '    portz:'), 'invalid-schema'],
    ['a value of the wrong kind', text.replace('restart: unless-stopped', 'restart: [always]'), 'invalid-schema'],
    ['an image without a version', text.replace('library/redis:7', 'library/redis'), 'explicit-tag'],
  ])('would not pass with %s', (_case, broken, rule) => {
    expect(broken).not.toBe(text)
    expect(lintCompose(broken).join('\n')).toContain(rule)
  })

  it('runs exactly the services of the list', () => {
    const built = Object.entries(compose.services).flatMap(([name, { build }]) => (build === undefined ? [] : [name]))
    const expected = [...services, simulatedProvider].map(({ name }) => name)
    expect(built.sort()).toEqual([...expected, 'migrate', 'ratchet'].sort())
  })

  it.each([...services, simulatedProvider].map((service) => [service.name, service] as const))(
    'runs %s with the same script, port and readiness check',
    (name, service) => {
      const { build, command, environment, ports = [], healthcheck } = composed(name)
      const script = command?.at(-1)?.replace('./service/', '') ?? 'src/main.ts'
      expect(`${build?.args.SERVICE}/${script}`).toBe(service.entry)
      expect(environment?.PORT).toBe(String(service.port))
      expect(environment?.ADMIN_PORT).toBe(service.adminPort === undefined ? undefined : String(service.adminPort))
      if (healthcheck !== undefined)
        expect(healthcheck.test.join(' ')).toContain(`:${service.port}${service.readyPath}'`)
      const published = [[service.publicPort, service.port] as const, [service.voicePort, service.voicePort] as const]
        .filter(([at]) => at !== undefined)
        .map(([at, to]) => `127.0.0.1:${at}:${to}`)
      expect(ports).toEqual(published)
    },
  )

  it.each(services.map((service) => [service.name, service] as const))(
    'starts %s as `npm start` does',
    (name, service) => {
      const { command = imageCommand } = composed(name)
      expect(command.slice(0, -1)).toEqual([...nodeFlags(service), '--import', `./${telemetryEntry}`])
    },
  )

  it.each(services.map((service) => [service.name, service] as const))(
    'sets for %s the variables that the list sets',
    (name, service) => {
      expect(Object.keys(composed(name).environment ?? {}).sort()).toEqual(envNames(service))
    },
  )

  it('names the registry of every image that it does not build', () => {
    const bases = [...recipe.matchAll(/^(?:# syntax=|ARG (?:NODE|RUNTIME)_IMAGE=|FROM )(\S+)/gm)].map(
      ([, image = '']) => image,
    )
    const stages = new Set([...recipe.matchAll(/ AS (\w+)$/gm)].map(([, stage]) => stage))
    const pulled = bases.filter((image) => !stages.has(image) && !image.startsWith('$'))
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? [])
    expect(pulled).toHaveLength(3)
    expect([...images, ...pulled].filter((image) => !namesRegistry(image))).toEqual([])
    // An image that is built has no name in a registry.
    expect(Object.values(compose.services).filter(({ build, image }) => build !== undefined && image)).toEqual([])
  })

  it('gives every service more time to stop than its drain lasts', () => {
    for (const { name } of services) {
      const { stop_grace_period, environment } = composed(name)
      expect(Number.parseInt(stop_grace_period ?? '0', 10) * 1_000).toBeGreaterThan(
        Number(environment?.DRAIN_TIMEOUT_MS),
      )
    }
  })

  it('requires the secrets that `npm run compose:env` prints, and contains no password', () => {
    const requested = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
    expect([...requested].sort()).toEqual(Object.keys(newComposeSecrets()).sort())
    expect(text).not.toMatch(/\$\{\w*(PASSWORD|KEYS?|SECRET)\w*:?-/)
  })

  it('names only addresses of services that it runs', () => {
    const addresses = text.matchAll(/(?:https?|redis|postgres):\/\/(?:[^@\s]*@)?([a-z-]+):\d+/g)
    const unknown = [...addresses].map(([, host = '']) => host).filter((host) => compose.services[host] === undefined)
    // Where clients reach the voice interface and browsers the dashboard, and a payment page leads back.
    expect(unknown).toEqual(['localhost', 'localhost', 'localhost'])
  })
})

describe.each(services.map((service) => [service.name, service] as const))('the environment of %s', (name, service) => {
  const shape = serviceConfigs[name] ?? {}

  it('has every setting that the service requires', () => {
    const required = requiredSettings(name)
    expect(required.length).toBeGreaterThan(0)
    expect(envNames(service)).toEqual(expect.arrayContaining(required))
  })

  it('has no variable that the service does not read', () => {
    const read = new Set([
      ...Object.keys(shape),
      ...common,
      ...telemetryVariables,
      ...providerVariables,
      ...addressVariables,
      'AZURE_OPENAI_BASE_URL',
      ...awsVariables,
      ...Object.keys(memorySettings),
    ])
    expect(envNames(service).filter((key) => !read.has(key))).toEqual([])
  })
})

describe('the image recipe', () => {
  const versions = readFileSync(path.join(repositoryRoot, 'infra/bootstrap/versions.mjs'), 'utf8')

  it('builds with the versions of Node and pnpm that `npm start` uses', () => {
    expect(versions).toContain(`pinnedNode = '${/NODE_VERSION=(\S+)/.exec(recipe)?.[1]}'`)
    expect(versions).toContain(`pinnedPnpm = '${/PNPM_VERSION=(\S+)/.exec(recipe)?.[1]}'`)
  })

  it('starts a service as `npm start` does', () => {
    expect(imageCommand).toEqual([...nodeFlags({}), '--import', `./${telemetryEntry}`, './service/src/main.ts'])
  })

  it('gives processes the memory settings of `npm start`', () => {
    for (const [name, value] of Object.entries(memorySettings)) expect(recipe).toContain(` ${name}=${value}`)
  })

  it('runs as an unprivileged user and stops at SIGTERM', () => {
    const last = recipe.slice(recipe.lastIndexOf('\nFROM '))
    expect(last).toMatch(/^USER 65532:65532$/m)
    expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m)
  })
})
