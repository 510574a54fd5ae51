import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { createStatement } from '../driver/job-statement.fixture.ts'
import { runToolLimits } from './create-tool-calls.ts'
import { httpTool, receiver, staticTool, type ToolApp, toolApp } from './tool-app.fixture.ts'
import type { ToolRun } from './tool-calls.ts'

let app: ToolApp
beforeAll(async () => {
  app = await toolApp()
})
afterAll(() => app.drop())

const forRuns = { use: 'tool', param: 'environment.toolIds' } as const
const newRun = (): ToolRun => ({ workspaceId: app.workspaceId, runId: randomUUID() })
const call = (toolName: string, callId: string, args: object = { city: 'Rome' }, rolloutId = 'r1') => ({
  toolName,
  callId,
  rolloutId,
  step: 3,
  seed: 7,
  arguments: JSON.stringify(args),
})

describe('the tools of a run', () => {
  it('keep the version that the run started with', async () => {
    const { id, name } = await app.create()
    const run = newRun()
    const offered = await app.calls.freeze(run, [id], forRuns)
    expect(offered).toEqual([
      { type: 'function', function: expect.objectContaining({ name, description: 'Weather.' }) },
    ])
    await app.send('patch', `/v1/environment_tools/${id}`, { static: { result: 'changed' }, name: `${name}_b` })
    expect(await app.calls.freeze(run, [id], forRuns)).toEqual(offered)
    expect(await app.calls.offered(run)).toEqual(offered)
    expect((await app.calls.call(run, call(name, 'c1'))).result).toBe('{"degrees":21}')
  })

  it('cannot be deleted before it has ended', async () => {
    const { id } = await app.create()
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    const path = `/v1/environment_tools/${id}`
    expect((await app.send('delete', path)).body.error.code).toBe('tool_in_use')
    await app.calls.release(run)
    expect((await app.send('delete', path)).status).toBe(200)
  })

  it('have no side effects, are of its workspace, usable so, and have different names', async () => {
    const withEffects = await app.create(staticTool({ sideEffects: true }))
    const grader = await app.create(staticTool({ usableAs: ['reward'] }))
    const { id } = await app.create()
    const freeze = (ids: readonly string[], run = newRun()) => app.calls.freeze(run, ids, forRuns)
    await expect(freeze([withEffects.id])).rejects.toMatchObject({ code: 'invalid_request', param: forRuns.param })
    await expect(freeze([grader.id])).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(freeze([id, id])).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(freeze([id], { ...newRun(), workspaceId: randomUUID() })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('answer a name that is no tool with an error that the model sees', async () => {
    expect(await app.calls.call(newRun(), call('unknown', 'c1'))).toMatchObject({
      ok: false,
      result: 'There is no tool "unknown".',
    })
  })
})

describe('a call', () => {
  it('is made once, and repetitions get the same answer', async () => {
    let made = 0
    const tool = await receiver((response) => response.end(JSON.stringify({ result: `answer ${++made}` })))
    const { id, name } = await app.create(httpTool(tool.url))
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    const first = await app.calls.call(run, call(name, 'c1'))
    expect([first, await app.calls.call(run, call(name, 'c1'))]).toEqual([first, first])
    expect((await app.calls.call(run, call(name, 'c2'))).result).toBe('answer 2')
    expect(tool.received.map(({ body }) => [body.call_id, body.run_id, body.rollout_id, body.step, body.seed])).toEqual(
      [
        ['c1', run.runId, 'r1', 3, 7],
        ['c2', run.runId, 'r1', 3, 7],
      ],
    )
    tool.close()
  })

  it('is made by one of many requests at the same time', async () => {
    let others = Promise.resolve()
    const tool = await receiver((response) => void others.then(() => response.end('ok')))
    const { id, name } = await app.create(httpTool(tool.url))
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    const refusals: unknown[] = []
    const all = Array.from({ length: 8 }, () => app.calls.call(run, call(name, 'c1')))
    for (const each of all) each.catch((error: unknown) => refusals.push(error))
    others = eventually(() => expect(refusals).toHaveLength(7))
    const settled = await Promise.allSettled(all)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(refusals).toEqual(Array.from({ length: 7 }, () => expect.objectContaining({ code: 'service_unavailable' })))
    expect(tool.received).toHaveLength(1)
    tool.close()
  })

  it('is refused when the episode has made too many, however many come at one time', async () => {
    const { id, name } = await app.create(staticTool({ maxCallsPerRollout: 3 }))
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => app.calls.call(run, call(name, `c${n}`))))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(3)
    expect(answers.find(({ ok }) => !ok)?.error?.code).toBe('too_many_calls')
    expect((await app.calls.call(run, call(name, 'c9', {}, 'r2'))).error?.code).toBe('invalid_arguments')
  })

  it('is refused when its run has made too many or got too much, however its episodes are named, and is not stored', async () => {
    const { id, name } = await app.create()
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    const job = [run.runId, run.workspaceId, 1, '{}', null, '0', 1, null, '0', 1, 'running', '{}', 'sim']
    await app.pool.query(createStatement, job)
    await app.pool.query(
      `INSERT INTO grpo_run (id, workspace_id, name, settings, judges, warnings, prompts_sha256, train_nano_per_mtok,
         sample_nano_per_mtok, max_cost_nano, judging_cap_nano, created_at, tool_calls)
       VALUES ($1, $2, 'run', '{}', '[]', '[]', '', 0, 0, 1, 0, now(), $3)`,
      [run.runId, run.workspaceId, runToolLimits.maxCalls - 2],
    )
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => app.calls.call(run, call(name, `c${n}`, undefined, `episode ${n}`))),
    )
    expect(answers.filter(({ ok }) => ok)).toHaveLength(2)
    expect(answers.find(({ ok }) => !ok)?.error?.code).toBe('too_many_calls')
    const stored = async () => (await app.pool.query('SELECT 1 FROM tool_call WHERE run_id = $1', [run.runId])).rowCount
    expect(await stored()).toBe(2)
    const { rows } = await app.pool.query('SELECT tool_bytes::int AS bytes FROM grpo_run WHERE id = $1', [run.runId])
    expect(rows[0].bytes).toBeGreaterThan(50)
    const full = [run.runId, runToolLimits.maxBytes + 1]
    await app.pool.query('UPDATE grpo_run SET tool_calls = 0, tool_bytes = $2 WHERE id = $1', full)
    expect((await app.calls.call(run, call(name, 'c6'))).error?.code).toBe('too_many_calls')
    expect(await stored()).toBe(2)
  })

  it('is not sent to a tool whose last calls failed', async () => {
    const tool = await receiver((response) => response.writeHead(500).end())
    const { id, name } = await app.create(httpTool(tool.url, { maxCallsPerRollout: 50 }, { retries: 0 }))
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    for (let n = 0; n < 20; n += 1) await app.calls.call(run, call(name, `c${n}`))
    expect(tool.received).toHaveLength(8)
    expect(await app.calls.call(run, call(name, 'c20'))).toMatchObject({ ok: false, error: { code: 'suspended' } })
    expect(await app.calls.counts(run, new Date(0))).toMatchObject({ calls: 21, failures: 21 })
    expect((await app.send('get', `/v1/environment_tools/${id}`)).body.stats).toMatchObject({
      calls: 21,
      errors: 21,
      hit_rate: null,
    })
    tool.close()
  })

  it('of an episode keeps its state under the name of the episode', async () => {
    const states = new Map<string, number>()
    const tool = await receiver((response, { rollout_id: rollout }) => {
      states.set(rollout, (states.get(rollout) ?? 0) + 1)
      response.end(JSON.stringify({ result: states.get(rollout), done: states.get(rollout) === 2 }))
    })
    const { id, name } = await app.create(httpTool(tool.url))
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    const results = []
    for (const [n, rollout] of ['r1', 'r2', 'r1'].entries())
      results.push(await app.calls.call(run, call(name, `c${n}`, undefined, rollout)))
    expect(results.map(({ result, done }) => [result, done])).toEqual([
      ['1', false],
      ['1', false],
      ['2', true],
    ])
    tool.close()
  })
})

