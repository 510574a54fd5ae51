import { randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { gradeOne } from '@ratchet/contracts/session-labels'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller } from '@ratchet/testing/web-caller'
import { agentRun, importRuns } from './agent-runs.ts'
import { type Api, apiOf, calibrate, createJudge, type Json } from './judged-traffic.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

let voice: VoiceFleet
let api: Api
beforeAll(async () => {
  voice = await startVoiceFleet({ judges: true, aliases: true })
  api = apiOf(voice.fleet, voice.workspace)
}, 300_000)
afterAll(() => voice.stop())

/** Grades a run as the edge does for a signed-in user. */
async function grade(body: object): Promise<number> {
  const { fleet, workspace } = voice
  const { workspaceId, userId } = workspace
  const requestId = randomUUID()
  const bound = { audience: 'judging', requestId, method: 'POST', path: gradeOne.path }
  const session = { id: randomUUID(), mayGrade: true, isFresh: false }
  const identity = { workspaceId, userId, keyId: null, role: 'member', session } as const
  const signed = signIdentity(fleet.keyFor('judging'), bound, identity, Date.now())
  const response = await fetch(fleet.judging.url + gradeOne.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [requestIdHeader]: requestId, [identityHeader]: signed },
    body: JSON.stringify(body),
  })
  return response.status
}

const runs = 160

/** A judge of whole runs that is measured well enough to act by itself. */
async function provenJudge(): Promise<Json> {
  const imported = Array.from({ length: runs }, (_, number) =>
    agentRun({ number, steps: 2, tag: 'agent', isFlawed: number % 2 === 0 }),
  )
  await importRuns(api, imported)
  const judge = await createJudge(api, 'sim/judge-1-1', { unit: 'trace' })
  for (let graded = 0; graded < runs; graded += 40) {
    const { json } = await api('GET', `/criteria/${judge.id}/next_to_grade?limit=40`)
    for (const { trace_id } of json.data) {
      const label = Number(trace_id.split('-').at(-1)) % 2 === 0 ? 'fail' : 'pass'
      expect(await grade({ unit: 'trace', trace_id, criterion_id: judge.id, label })).toBe(201)
    }
  }
  await calibrate(api, judge.id)
  return (await api('GET', `/criteria/${judge.id}`)).json
}

/** Holds a call of more than ten seconds. @returns its id */
async function hold(agentId: string): Promise<string> {
  const body = await eventually(
    async () => {
      const created = await voice.ask('POST', '/calls/create', { agent_id: agentId, type: 'web' })
      // Others of the workspace wait for their callers, or no worker has room at the moment.
      if (created.status === 409 || created.status === 503) return null
      expect(created.status).toBe(201)
      return created.body
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  const caller = connectWebCaller(body.join_url, body.client_token)
  const begunMs = performance.now()
  await eventually(() => caller.ear.join(' ') === 'Hello there.', { withinMs: 30_000 })
  caller.speak('What does that mean for me?')
  // The answer is heard, at least its beginning.
  await eventually(() => caller.ear.length > 6 && performance.now() - begunMs > 11_000, { withinMs: 60_000 })
  caller.hangUp()
  await caller.closed
  return body.id
}

const callsOf = (ids: readonly string[]) => Promise.all(ids.map((id) => voice.ask('GET', `/calls/${id}`)))

it('judges finished calls, and rolls back a worse version of an agent by itself', async () => {
  const judge = await provenJudge()
  expect(judge).toMatchObject({ unit: 'trace', trust: 'trustworthy', can_act: true })
  const agentId = await voice.newAgent({ model: 'sim/quality-1', criterion_ids: [judge.id] })
  const path = `/agents/${agentId}`
  const worse = await voice.ask('PATCH', path, { model: 'sim/quality-0', publish: false })
  expect(worse.body).toMatchObject({ version: 2, published_version: 1 })
  const settings = { version: 2, percent: 50, gate_criterion_id: judge.id, gate_mode: 'auto' }
  const canary = await voice.ask('PUT', `${path}/canary`, settings)
  expect(canary).toMatchObject({ status: 200, body: { state: 'collecting', target_version: 1 } })
  const calls: string[] = []
  const state = async () => (await voice.ask('GET', `${path}/canary`)).body
  while ((await state()).decided_at === null && calls.length < 28) {
    calls.push(...(await Promise.all(Array.from({ length: 14 }, () => hold(agentId)))))
  }
  const ended = await eventually(
    async () => {
      const now = await state()
      if (now.decided_at === null) throw new Error(JSON.stringify({ now, call: await callsOf(calls.slice(0, 3)) }))
      return now
    },
    { withinMs: 180_000, everyMs: 1_000 },
  )
  expect(ended).toMatchObject({ state: 'rolled_back', trust: 'trustworthy' })
  const { target, canary: other } = ended.arms
  expect([target.version, target.fails, other.version, other.fails]).toEqual([1, 0, 2, other.scored])
  expect((await voice.ask('GET', path)).body).toMatchObject({ published_version: 1 })
  const judged = await eventually(
    async () => {
      const { body } = await voice.ask('GET', `/calls/${calls[0]}`)
      return body.analysis.verdicts[0].state === 'done' && body.cost.settled ? body : null
    },
    { withinMs: 60_000, everyMs: 500 },
  )
  expect(judged.analysis).toEqual({
    success: judged.arm === 'target',
    verdicts: [
      {
        criterion_id: judge.id,
        state: 'done',
        verdict: judged.arm === 'target' ? 'pass' : 'fail',
        failure: null,
        trust: 'trustworthy',
      },
    ],
  })
  expect(judged).toMatchObject({ trace_id: calls[0], agent_version: judged.arm === 'target' ? 1 : 2 })
  expect(judged.cost_usd).toBeGreaterThan(0)
}, 400_000)
