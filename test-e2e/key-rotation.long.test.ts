import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { formatKeys } from '@ratchet/infra/fleet/audience-keys'
import { type RotationStep, rotateKeys } from '@ratchet/infra/ops/rotate-keys'
import { startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freshRedis } from '@ratchet/testing/fresh-redis'
import { postChat } from './clients.ts'
import { compileCache } from './compile-cache.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { mountedCatalog } from './mounted-catalog.ts'
import { type Keys, type Lane, startLane } from './rolled-lanes.ts'

const undo: (() => Promise<unknown>)[] = []
const onStop = (step: () => Promise<unknown>) => void undo.push(step)
const newKeys = (): Keys => ({
  masterKeys: [{ id: 'k1', secret: randomBytes(32) }],
  encryptionKeys: [{ id: 'k1', secret: randomBytes(32) }],
})

let databaseUrl: string
let workspace: DemoWorkspace
let keys: Keys
let lanes: readonly Lane[]

beforeAll(async () => {
  const database = await freshDatabase()
  onStop(() => database.drop())
  const redis = await freshRedis()
  onStop(() => redis.drop())
  const provider = await startSimulatedProvider()
  onStop(() => provider.stop())
  // A provider for which only the workspace has a key: requests succeed only if the stored key can be decrypted.
  const catalog = await mountedCatalog({
    providers: [{ id: 'own', base_url: `${provider.baseUrl}/v1`, api_key_env: 'NOBODY_SET_THIS_API_KEY' }],
    // Slow enough that requests leave enough CPU for processes that start.
    models: [{ id: 'own/echo', upstream_model: 'sim/slow-50' }],
  })
  onStop(() => catalog.remove())
  databaseUrl = database.url
  keys = newKeys()
  workspace = await createDemoWorkspace(databaseUrl)
  await ratchet(`provider-key set --workspace ${workspace.slug} --provider own --from-env BROUGHT`)
  const settings = { DATABASE_SILENCE_MS: '5000', LOG_LEVEL: 'warn', CATALOG_DIR: catalog.folder }
  const env = { PATH: process.env.PATH, ...compileCache, ...settings }
  const ground = { databaseUrl, redisUrl: redis.url, simulatedProviderUrl: provider.baseUrl, env, keys }
  lanes = await Promise.all([startLane(ground, onStop), startLane(ground, onStop)])
}, 300_000)
afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
}, 180_000)

/** Runs a command of the operator. */
async function ratchet(line: string): Promise<string> {
  const main = path.join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts')
  const own = { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: formatKeys(keys.encryptionKeys) }
  const env = { ...process.env, NODE_OPTIONS: '', ...own, BROUGHT: 'sk-brought-0123456789abcdef' }
  return (await promisify(execFile)(process.execPath, [main, 'admin', ...line.split(' ')], { env })).stdout
}

function chat({ url }: Lane): Promise<Response> {
  return postChat({ url, workspace }, { model: 'own/echo' })
}

/** Sends requests one after the other to open lanes until it is aborted; resolves with all errors. */
async function keepAsking(signal: AbortSignal): Promise<readonly string[]> {
  const failures: string[] = []
  for (let turn = 0; !signal.aborted; turn++) {
    const open = lanes.filter(({ isOpen }) => isOpen)
    const lane = open[turn % open.length]
    if (lane === undefined) throw new Error('every lane is closed')
    lane.running += 1
    const response = await chat(lane)
    const text = await response.text()
    lane.running -= 1
    if (response.ok) lane.answered += 1
    else failures.push(`${response.status} ${text}`)
  }
  return failures
}

/** Restarts one process after the other, so that old edges call new inference processes and new edges old ones. */
async function rollAll(): Promise<void> {
  const [first, second] = lanes
  const order = [
    [first, 'inference'],
    [first, 'edge'],
    [second, 'edge'],
    [second, 'inference'],
  ] as const
  for (const [lane, name] of order) {
    await lane?.restart(name, keys)
    await eventually(() => (lane?.answered ?? 0) >= 20, { withinMs: 45_000 })
  }
}

async function take(step: RotationStep): Promise<void> {
  const rotated = { masterKeys: rotateKeys(keys.masterKeys, step, randomBytes) }
  keys = { ...rotated, encryptionKeys: rotateKeys(keys.encryptionKeys, step, randomBytes) }
  await rollAll()
}

it('changes identity and encryption keys without a failed request', async () => {
  const [before, asked] = [keys, new AbortController()]
  const asking = Promise.all(Array.from({ length: 4 }, () => keepAsking(asked.signal)))

  await take('add')
  await take('promote')
  expect(await ratchet('reseal-secrets')).toMatch(/^all secrets are under k2: other keys can be removed$/m)
  await take('drop')
  asked.abort()

  expect((await asking).flat()).toEqual([])
  expect([keys.masterKeys, keys.encryptionKeys].map((left) => left.map(({ id }) => id))).toEqual([['k2'], ['k2']])
  expect(await ledgerAtRest({ databaseUrl }, workspace)).toMatchObject({ violations: [] })
  // Services refuse an edge that still uses the dropped key.
  await lanes[0]?.restart('edge', { ...keys, masterKeys: before.masterKeys })
  expect((await chat(lanes[0] as Lane)).status).toBe(502)
  // The dropped encryption key cannot decrypt secrets that were encrypted again.
  await lanes[1]?.restart('inference', { ...keys, encryptionKeys: before.encryptionKeys })
  expect((await chat(lanes[1] as Lane)).ok).toBe(false)
}, 300_000)
