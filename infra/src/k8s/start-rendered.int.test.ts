import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrationNames } from '@ratchet/db/migration-names'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import pg from 'pg'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { nodeFlags } from '../fleet/memory-settings.ts'
import { newSecrets } from '../fleet/new-secrets.ts'
import { telemetryEntry } from '../fleet/service-list.ts'
import { type Child, startChild } from '../processes/child.ts'
import { environmentOf } from './environment.ts'
import type { KubeObject, Workload } from './kube-object.ts'
import { fleetOf } from './policies/workload-rules.ts'
import { findRenderer, manifestsFolder } from './render.ts'

/* Starts the fleet with the arguments and environment of the manifests, on stores of this machine. */
const render = findRenderer()
const onceRendered = render === null ? describe.skip : describe

interface Started {
  readonly name: string
  readonly child: Child
  /** All lines that it printed. */
  readonly lines: readonly string[]
  readonly ask: (probe: string) => Promise<string>
}

let database: FreshDatabase
let redis: FreshRedis
let spill: string
let started: readonly Started[] = []

onceRendered('the processes of overlays/dev', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    redis = await freshRedis()
    spill = mkdtempSync(path.join(tmpdir(), 'spill-'))
  })

  afterAll(async () => {
    await Promise.all(started.map(({ child }) => child.stop()))
    await redis.drop()
    await database.drop()
    rmSync(spill, { recursive: true, force: true })
  })

  it('are alive at once, start when the migrations of their release are applied, and exit with 0', async () => {
    const objects = render?.(path.join(manifestsFolder, 'overlays/dev')) ?? []
    await setLastMigration('missing')
    started = await Promise.all(fleetOf(objects).map((workload) => startAsPod(workload, objects)))

    expect(await answers('/livez')).toEqual(fromAll('200 alive'))
    expect(await answers('/startupz')).toEqual(fromAll('503 not started: schema'))
    await setLastMigration('applied')
    expect(await answers('/startupz')).toEqual(fromAll('200 started'))
    expect(await answers('/readyz')).toEqual(fromAll('200 ready'))

    for (const { child } of started) child.signal('SIGTERM')
    const ends = await Promise.all(started.map(endOf))
    expect(ends).toEqual(started.map(({ name }) => ({ name, code: 0, signal: null, lines: [] })))
  }, 180_000)
})

/** How a process ended; after a failure with the last lines that it printed, which say why. */
async function endOf({ name, child, lines }: Started) {
  const { code, signal } = await child.exited
  return { name, code, signal, lines: code === 0 ? [] : lines.slice(-20) }
}

const answers = async (probe: string) =>
  Object.fromEntries(await Promise.all(started.map(async ({ name, ask }) => [name, await ask(probe)])))

const fromAll = (answer: string) => Object.fromEntries(started.map(({ name }) => [name, answer]))

async function startAsPod({ name, labels, pod }: Workload, objects: readonly KubeObject[]): Promise<Started> {
  const isWorker = labels['app.kubernetes.io/component'] === 'worker'
  const [port, adminPort] = [await anyFreePort(), await anyFreePort()]
  const probed = isWorker ? port : adminPort
  const ask = (probe: string) => askProbe(`http://127.0.0.1:${probed}${probe}`)
  const [container] = pod.containers
  const service = /\/ratchet\/([a-z]+):/.exec(container?.image ?? '')?.[1]
  const command = container?.args ?? [...nodeFlags({}), '--import', `./${telemetryEntry}`, './service/src/main.ts']
  const lines: string[] = []
  const spec = {
    name,
    command: process.execPath,
    args: command.map((argument) => argument.replace('./service/', `./services/${service}/`)),
    cwd: repositoryRoot,
    env: {
      ...valuesOf(environmentOf(pod, objects)),
      PORT: String(port),
      ...(isWorker ? {} : { ADMIN_PORT: String(adminPort) }),
      ...(name === 'edge' ? { SESSION_PORT: String(await anyFreePort()) } : {}),
      HOST: '127.0.0.1',
      SPILL_DIR: spill,
      ARTIFACTS_DIR: spill,
      DRAIN_DELAY_MS: '0',
    },
    stopSignal: 'SIGTERM' as const,
    stopTimeoutMs: 20_000,
    readyTimeoutMs: 120_000,
    isReady: async () => (await ask('/livez')).startsWith('200'),
  }
  const child = await startChild(spec, { onLine: (line) => lines.push(line) })
  return { name, child, lines, ask }
}

const secrets = newSecrets()

function valuesOf(environment: ReturnType<typeof environmentOf>): Record<string, string> {
  const known: Readonly<Record<string, string>> = { ...secrets, DATABASE_URL: database.url, REDIS_URL: redis.url }
  return Object.fromEntries(
    [...environment].map(([name, { value, secret }]) => [name, value ?? known[secret?.key ?? ''] ?? '']),
  )
}

async function askProbe(url: string): Promise<string> {
  const response = await fetch(url)
  const { status, failing } = (await response.json()) as { status: string; failing?: readonly string[] }
  return `${response.status} ${status}${failing === undefined ? '' : `: ${failing.join()}`}`
}

async function setLastMigration(state: 'missing' | 'applied'): Promise<void> {
  const client = new pg.Client(database.url)
  await client.connect()
  const statement =
    state === 'missing'
      ? 'DELETE FROM schema_migration WHERE name = $1'
      : 'INSERT INTO schema_migration (name, run_on) VALUES ($1, now())'
  await client.query(statement, [(await migrationNames()).at(-1)])
  await client.end()
}
