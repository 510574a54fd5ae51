import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from './data-paths.ts'
import { nodeFlags } from './memory-settings.ts'
import type { ServiceDefinition } from './service-definition.ts'
import { serviceEnv, services } from './service-list.ts'

const context = {
  host: '127.0.0.1',
  // No server listens here, so a process that connects has accepted its settings.
  databaseUrl: 'postgres://user:hush-hush@127.0.0.1:9/ratchet',
  redisUrl: 'redis://127.0.0.1:9',
  masterKeys: [{ id: 'k1', secret: randomBytes(32) }],
  encryptionKeys: [{ id: 'k1', secret: randomBytes(32) }],
  spillFolder: tmpdir(),
  artifactsFolder: tmpdir(),
  dashboard: { sessionUrl: 'http://127.0.0.1:1', authSecret: 'secret' },
  urlOf: () => 'http://127.0.0.1:9',
  env: {},
}

interface Ended {
  readonly code: number
  readonly printed: string
}

function start(service: ServiceDefinition, change: Readonly<Record<string, string>>): Promise<Ended> {
  const env = { ...serviceEnv(service, context), PATH: process.env.PATH, PORT: '0', ...change }
  return new Promise((resolve) => {
    const args = [...nodeFlags(service), path.join(repositoryRoot, service.entry)]
    execFile(process.execPath, args, { env, cwd: repositoryRoot, timeout: 15_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), printed: stdout + stderr })
    })
  })
}

/** The settings of a service that hold keys. */
const keySettings = (service: ServiceDefinition) =>
  Object.keys(serviceEnv(service, context)).filter((name) => /_KEYS$/.test(name))

/** Has the length of a key, but can be guessed. */
const typed = Buffer.from('changemechangemechangemechangeme').toString('base64')

it('finds key settings in most services', () => {
  const keyed = services.filter((service) => keySettings(service).length > 0).map(({ name }) => name)
  expect(keyed).toEqual(expect.arrayContaining(['edge', 'inference', 'logging', 'judging', 'eval', 'alias-worker']))
})

it.each(services.map((service): [string, ServiceDefinition] => [service.name, service]))(
  '%s refuses to start with guessable keys or an invalid database URL, names each setting, and prints no secret',
  async (_name, service) => {
    const names = keySettings(service)
    const keys = Object.fromEntries(names.map((name) => [name, `k1:${typed}`]))
    const { code, printed } = await start(service, { ...keys, DATABASE_URL: 'mysql://user:hush-hush@host/db' })
    expect(code).toBe(1)
    for (const name of [...names, 'DATABASE_URL']) expect(printed).toContain(`at ${name}`)
    for (const secret of [typed, 'hush-hush']) expect(printed).not.toContain(secret)
  },
  30_000,
)
