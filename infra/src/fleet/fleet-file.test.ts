import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FleetInfo, readFleetFile, removeFleetFile, writeFleetFile } from './fleet-file.ts'

const info: FleetInfo = {
  base_url: 'http://127.0.0.1:8080',
  voice_base_url: 'http://127.0.0.1:8098',
  dashboard_url: 'http://localhost:8080',
  database_url: 'postgres://postgres:secret@127.0.0.1:5432/ratchet',
  redis_url: 'redis://127.0.0.1:6379',
  simulated_provider_url: 'http://127.0.0.1:8089',
  workspace: 'demo',
  api_key: 'sk_svc_owner',
  owner_email: 'owner@demo.example',
  owner_password: 'secret',
  member_api_key: 'sk_svc_member',
  voice_api_key: 'ck_live_owner',
  metrics_urls: { edge: 'http://127.0.0.1:8090/metrics' },
  pids: { supervisor: 1, edge: 2 },
}

let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fleet-file-'))
  file = path.join(folder, 'fleet.json')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('is read back as it was written', () => {
  writeFleetFile(file, info)
  expect(readFleetFile(file)).toEqual(info)
})

it('can be read by its owner only, also when it replaces a file that others could read', () => {
  writeFileSync(file, '{}', { mode: 0o644 })
  writeFleetFile(file, info)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('leaves no other file in the folder', () => {
  writeFleetFile(file, info)
  writeFleetFile(file, info)
  expect(readdirSync(folder)).toEqual(['fleet.json'])
})

it('is null when it is missing or incomplete', () => {
  expect(readFleetFile(file)).toBeNull()
  writeFileSync(file, '{"base_url": "http')
  expect(readFleetFile(file)).toBeNull()
})

it('may be removed twice', () => {
  writeFleetFile(file, info)
  removeFleetFile(file)
  removeFleetFile(file)
  expect(readdirSync(folder)).toEqual([])
})
