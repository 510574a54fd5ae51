import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { services } from '@ratchet/infra/fleet/service-list'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'

let fleet: Fleet
let logFolder: string
beforeAll(async () => {
  logFolder = await mkdtemp(path.join(tmpdir(), 'ratchet-late-database-'))
  fleet = await startFleet({ voice: true, dashboard: true, logFolder })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await rm(logFolder, { recursive: true, force: true })
})

it('starts processes of every service before their database can be reached, without a restart of one', async () => {
  await fleet.postgres.refuse()
  const starting = Promise.all(services.map(({ name }) => fleet.add(name)))
  // Its start needs the database at once.
  await eventually(() => hasWaited('voice-worker'), { withinMs: 60_000 })
  await fleet.postgres.restore()

  const added = await starting

  expect(added.filter(({ log }) => log.some((line) => line.includes('FATAL'))).map(({ name }) => name)).toEqual([])
}, 300_000)

async function hasWaited(name: string): Promise<boolean> {
  const files = (await readdir(logFolder)).filter((file) => file.startsWith(`${name}-`))
  const logs = await Promise.all(files.map((file) => readFile(path.join(logFolder, file), 'utf8')))
  return logs.some((log) => log.includes('the database cannot answer yet'))
}
