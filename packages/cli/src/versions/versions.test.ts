import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelVersionDetail } from '@ratchet/contracts/model-versions'
import { ioFor, type Ran, runVersionsCommand } from '../api/run-against.fixture.ts'
import { refusal, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'

const id = `mv_${'0'.repeat(31)}1`
const one = `/v1/model_versions/${id}`
const content = 'the weights'
const version: ModelVersionDetail = {
  id,
  object: 'model_version',
  model_id: 'ft:sim/small:acme:support:k3m7q2xa',
  name: 'support',
  base_model: 'sim/small',
  parent_id: null,
  produced_by: { type: 'fine_tuning', id: 'ftjob-1' },
  fine_tuning_job_id: 'ftjob-1',
  step: 15,
  dataset_id: 'ds_1',
  status: 'adopted',
  status_reason: null,
  from_reward: false,
  adapter: { rank: 8, size_bytes: 11 },
  files: [{ name: 'adapter_model.safetensors', sha256: createHash('sha256').update(content).digest('hex'), bytes: 11 }],
  sha256: 'ab',
  metrics: {},
  chat_template_sha256: null,
  fingerprint: { source: 'trainer', probe_sha256: 'ef'.repeat(32) },
  serving: { pool: 'ready', pool_error: null, provider: null, dedicated: [] },
  aliases: [{ name: 'bot', arm: 'canary', percent: 10 }],
  created_by: 'u1',
  created_at: '2026-11-29T12:00:00.000Z',
  adopted_at: '2026-11-29T13:00:00.000Z',
  adopted_by: 'u1',
  warnings: [],
  eval_ids: ['eval_1'],
  evidence: {
    eval_id: 'eval_1',
    baseline_model: 'sim/large',
    win_rate: 0.6,
    win_rate_ci: [0.51, 0.68],
    proof_uses: 0,
    guard_verdict: null,
    audit: null,
    independent: true,
  },
}

let api: ScriptedApi
let folder: string
beforeEach(async () => {
  api = await startScriptedApi()
  folder = await mkdtemp(join(tmpdir(), 'versions-'))
})
afterEach(async () => {
  await api.stop()
  await rm(folder, { recursive: true })
})

const versions = (line: string): Promise<Ran> => runVersionsCommand(ioFor(api), line)

it('lists versions with the aliases that route to them', async () => {
  const page = { total: 1, limit: 20, offset: 0, has_more: false }
  api.answers('GET /v1/model_versions', { body: { object: 'list', data: [version], ...page } })
  const { out } = await versions('list --status adopted')
  expect(api.seen[0]?.line).toBe('GET /v1/model_versions?limit=20&status=adopted')
  expect(out.split('\n')[1]).toBe(`${id}  ft:sim/small:acme:support:k3m7q2xa  adopted  fine_tuning  15    bot 10 %`)
})

it('shows a version and its evidence', async () => {
  api.answers(`GET ${one}`, { body: version })
  const { out } = await versions(`show ${id}`)
  expect(out).toContain('win rate  0.600 against sim/large, 0.510 to 0.680')
  expect((await versions('show 17')).code).not.toBe(0)
})

it('says what is missing for an adoption, all of it for a product of a reward', async () => {
  const missing = [{ requirement: 'audit', detail: 'Nobody has graded any.' }]
  const error = { message: 'It needs evidence.', code: 'precondition_failed', details: { missing, all_of: true } }
  api.answers(`POST ${one}/adopt`, refusal(412, error))
  const { code, out } = await versions(`adopt ${id} --alias bot --canary 25 --reason Better`)
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('All of these are missing:\n  audit  Nobody has graded any.'),
  ])
  expect(api.seen[0]?.body).toEqual({ aliasName: 'bot', canaryPercent: 25, reason: 'Better' })
})

it('has the pool serve a version, and stops that', async () => {
  const serving = { pool: 'loading' as const, pool_error: null, provider: null, dedicated: [] }
  api.answers(`POST ${one}/serve`, { status: 202, body: { ...version, serving } })
  expect((await versions(`serve ${id}`)).out.trim()).toBe('ft:sim/small:acme:support:k3m7q2xa: the pool loads it')
  expect(api.seen[0]?.body).toEqual({ in: 'pool' })
  api.answers(`DELETE ${one}/serve`, { status: 202, body: { ...version, serving: { ...serving, pool: 'none' } } })
  expect((await versions(`unserve ${id}`)).out.trim()).toBe('ft:sim/small:acme:support:k3m7q2xa: nothing serves it')
})

it('downloads the files, follows a signed address without the key, and checks the hash', async () => {
  api.answers(`GET ${one}`, { body: version })
  const signed = `${api.baseUrl}/bucket/weights?signature=1`
  const redirect = { status: 302, body: '', headers: { location: signed } }
  api.answers(`GET ${one}/download`, redirect, { body: '# The version' })
  api.answers('GET /bucket/weights', { body: content })
  const { code } = await versions(`download ${id} --output ${folder}`)
  expect(code).toBe(0)
  expect((await readdir(folder)).toSorted()).toEqual(['README.md', 'adapter_model.safetensors'])
  expect(await readFile(join(folder, 'adapter_model.safetensors'), 'utf8')).toBe(content)
  expect(api.seen.find(({ line }) => line.startsWith('GET /bucket'))?.authorization).toBeUndefined()
})

it('keeps no file that arrived with another hash', async () => {
  api.answers(`GET ${one}`, { body: version })
  api.answers(`GET ${one}/download`, { body: 'others' })
  const { code, err } = await versions(`download ${id} --output ${folder}`)
  expect([code, err]).toEqual([1, expect.stringContaining('arrived with another hash')])
  expect(await readdir(folder)).toEqual([])
})