const grades = { usableAs: ['reward'], parameters: { type: 'object' } }
const forReward = { use: 'reward', param: 'reward.tools' } as const
const gradingOf = (toolId: string) => ({
  rolloutId: 'r1',
  callId: 'g1',
  step: 1,
  seed: 1,
  toolId,
  arguments: { completion: 'hello' },
})

describe('a tool that grades', () => {
  it('is asked once, and offered to no model', async () => {
    const tool = await receiver((response, { arguments: { completion } }) =>
      response.end(JSON.stringify({ reward: completion.length / 10, detail: 'd' })),
    )
    const { id } = await app.create(httpTool(tool.url, grades))
    const run = newRun()
    await app.calls.freeze(run, [id], forReward)
    expect(await app.calls.grade(run, gradingOf(id))).toBe(0.5)
    expect(await app.calls.grade(run, gradingOf(id))).toBe(0.5)
    expect(tool.received).toHaveLength(1)
    expect(await app.calls.offered(run)).toEqual([])
    tool.close()
  })

  it('is asked again after a failure that may pass, and not after another one', async () => {
    let status = 500
    const tool = await receiver((response) => response.writeHead(status).end('{"reward":1}'))
    const { id } = await app.create(httpTool(tool.url, grades, { retries: 0 }))
    const run = newRun()
    await app.calls.freeze(run, [id], forReward)
    await expect(app.calls.grade(run, gradingOf(id))).rejects.toMatchObject({ code: 'service_unavailable' })
    status = 400
    expect(await app.calls.grade(run, gradingOf(id))).toBeNull()
    status = 200
    expect(await app.calls.grade(run, gradingOf(id))).toBeNull()
    expect(tool.received).toHaveLength(2)
    tool.close()
  })

  it('is not asked when the model has called it and it said a reward: the last one counts', async () => {
    const rewards = [0.25, 0.75, undefined]
    let asked = 0
    const tool = await receiver((response) => response.end(JSON.stringify({ result: 'ok', reward: rewards[asked++] })))
    const both = { usableAs: ['tool', 'reward'], parameters: { type: 'object' } }
    const { id, name } = await app.create(httpTool(tool.url, both))
    const run = newRun()
    await app.calls.freeze(run, [id], forRuns)
    await app.calls.freeze(run, [id], forReward)
    for (const callId of ['c1', 'c2', 'c3']) await app.calls.call(run, call(name, callId))
    expect(await app.calls.grade(run, gradingOf(id))).toBe(0.75)
    expect(tool.received).toHaveLength(3)
    tool.close()
  })

  it('has an address', async () => {
    const { id } = await app.create(staticTool({ usableAs: ['reward'] }))
    await expect(app.calls.check(newRun(), [id], forReward)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

it('is given up while its secrets cannot be read, and made by who can', async () => {
  const tool = await receiver((response) => response.end('ok'))
  const { id, name } = await app.create(httpTool(tool.url))
  const run = newRun()
  await app.calls.freeze(run, [id], forRuns)
  const { calls } = app.withKey({ id: 'k2', secret: Buffer.alloc(32) })
  await expect(calls.call(run, call(name, 'c1'))).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await app.calls.call(run, call(name, 'c1'))).toMatchObject({ ok: true })
  tool.close()
})
